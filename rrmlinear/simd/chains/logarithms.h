/* The sums of scaled.h by logarithms of weights, for transitions of any range. alpha_tj is the logarithm
 * of the sum over all beginnings that end at position t with label j. */
#ifndef RRM_CHAIN_LOGARITHMS_H
#define RRM_CHAIN_LOGARITHMS_H

#include "labels.h"

/* out_j = log Σ_i exp(a_i + M_ij). */
RRM_INLINE void chain_log_step(const double *a, const double *M, ptrdiff_t k, ptrdiff_t k8,
                               double *out)
{
    for (ptrdiff_t c = 0; c < k8; c += 8) {
        double best[8], sum[8] = {0};
        chain_largest(a, M + c, k, k8, best);
        for (ptrdiff_t i = 0; i < k; i++) {
#pragma omp simd
            for (int j = 0; j < 8; j++) {
                double e = a[i] + M[i * k8 + c + j] - best[j];
                sum[j] += e > CHAIN_LEAST_EXPONENT ? exp_simd(e) : 0;
            }
        }
        for (int j = 0; j < 8; j++)
            out[c + j] = c + j < k ? best[j] + log(sum[j]) : CHAIN_EXCLUDED;
    }
}

/* Returns log Z. s holds the changed node scores, rows of k8 numbers. */
RRM_CLONES static double chain_log_forward(const double *nodes, const int32_t *labels,
                                           ptrdiff_t length, ptrdiff_t k, ptrdiff_t k8,
                                           chain_pairs_t T, chain_change_t change, double *s,
                                           double *alpha)
{
    double top, sum = 0;
    for (ptrdiff_t t = 0; t < length; t++) {
        double *a = alpha + t * k8;
        chain_row(nodes + t * k, k, k8, labels[t], change, s + t * k8);
        if (t == 0)
            memcpy(a, s, (size_t)k8 * sizeof *a);
        else {
            chain_log_step(a - k8, T.rows + t * T.step, k, k8, a);
            for (ptrdiff_t j = 0; j < k; j++)
                a[j] += s[t * k8 + j];
        }
    }
    const double *last = alpha + (length - 1) * k8;
    top = chain_max(last, k8);
    for (ptrdiff_t j = 0; j < k; j++)
        sum += exp(last[j] - top);
    return top + log(sum);
}

/* Marginals, and factor P(y_{t−1} = i, y_t = j) added at [i k + j] of sums + (t − 1) · sums_step.
 * `beta` has 2 k8 numbers. */
RRM_CLONES static void chain_log_backward(ptrdiff_t length, ptrdiff_t k, ptrdiff_t k8,
                                          chain_pairs_t T, const double *s, const double *alpha,
                                          double log_sum, double factor, double *beta,
                                          double *marginals, double *sums, ptrdiff_t sums_step)
{
    double *ahead = beta + k8;
    memset(beta, 0, (size_t)k8 * sizeof *beta);
    for (ptrdiff_t t = length - 1; t >= 0; t--) {
        const double *a = alpha + t * k8, *before = a - k8;
        for (ptrdiff_t j = 0; j < k; j++)
            marginals[t * k + j] = exp(a[j] + beta[j] - log_sum);
        if (t == 0)
            break;
        for (ptrdiff_t j = 0; j < k8; j++)
            ahead[j] = j < k ? s[t * k8 + j] + beta[j] : CHAIN_EXCLUDED;
        const double *rows = T.rows + t * T.step;
        double *pairs = sums + (t - 1) * sums_step;
        for (ptrdiff_t i = 0; i < k; i++)
            for (ptrdiff_t j = 0; j < k; j++)
                pairs[i * k + j]
                    += factor * exp(before[i] + rows[i * k8 + j] + ahead[j] - log_sum);
        chain_log_step(ahead, T.transposed + t * T.step, k, k8, beta);
    }
}

#endif
