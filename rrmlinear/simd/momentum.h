/* Steps of accelerated ascents with ½s‖w‖², whose solution is w = V / (s + κ): see
 * solvers/dual/_momentum.pyx. A pass reads each vector once; y and p may be the same vector. */
#ifndef RRM_MOMENTUM_H
#define RRM_MOMENTUM_H

#include "rows.h"

enum { MOMENTUM_BLOCK = 1024 }; /* numbers in a row that are added up on their own */

typedef struct {
    double distance; /* ‖w − y‖² */
    double centre;   /* ‖y‖² */
    double uphill;   /* (y − w)'(w − p) */
    double weights;  /* ‖w‖² */
    double own;      /* ‖V − κ y‖² */
} momentum_look_t;

/* scale = 1 / (s + κ). */
RRM_CLONES static momentum_look_t momentum_look(const double *V, const double *y, const double *p,
                                                ptrdiff_t n, double scale, double kappa)
{
    momentum_look_t sum = {0, 0, 0, 0, 0};
    for (ptrdiff_t begin = 0; begin < n; begin += MOMENTUM_BLOCK) {
        ptrdiff_t end = n - begin < MOMENTUM_BLOCK ? n : begin + MOMENTUM_BLOCK;
        double distance = 0, centre = 0, uphill = 0, weights = 0, own = 0;
#pragma omp simd reduction(+ : distance, centre, uphill, weights, own)
        for (ptrdiff_t j = begin; j < end; j++) {
            double w = V[j] * scale, away = y[j] - w, part = V[j] - kappa * y[j];
            distance += away * away;
            centre += y[j] * y[j];
            uphill += away * (w - p[j]);
            weights += w * w;
            own += part * part;
        }
        sum.distance += distance;
        sum.centre += centre;
        sum.uphill += uphill;
        sum.weights += weights;
        sum.own += own;
    }
    return sum;
}

/* y ← w + β (w − p), V ← V + κ' y' − κ y, p ← w. */
RRM_CLONES static void momentum_step(double *V, double *y, double *p, ptrdiff_t n, double scale,
                                     double kappa, double next_kappa, double beta)
{
    if (y == p && beta == 0) {
#pragma omp simd
        for (ptrdiff_t j = 0; j < n; j++) {
            double w = V[j] * scale;
            V[j] += next_kappa * w - kappa * y[j];
            y[j] = w;
        }
        return;
    }
#pragma omp simd
    for (ptrdiff_t j = 0; j < n; j++) {
        double w = V[j] * scale, next = w + beta * (w - p[j]);
        V[j] += next_kappa * next - kappa * y[j];
        y[j] = next;
        p[j] = w;
    }
}

#endif
