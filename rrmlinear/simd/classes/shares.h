/* Probabilities p_j = exp(s_j) / Σ exp(s) of many examples, and sums over these.
 *
 * Scores lie class after class, k × n, so that vectors run over examples: with five classes a look at
 * 100 000 of them takes a third of the time of passes by NumPy. All is free of cancellation where the
 * probabilities of the own classes are nearly 1. */
#ifndef RRM_CLASSES_SHARES_H
#define RRM_CLASSES_SHARES_H

#include "logistic_arrays.h"
#include "softmax_blocks.h"

enum { SHARES_BLOCK = 128 };

/* Σ c (log Σ_j exp(s_j) − s_y) and Σ c (1 − p_y). */
typedef struct {
    double loss, others;
} shares_total_t;

/* p at the scores + b. Of each class also Σ c (y_j − p_j) and Σ c p_j, and, unless NULL, the
 * Σ c p_j p_l for l < j, in `products` of k × k. */
RRM_CLONES static shares_total_t softmax_shares(const double *scores, const double *b,
                                                const int64_t *label, const double *c, ptrdiff_t n,
                                                ptrdiff_t k, double *p, double *left, double *sums,
                                                double *products)
{
    double loss = 0, others = 0;
    for (ptrdiff_t begin = 0; begin < n; begin += SHARES_BLOCK) {
        ptrdiff_t m = n - begin < SHARES_BLOCK ? n - begin : SHARES_BLOCK;
        const double *s = scores + begin, *cost = c + begin;
        const int64_t *y = label + begin;
        double *share = p + begin;
        double top[SHARES_BLOCK], own[SHARES_BLOCK], rest[SHARES_BLOCK], above[SHARES_BLOCK];
#pragma omp simd
        for (ptrdiff_t i = 0; i < m; i++) {
            top[i] = s[i] + b[0];
            own[i] = rest[i] = above[i] = 0;
        }
        for (ptrdiff_t j = 1; j < k; j++)
#pragma omp simd
            for (ptrdiff_t i = 0; i < m; i++) {
                double x = s[j * n + i] + b[j];
                top[i] = x > top[i] ? x : top[i];
            }
        for (ptrdiff_t j = 0; j < k; j++) { /* two loops: in one gcc makes branches of the choices */
            double *e = share + j * n, intercept = b[j];
            const double *x = s + j * n;
#pragma omp simd
            for (ptrdiff_t i = 0; i < m; i++)
                e[i] = softmax_exp(x[i] + intercept - top[i]);
#pragma omp simd
            for (ptrdiff_t i = 0; i < m; i++) {
                rest[i] += y[i] == j ? 0 : e[i];
                own[i] += y[i] == j ? e[i] : 0;
                above[i] += y[i] == j ? x[i] + intercept - top[i] : 0;
            }
        }
#pragma omp simd reduction(+ : loss, others)
        for (ptrdiff_t i = 0; i < m; i++) {
            double total = rest[i] + own[i], inverse = 1 / total, other = rest[i] * inverse;
            double first = log1p_simd(rest[i]), later = log_simd(total) - above[i];
            loss += cost[i] * (above[i] == 0 ? first : later);
            others += cost[i] * other;
            top[i] = inverse;
            rest[i] = other;
        }
        for (ptrdiff_t j = 0; j < k; j++) {
            double weighed[SHARES_BLOCK], away = 0, all = 0;
            double *each = share + j * n;
#pragma omp simd reduction(+ : away, all)
            for (ptrdiff_t i = 0; i < m; i++) {
                double x = each[i] * top[i], size = cost[i] * x;
                each[i] = x;
                weighed[i] = size;
                all += size;
                away += y[i] == j ? cost[i] * rest[i] : -size;
            }
            left[j] += away;
            sums[j] += all;
            for (ptrdiff_t l = 0; products && l < j; l++) {
                double product = 0;
#pragma omp simd reduction(+ : product)
                for (ptrdiff_t i = 0; i < m; i++)
                    product += weighed[i] * share[l * n + i];
                products[j * k + l] += product;
            }
        }
    }
    return (shares_total_t){loss, others};
}

