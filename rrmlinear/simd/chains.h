/* Loops over the k labels of the positions of one sequence, for chains with transitions.
 *
 * Rows of matrices and of scratch memory have k8 numbers, k rounded up to a multiple of 8, so that no
 * remainder is left; the padding of a matrix and of weights of labels is 0. Node scores and marginals
 * have k numbers a position, one position behind the other.
 *
 * The scaled recursions hold weights of labels in proportion, with the sum 1: there is no logarithm in
 * them. With R = max T − min T of the transitions T, a label that such a weight drops by underflow
 * could not take part beyond e^(2R − 700) of the whole, as another label reaches the same end at a
 * loss of e^−R at most. The recursions in logarithms serve a larger R than CHAIN_MAX_RANGE. */
#ifndef RRM_CHAINS_H
#define RRM_CHAINS_H

#include <math.h>
#include "elementary.h"

#define CHAIN_MAX_RANGE 300.0   /* of transitions, for the scaled recursions */
#define CHAIN_LEAST_EXPONENT (-700.0)
#define CHAIN_SMALL_PRODUCT 1e-100 /* a product of totals, each above 1e-140, of which a log is taken */
#define CHAIN_EXCLUDED (-1e300) /* a score of the padding */

typedef double chain8_t __attribute__((vector_size(64), aligned(8), may_alias));

/* out = Σ_i a_i M_i over columns of k rows, held in registers. */
RRM_INLINE void chain_columns(const double *a, const double *M, ptrdiff_t k, ptrdiff_t k8,
                              int columns, double *out)
{
    chain8_t even[4], odd[4];
    ptrdiff_t i = 0;
    for (int c = 0; c < columns; c++)
        even[c] = odd[c] = (chain8_t){0};
    for (; i + 2 <= k; i += 2)
        for (int c = 0; c < columns; c++) {
            even[c] += a[i] * *(const chain8_t *)(M + i * k8 + 8 * c);
            odd[c] += a[i + 1] * *(const chain8_t *)(M + (i + 1) * k8 + 8 * c);
        }
    for (; i < k; i++)
        for (int c = 0; c < columns; c++)
            even[c] += a[i] * *(const chain8_t *)(M + i * k8 + 8 * c);
    for (int c = 0; c < columns; c++)
        *(chain8_t *)(out + 8 * c) = even[c] + odd[c];
}

/* out = a'M. */
RRM_INLINE void chain_product(const double *a, const double *M, ptrdiff_t k, ptrdiff_t k8,
                              double *out)
{
    ptrdiff_t c = 0;
    for (; c + 32 <= k8; c += 32)
        chain_columns(a, M + c, k, k8, 4, out + c);
    switch ((k8 - c) / 8) {
    case 1: chain_columns(a, M + c, k, k8, 1, out + c); break;
    case 2: chain_columns(a, M + c, k, k8, 2, out + c); break;
    case 3: chain_columns(a, M + c, k, k8, 3, out + c); break;
    }
}

/* out_j = max_i a_i + M_ij over k rows, for 8 columns. */
RRM_INLINE void chain_largest(const double *a, const double *M, ptrdiff_t k, ptrdiff_t k8,
                              double *out)
{
    double best[8];
    for (int j = 0; j < 8; j++)
        best[j] = -INFINITY;
    for (ptrdiff_t i = 0; i < k; i++) {
#pragma omp simd
        for (int j = 0; j < 8; j++) {
            double x = a[i] + M[i * k8 + j];
            best[j] = x > best[j] ? x : best[j];
        }
    }
    memcpy(out, best, sizeof best);
}

/* What a label's score s becomes in a recursion: (s + add where it is not the true label) · scale. */
typedef struct {
    double add, scale;
} chain_change_t;

