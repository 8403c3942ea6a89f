/* The generalized hinge over all examples at once. Its dual is y b with 0 ≤ b ≤ `slope`; at a margin
 * m each unit of b gains 1 − m up to b = 1, and −m beyond. */
#ifndef RRM_GENERALIZED_ARRAYS_H
#define RRM_GENERALIZED_ARRAYS_H

#include <math.h>
#include "rows.h"

/* The b that maximizes min(b, 1) + (pull − 1) b − (s/2) b². */
RRM_INLINE double generalized_best(double pull, double s, double slope)
{
    double first = pull / s, second = (pull - 1) / s;
    first = first < 1 ? first : 1;
    second = second < slope ? second : slope;
    double b = second > 1 ? second : first;
    b = b > 0 ? b : 0;
    double step = pull > 1 ? slope : pull > 0 ? 1 : 0;
    return s == 0 ? step : b;
}

RRM_INLINE double generalized_gain(double b, double margin, double smoothing)
{
    double first = b < 1 ? b : 1, second = b > 1 ? b - 1 : 0;
    return first * (1 - margin) - second * margin - smoothing / 2 * b * b;
}

/* Σ c_i φ(a_i). */
RRM_CLONES static double generalized_total(double slope, double smoothing, const double *y,
                                           const double *c, const double *scores, ptrdiff_t n)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (ptrdiff_t i = 0; i < n; i++) {
        double margin = y[i] * scores[i], b = generalized_best(1 - margin, smoothing, slope);
        total += c[i] * generalized_gain(b, margin, smoothing);
    }
    return total;
}

/* φ'(a_i). */
RRM_CLONES static void generalized_derivatives(double slope, double smoothing, const double *y,
                                               const double *scores, double *restrict out,
                                               ptrdiff_t n)
{
#pragma omp simd
    for (ptrdiff_t i = 0; i < n; i++)
        out[i] = -y[i] * generalized_best(1 - y[i] * scores[i], smoothing, slope);
}

/* Σ c_i φ*(−α_i) of examples with a cost, infinite where one is out of its bounds. */
RRM_CLONES static double generalized_conjugate(double slope, double smoothing, const double *y,
                                               const double *c, const double *alpha, ptrdiff_t n)
{
    double total = 0, beyond = 0;
#pragma omp simd reduction(+ : total, beyond)
    for (ptrdiff_t i = 0; i < n; i++) {
        double b = y[i] * alpha[i], gain = generalized_gain(b, 0, smoothing);
        total -= c[i] > 0 ? c[i] * gain : 0;
        beyond += (c[i] > 0) & ((b < 0) | (b > slope)) ? 1.0 : 0.0;
    }
    return beyond > 0 ? INFINITY : total;
}

/* The dual steps from α at these scores. A step of 0 through α or q means one number for all, else it
 * is 1. */
RRM_CLONES static void generalized_steps(double slope, double smoothing, const double *y,
                                         const double *scores, const double *alpha,
                                         ptrdiff_t alpha_step, const double *q, ptrdiff_t q_step,
                                         double *restrict out, ptrdiff_t n)
{
#pragma omp simd
    for (ptrdiff_t i = 0; i < n; i++) {
        double s = q[i * q_step];
        double pull = s * (y[i] * alpha[i * alpha_step]) + 1 - y[i] * scores[i];
        out[i] = y[i] * generalized_best(pull, s + smoothing, slope);
    }
}

#endif
