/* Sums over all labellings of a sequence: forward and backward recursions, marginals and their changes.
 *
 * The recursions hold weights of labels, divided by their sum at each position: there is no logarithm in
 * the loops. With R = max T − min T of the transitions T, another label reaches the same end at a loss of
 * at most e^−R. So a label whose weight underflows is at most e^(2R − 700) of the whole. For R above
 * CHAIN_MAX_RANGE there are the recursions of logarithms.h. */
#ifndef RRM_CHAIN_SCALED_H
#define RRM_CHAIN_SCALED_H

#include "labels.h"

#define CHAIN_MAX_RANGE 300.0   /* of transitions */
#define CHAIN_SMALL_PRODUCT 1e-100 /* a product of totals, each above 1e-140, of which a log is taken */

/* Weights ψ_t = exp(s_t − max s_t) and forward weights α_t of `length` positions, and the totals that
 * were divided out. Returns log Z. */
RRM_CLONES static double chain_forward(const double *nodes, const int32_t *labels, ptrdiff_t length,
                                       ptrdiff_t k, ptrdiff_t k8, chain_pairs_t E,
                                       chain_change_t change, double *psi, double *alpha,
                                       double *totals)
{
    double logs = E.top, product = 1;
    for (ptrdiff_t t = 0; t < length; t++) {
        double *p = psi + t * k8, *a = alpha + t * k8;
        chain_row(nodes + t * k, k, k8, labels[t], change, p);
        double top = chain_max(p, k8);
        chain_exponentials(p, top, k8);
        if (t == 0)
            memcpy(a, p, (size_t)k8 * sizeof *a);
        else {
            chain_product(a - k8, E.rows + t * E.step, k, k8, a);
#pragma omp simd
            for (ptrdiff_t j = 0; j < (k8 & ~(ptrdiff_t)7); j++)
                a[j] *= p[j];
        }
        double total = chain_sum(a, k8), inverse = 1 / total;
#pragma omp simd
        for (ptrdiff_t j = 0; j < (k8 & ~(ptrdiff_t)7); j++)
            a[j] *= inverse;
        totals[t] = total;
        product *= total;
        logs += top;
        if (product < CHAIN_SMALL_PRODUCT || product > 1 / CHAIN_SMALL_PRODUCT) {
            logs += log(product);
            product = 1;
        }
    }
    return logs + log(product);
}

/* From ψ and α of `chain_forward`: marginals[t k + j], and in place of ψ_t the v_t with
 * P(y_{t−1} = i, y_t = j) = α_{t−1,i} E_ij v_tj. `beta` has k8 numbers. */
RRM_CLONES static void chain_backward(ptrdiff_t length, ptrdiff_t k, ptrdiff_t k8, chain_pairs_t E,
                                      double *psi, const double *alpha, const double *totals,
                                      double *beta, double *marginals)
{
    for (ptrdiff_t j = 0; j < k8; j++)
        beta[j] = 1;
    for (ptrdiff_t t = length - 1; t >= 0; t--) {
        double *v = psi + t * k8;
        const double *a = alpha + t * k8;
        double inverse = 1 / totals[t];
        for (ptrdiff_t j = 0; j < k; j++)
            marginals[t * k + j] = a[j] * beta[j];
        if (t == 0)
            break;
#pragma omp simd
        for (ptrdiff_t j = 0; j < (k8 & ~(ptrdiff_t)7); j++)
            v[j] *= beta[j] * inverse;
        chain_product(v, E.transposed + t * E.step, k, k8, beta);
    }
}

/* sums_ij += factor Σ_{t ≥ 1} α_{t−1,i} v_tj: some rows of some vectors at a time in registers. */
#define DEFINE_CHAIN_OUTER(vec, width)                                                          \
    RRM_INLINE void outer_of_##vec(ptrdiff_t length, ptrdiff_t k8, const double *alpha,         \
                                   const double *v, double factor, int rows, int columns,       \
                                   double *sums)                                                \
    {                                                                                           \
        vec sum[4][3];                                                                          \
        for (int r = 0; r < rows; r++)                                                          \
            for (int c = 0; c < columns; c++)                                                   \
                sum[r][c] = (vec){0};                                                           \
        for (ptrdiff_t t = 1; t < length; t++) {                                                \
            const double *a = alpha + (t - 1) * k8, *b = v + t * k8;                            \
            for (int r = 0; r < rows; r++)                                                      \
                for (int c = 0; c < columns; c++)                                               \
                    sum[r][c] += a[r] * *(const vec *)(b + width * c);                          \
        }                                                                                       \
        for (int r = 0; r < rows; r++)                                                          \
            for (int c = 0; c < columns; c++)                                                   \
                *(vec *)(sums + r * k8 + width * c) += factor * sum[r][c];                      \
    }