RRM_INLINE void chain_row(const double *nodes, ptrdiff_t k, ptrdiff_t k8, ptrdiff_t label,
                          chain_change_t change, double *out)
{
    for (ptrdiff_t j = 0; j < k; j++)
        out[j] = (nodes[j] + change.add) * change.scale;
    out[label] = nodes[label] * change.scale;
    for (ptrdiff_t j = k; j < k8; j++)
        out[j] = CHAIN_EXCLUDED;
}

RRM_INLINE double chain_max(const double *x, ptrdiff_t k8)
{
    double top = x[0];
#pragma omp simd reduction(max : top)
    for (ptrdiff_t j = 0; j < (k8 & ~(ptrdiff_t)7); j++)
        top = x[j] > top ? x[j] : top;
    return top;
}

RRM_INLINE double chain_sum(const double *x, ptrdiff_t k8)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (ptrdiff_t j = 0; j < (k8 & ~(ptrdiff_t)7); j++)
        sum += x[j];
    return sum;
}

/* x_j = exp(x_j − top), or 0 far below. */
RRM_INLINE void chain_exponentials(double *x, double top, ptrdiff_t k8)
{
#pragma omp simd
    for (ptrdiff_t j = 0; j < (k8 & ~(ptrdiff_t)7); j++) {
        double e = x[j] - top;
        double power = exp_simd(e > CHAIN_LEAST_EXPONENT ? e : CHAIN_LEAST_EXPONENT);
        x[j] = e > CHAIN_LEAST_EXPONENT ? power : 0;
    }
}

/* E_ij = exp(scale T_ij − top), k rows of k8 numbers, and its transpose; padding 0. Returns top. */
RRM_CLONES static double chain_transitions(const double *T, ptrdiff_t k, ptrdiff_t k8, double scale,
                                           double *E, double *transposed)
{
    double top = -INFINITY;
    for (ptrdiff_t q = 0; q < k * k; q++)
        top = scale * T[q] > top ? scale * T[q] : top;
    for (ptrdiff_t i = 0; i < k; i++) {
        for (ptrdiff_t j = 0; j < k8; j++)
            E[i * k8 + j] = j < k ? scale * T[i * k + j] : CHAIN_EXCLUDED;
        chain_exponentials(E + i * k8, top, k8);
    }
    for (ptrdiff_t i = 0; i < k; i++)
        for (ptrdiff_t j = 0; j < k8; j++)
            transposed[i * k8 + j] = j < k ? E[j * k8 + i] : 0;
    return top;
}

/* scale T as rows of k8 numbers, for the best labelling, and its transpose too where there is room for
 * it, for the recursions in logarithms. */
static void chain_padded(const double *T, ptrdiff_t k, ptrdiff_t k8, double scale, double *rows,
                         double *transposed)
{
    for (ptrdiff_t i = 0; i < k; i++)
        for (ptrdiff_t j = 0; j < k8; j++)
            rows[i * k8 + j] = j < k ? scale * T[i * k + j] : CHAIN_EXCLUDED;
    for (ptrdiff_t i = 0; transposed && i < k; i++)
        for (ptrdiff_t j = 0; j < k8; j++)
            transposed[i * k8 + j] = j < k ? scale * T[j * k + i] : CHAIN_EXCLUDED;
}

/* Transitions of one sequence. Those to position t ≥ 1 are k rows of k8 numbers at rows + t · step, and
 * their transpose; as weights, k × k numbers at weights + t · weights_step. Both steps are 0 where all
 * are the same. `top` is what was taken from all of them before the exponentials. */
typedef struct {
    const double *rows, *transposed, *weights;
    ptrdiff_t step, weights_step;
    double top;
    int logarithms;
} chain_pairs_t;

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

