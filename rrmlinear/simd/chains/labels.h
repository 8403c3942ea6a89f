/* Loops over the k labels of one position, and the transitions between two positions.
 *
 * Rows of matrices and of scratch memory have k8 numbers: k rounded up to a multiple of 8, so that loops
 * of 8 leave no remainder. The padding of a matrix and of weights of labels is 0. Node scores and
 * marginals have k numbers a position, one position after the other. */
#ifndef RRM_CHAIN_LABELS_H
#define RRM_CHAIN_LABELS_H

#include <math.h>
#include "elementary.h"

#define CHAIN_LEAST_EXPONENT (-700.0)
#define CHAIN_EXCLUDED (-1e300) /* a score of the padding */

/* out = Σ_i a_i M_i over columns of k rows, held in registers. */
#define DEFINE_CHAIN_COLUMNS(vec, width)                                                        \
    RRM_INLINE void columns_of_##vec(const double *a, const double *M, ptrdiff_t k,             \
                                     ptrdiff_t k8, int columns, double *out)                    \
    {                                                                                           \
        vec even[4], odd[4];                                                                    \
        ptrdiff_t i = 0;                                                                        \
        for (int c = 0; c < columns; c++)                                                       \
            even[c] = odd[c] = (vec){0};                                                        \
        for (; i + 2 <= k; i += 2)                                                              \
            for (int c = 0; c < columns; c++) {                                                 \
                even[c] += a[i] * *(const vec *)(M + i * k8 + width * c);                       \
                odd[c] += a[i + 1] * *(const vec *)(M + (i + 1) * k8 + width * c);              \
            }                                                                                   \
        for (; i < k; i++)                                                                      \
            for (int c = 0; c < columns; c++)                                                   \
                even[c] += a[i] * *(const vec *)(M + i * k8 + width * c);                       \
        for (int c = 0; c < columns; c++)                                                       \
            *(vec *)(out + width * c) = even[c] + odd[c];                                       \
    }
DEFINE_CHAIN_COLUMNS(vec4, 4)
DEFINE_CHAIN_COLUMNS(vec8, 8)
#undef DEFINE_CHAIN_COLUMNS

RRM_BY_8 static void chain_product_by_8(const double *a, const double *M, ptrdiff_t k, ptrdiff_t k8,
                                   double *out)
{
    ptrdiff_t c = 0;
    for (; c + 32 <= k8; c += 32)
        columns_of_vec8(a, M + c, k, k8, 4, out + c);
    switch ((k8 - c) / 8) {
    case 1: columns_of_vec8(a, M + c, k, k8, 1, out + c); break;
    case 2: columns_of_vec8(a, M + c, k, k8, 2, out + c); break;
    case 3: columns_of_vec8(a, M + c, k, k8, 3, out + c); break;
    }
}

RRM_BY_4 static void chain_product_by_4(const double *a, const double *M, ptrdiff_t k, ptrdiff_t k8,
                                   double *out)
{
    ptrdiff_t c = 0;
    for (; c + 16 <= k8; c += 16)
        columns_of_vec4(a, M + c, k, k8, 4, out + c);
    if (c < k8)
        columns_of_vec4(a, M + c, k, k8, 2, out + c);
}

/* out = a'M. */
static inline void chain_product(const double *a, const double *M, ptrdiff_t k, ptrdiff_t k8,
                                 double *out)
{
    (vector_width() == VEC8 ? chain_product_by_8 : chain_product_by_4)(a, M, k, k8, out);
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

#endif