DEFINE_CHAIN_OUTER(vec4, 4)
DEFINE_CHAIN_OUTER(vec8, 8)
#undef DEFINE_CHAIN_OUTER

RRM_BY_8 static void chain_outer_by_8(ptrdiff_t length, ptrdiff_t k, ptrdiff_t k8,
                                      const double *alpha, const double *v, double factor,
                                      double *sums)
{
    for (ptrdiff_t i = 0; i < k; i += 4) {
        int rows = k - i < 4 ? (int)(k - i) : 4;
        for (ptrdiff_t c = 0; c < k8; c += 24) {
            ptrdiff_t columns = (k8 - c) / 8;
            const double *a = alpha + i, *b = v + c;
            double *s = sums + i * k8 + c;
            if (rows < 4)
                for (int r = 0; r < rows; r++)
                    for (ptrdiff_t q = 0; q < columns && q < 3; q++)
                        outer_of_vec8(length, k8, a + r, b + 8 * q, factor, 1, 1,
                                          s + r * k8 + 8 * q);
            else if (columns >= 3)
                outer_of_vec8(length, k8, a, b, factor, 4, 3, s);
            else if (columns == 2)
                outer_of_vec8(length, k8, a, b, factor, 4, 2, s);
            else
                outer_of_vec8(length, k8, a, b, factor, 4, 1, s);
        }
    }
}

RRM_BY_4 static void chain_outer_by_4(ptrdiff_t length, ptrdiff_t k, ptrdiff_t k8,
                                      const double *alpha, const double *v, double factor,
                                      double *sums)
{
    for (ptrdiff_t i = 0; i < k; i += 4) {
        int rows = k - i < 4 ? (int)(k - i) : 4;
        for (ptrdiff_t c = 0; c < k8; c += 8) {
            const double *a = alpha + i, *b = v + c;
            double *s = sums + i * k8 + c;
            if (rows == 4)
                outer_of_vec4(length, k8, a, b, factor, 4, 2, s);
            else
                for (int r = 0; r < rows; r++)
                    outer_of_vec4(length, k8, a + r, b, factor, 1, 2, s + r * k8);
        }
    }
}

static inline void chain_outer(ptrdiff_t length, ptrdiff_t k, ptrdiff_t k8, const double *alpha,
                               const double *v, double factor, double *sums)
{
    (vector_width() == VEC8 ? chain_outer_by_8 : chain_outer_by_4)(length, k, k8, alpha, v, factor,
                                                                   sums);
}

/* tables_t,ij = factor α_{t−1,i} E_t,ij v_tj, k × k numbers for each t ≥ 1. */
RRM_CLONES static void chain_tables(ptrdiff_t length, ptrdiff_t k, ptrdiff_t k8,
                                    const double *alpha, const double *v, chain_pairs_t E,
                                    double factor, double *tables)
{
    for (ptrdiff_t t = 1; t < length; t++)
        for (ptrdiff_t i = 0; i < k; i++) {
            const double *e = E.rows + t * E.step + i * k8, *b = v + t * k8;
            double a = factor * alpha[(t - 1) * k8 + i], *out = tables + ((t - 1) * k + i) * k;
            for (ptrdiff_t j = 0; j < k; j++)
                out[j] = a * e[j] * b[j];
        }
}

/* mean_j = (p'M + q'N)_j / (q'M)_j, 0 in the padding. */
RRM_CLONES static void chain_mean(const double *p, const double *q, const double *M,
                                  const double *N, ptrdiff_t k, ptrdiff_t k8, double *mass,
                                  double *more, double *mean)
{
    chain_product(q, M, k, k8, mass);
    chain_product(p, M, k, k8, mean);
    chain_product(q, N, k, k8, more);
#pragma omp simd
    for (ptrdiff_t j = 0; j < (k8 & ~(ptrdiff_t)7); j++)
        mean[j] = mass[j] > 0 ? (mean[j] + more[j]) / mass[j] : 0;
}

#endif