/* sums_ij += factor Σ_{t ≥ 1} α_{t−1,i} v_tj: four rows of up to 24 columns at a time in registers. */
RRM_INLINE void chain_outer_columns(ptrdiff_t length, ptrdiff_t k8, const double *alpha,
                                    const double *v, double factor, int rows, int columns,
                                    double *sums)
{
    chain8_t sum[4][3];
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            sum[r][c] = (chain8_t){0};
    for (ptrdiff_t t = 1; t < length; t++) {
        const double *a = alpha + (t - 1) * k8, *b = v + t * k8;
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < columns; c++)
                sum[r][c] += a[r] * *(const chain8_t *)(b + 8 * c);
    }
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            *(chain8_t *)(sums + r * k8 + 8 * c) += factor * sum[r][c];
}

RRM_CLONES static void chain_outer(ptrdiff_t length, ptrdiff_t k, ptrdiff_t k8, const double *alpha,
                                   const double *v, double factor, double *sums)
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
                        chain_outer_columns(length, k8, a + r, b + 8 * q, factor, 1, 1,
                                            s + r * k8 + 8 * q);
            else if (columns >= 3)
                chain_outer_columns(length, k8, a, b, factor, 4, 3, s);
            else if (columns == 2)
                chain_outer_columns(length, k8, a, b, factor, 4, 2, s);
            else
                chain_outer_columns(length, k8, a, b, factor, 4, 1, s);
        }
    }
}

/* tables_t,ij = factor α_{t−1,i} E_t,ij v_tj, k × k numbers for each t ≥ 1. */
RRM_CLONES static void chain_tables(ptrdiff_t length, ptrdiff_t k, ptrdiff_t k8, const double *alpha,
                                    const double *v, chain_pairs_t E, double factor, double *tables)
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
RRM_CLONES static void chain_mean(const double *p, const double *q, const double *M, const double *N,
                                  ptrdiff_t k, ptrdiff_t k8, double *mass, double *more,
                                  double *mean)
{
    chain_product(q, M, k, k8, mass);
    chain_product(p, M, k, k8, mean);
    chain_product(q, N, k, k8, more);
#pragma omp simd
    for (ptrdiff_t j = 0; j < (k8 & ~(ptrdiff_t)7); j++)
        mean[j] = mass[j] > 0 ? (mean[j] + more[j]) / mass[j] : 0;
}

/* The same in logarithms, for transitions of any range. alpha_t = log of the sum of all beginnings that end there. */
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

/* The best labelling of a sequence in `best`; returns its score. The rows of `T` are padded weights;
 * `work` has length · k8 numbers. The first of equal labels wins. */
RRM_CLONES static double chain_best(const double *nodes, const int32_t *labels, ptrdiff_t length,
                                    ptrdiff_t k, ptrdiff_t k8, chain_pairs_t T,
                                    chain_change_t change, double *work, int32_t *best)
{
    for (ptrdiff_t t = 0; t < length; t++) {
        double *a = work + t * k8, s[8];
        if (t == 0) {
            chain_row(nodes, k, k8, labels[0], change, a);
            continue;
        }
        for (ptrdiff_t c = 0; c < k8; c += 8) {
            for (int j = 0; j < 8; j++)
                s[j] = c + j >= k ? CHAIN_EXCLUDED
                       : (nodes[t * k + c + j] + (c + j == labels[t] ? 0 : change.add))
                             * change.scale;
            chain_largest(a - k8, T.rows + t * T.step + c, k, k8, a + c);
            for (int j = 0; j < 8; j++)
                a[c + j] += s[j];
        }
    }
    const double *a = work + (length - 1) * k8;
    ptrdiff_t at = 0;
    for (ptrdiff_t j = 1; j < k; j++)
        at = a[j] > a[at] ? j : at;
    double value = a[at];
    for (ptrdiff_t t = length - 1; t >= 0; t--) {
        best[t] = (int32_t)at;
        if (t == 0)
            break;
        const double *before = work + (t - 1) * k8, *to = T.rows + t * T.step + at;
        ptrdiff_t from = 0;
        for (ptrdiff_t i = 1; i < k; i++)
            from = before[i] + to[i * k8] > before[from] + to[from * k8] ? i : from;
        at = from;
    }
    return value;
}

#endif
