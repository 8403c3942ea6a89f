/* Sums of the hinge family along a line of margins, over all examples at once. */
#ifndef RRM_HINGE_LINE_H
#define RRM_HINGE_LINE_H

#include "sparse.h"

/* Σ c_i φ(m_i) and its derivative by x at m_i = margins_i + x moves_i, with φ(m) the maximum over
 * 0 ≤ b ≤ upper of (1 − y m) b − (smoothing/2) b². */
RRM_CLONES static void hinge_line(const double *y, const double *cost, const double *margins,
                                  const double *moves, double x, ptrdiff_t n, double smoothing,
                                  double upper, double *value, double *slope)
{
    double total = 0, rise = 0;
    if (smoothing == 0) {
#pragma omp simd reduction(+ : total, rise)
        for (ptrdiff_t i = 0; i < n; i++) {
            double slack = 1 - y[i] * (margins[i] + x * moves[i]);
            double b = slack > 0 ? cost[i] * upper : 0;
            total += b * slack;
            rise -= b * y[i] * moves[i];
        }
    } else {
        double rate = 1 / smoothing;
#pragma omp simd reduction(+ : total, rise)
        for (ptrdiff_t i = 0; i < n; i++) {
            double slack = 1 - y[i] * (margins[i] + x * moves[i]);
            double b = slack * rate;
            b = b > 0 ? b : 0;
            b = b < upper ? b : upper;
            total += cost[i] * b * (slack - smoothing / 2 * b);
            rise -= cost[i] * b * y[i] * moves[i];
        }
    }
    *value = total;
    *slope = rise;
}

#endif
