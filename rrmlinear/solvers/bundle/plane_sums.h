/* Products of many vectors of one length with one, and their sums with weights, in pieces that stay
 * in the first-level cache. */
#ifndef RRM_PLANE_SUMS_H
#define RRM_PLANE_SUMS_H

#include "rows.h"

enum { PLANE_PIECE = 1024 };

/* out[r] = ⟨A_r, v⟩ for the rows of A, count × d */
RRM_CLONES static void plane_products(const double *A, ptrdiff_t count, ptrdiff_t d,
                                      const double *restrict v, double *restrict out)
{
    for (ptrdiff_t r = 0; r < count; r++)
        out[r] = 0;
    for (ptrdiff_t begin = 0; begin < d; begin += PLANE_PIECE) {
        ptrdiff_t n = d - begin < PLANE_PIECE ? d - begin : PLANE_PIECE;
        for (ptrdiff_t r = 0; r < count; r++) {
            const double *row = A + r * d + begin;
            double sum = 0;
#pragma omp simd reduction(+ : sum)
            for (ptrdiff_t j = 0; j < n; j++)
                sum += row[j] * v[begin + j];
            out[r] += sum;
        }
    }
}

/* out += Σ weights_r A_r, rows of weight 0 left out */
RRM_CLONES static void plane_combination(const double *A, ptrdiff_t count, ptrdiff_t d,
                                         const double *weights, double *restrict out)
{
    for (ptrdiff_t begin = 0; begin < d; begin += PLANE_PIECE) {
        ptrdiff_t n = d - begin < PLANE_PIECE ? d - begin : PLANE_PIECE;
        double *sum = out + begin;
        for (ptrdiff_t r = 0; r < count; r++) {
            const double *row = A + r * d + begin;
            double weight = weights[r];
            if (weight == 0)
                continue;
#pragma omp simd
            for (ptrdiff_t j = 0; j < n; j++)
                sum[j] += weight * row[j];
        }
    }
}

#endif
