/* Coordinate descent on a Gram matrix: visits of all weights, whose pulls stay at hand. */
#ifndef RRM_GRAM_SWEEPS_H
#define RRM_GRAM_SWEEPS_H

#include <math.h>
#include "columns.h"

/* minimize ½ w'Gw − q'w + l1 ‖w‖₁ + (modulus/2) ‖w‖² over one weight after the other, which stays at
 * least 0 if `positive`; `pull` is q − Gw. A weight whose diagonal of G is 0 never moves, and one
 * that would change by at most the part `rounding` does not. Returns the decrease. */
RRM_CLONES static double gram_sweep(const double *G, ptrdiff_t k, double l1, double modulus,
                                    int positive, double rounding, double *restrict w,
                                    double *restrict pull)
{
    double decrease = 0;
    for (ptrdiff_t j = 0; j < k; j++) {
        double curvature = G[j * k + j];
        if (curvature <= 0)
            continue;
        double total = pull[j] + curvature * w[j];
        double beyond = (positive ? total : fabs(total)) - l1;
        double best = beyond > 0 ? beyond / (curvature + modulus) : 0;
        best = total > 0 ? best : -best;
        double move = best - w[j];
        if (fabs(move) > rounding * fabs(best)) {
            vector_axpy(pull, -move, G + j * k, k);
            w[j] = best;
            decrease += (curvature + modulus) * move * move / 2;
        }
    }
    return decrease;
}

/* pull −= Σ_t change_t G_t for the rows of G named by `some`, `count` of them, d numbers of each. */
RRM_CLONES static void gram_pull(const double *G, ptrdiff_t stride, ptrdiff_t d,
                                 const ptrdiff_t *some, const double *change, ptrdiff_t count,
                                 double *restrict pull)
{
    for (ptrdiff_t t = 0; t < count; t++)
        if (change[t] != 0)
            vector_axpy(pull, -change[t], G + some[t] * stride, d);
}

/* The rows and columns of G named by `some`. */
static inline void gram_part(const double *G, ptrdiff_t stride, const ptrdiff_t *some, ptrdiff_t count,
                             double *restrict out)
{
    for (ptrdiff_t t = 0; t < count; t++) {
        const double *row = G + some[t] * stride;
        for (ptrdiff_t u = 0; u < count; u++)
            out[t * count + u] = row[some[u]];
    }
}

/* A += x v v' for the first n rows and columns of A. */
RRM_CLONES static void rank_one(double *A, ptrdiff_t stride, ptrdiff_t n, double x,
                                const double *restrict v)
{
    for (ptrdiff_t t = 0; t < n; t++)
        vector_axpy(A + t * stride, x * v[t], v, n);
}

#endif