/* c (y_j − p_j) after a move of all scores, to first order: p_j becomes p_j (1 + move_j − Σ p move). The
 * sums of each class are added to `sums`. */
RRM_CLONES static void softmax_pulls(const double *p, const double *move, const int64_t *label,
                                     const double *c, ptrdiff_t n, ptrdiff_t k, double *out,
                                     double *sums)
{
    for (ptrdiff_t begin = 0; begin < n; begin += SHARES_BLOCK) {
        ptrdiff_t m = n - begin < SHARES_BLOCK ? n - begin : SHARES_BLOCK;
        const double *share = p + begin, *cost = c + begin;
        const int64_t *y = label + begin;
        double *pull = out + begin;
        double mean[SHARES_BLOCK] = {0}, rest[SHARES_BLOCK] = {0};
        for (ptrdiff_t j = 0; j < k; j++)
#pragma omp simd
            for (ptrdiff_t i = 0; i < m; i++)
                mean[i] += move[j] * share[j * n + i];
        for (ptrdiff_t j = 0; j < k; j++)
#pragma omp simd
            for (ptrdiff_t i = 0; i < m; i++) {
                double x = cost[i] * (share[j * n + i] * (1 + move[j] - mean[i]));
                pull[j * n + i] = -x;
                rest[i] += y[i] == j ? 0 : x;
            }
        for (ptrdiff_t j = 0; j < k; j++) {
            double total = 0;
#pragma omp simd reduction(+ : total)
            for (ptrdiff_t i = 0; i < m; i++) {
                double x = y[i] == j ? rest[i] : pull[j * n + i];
                pull[j * n + i] = x;
                total += x;
            }
            sums[j] += total;
        }
    }
}

/* Σ c Σ_j p_j log p_j over all classes, p_j = −pull_j / c of the others and what they leave of the own
 * one; infinite where these are no probabilities. And Σ c (1 − p_y). */
typedef struct {
    double conjugate, others;
} shares_dual_t;

RRM_CLONES static shares_dual_t softmax_dual(const double *pulls, const int64_t *label,
                                             const double *c, ptrdiff_t n, ptrdiff_t k)
{
    double conjugate = 0, others = 0, beyond = 0;
    for (ptrdiff_t begin = 0; begin < n; begin += SHARES_BLOCK) {
        ptrdiff_t m = n - begin < SHARES_BLOCK ? n - begin : SHARES_BLOCK;
        const double *pull = pulls + begin, *cost = c + begin;
        const int64_t *y = label + begin;
        double inverse[SHARES_BLOCK], rest[SHARES_BLOCK], entropy[SHARES_BLOCK];
#pragma omp simd
        for (ptrdiff_t i = 0; i < m; i++) {
            double size = cost[i] > 0 ? cost[i] : 1;
            inverse[i] = 1 / size;
            rest[i] = entropy[i] = 0;
        }
        for (ptrdiff_t j = 0; j < k; j++)
#pragma omp simd reduction(+ : beyond)
            for (ptrdiff_t i = 0; i < m; i++) {
                double other = y[i] == j ? 0 : -pull[j * n + i], p = other * inverse[i];
                beyond += p < 0 ? 1.0 : 0.0;
                entropy[i] += entropy_term(p);
                rest[i] += p;
            }
#pragma omp simd reduction(+ : conjugate, others, beyond)
        for (ptrdiff_t i = 0; i < m; i++) {
            double below = rest[i] < 1 ? rest[i] : 0, own = 1 - below;
            beyond += rest[i] > 1 + SOFTMAX_ROUNDING ? 1.0 : 0.0;
            conjugate += cost[i] * (entropy[i] + own * log1p_simd(-below));
            others += cost[i] * rest[i];
        }
    }
    return (shares_dual_t){beyond > 0 ? INFINITY : conjugate, others};
}

#endif
