/* Loops over a small matrix by its columns, d × n: a feature's values of all examples in a row. A
 * piece of all columns stays in the caches; four of them share what is read of the examples. */
#ifndef RRM_FEATURE_COLUMNS_H
#define RRM_FEATURE_COLUMNS_H

#include <math.h>
#include "columns.h"

enum { EXAMPLES_PER_PIECE = 512, FEATURES_AT_ONCE = 4 };

/* out = X'w */
RRM_CLONES static void features_times(const double *X, ptrdiff_t d, ptrdiff_t n, const double *w,
                                      double *restrict out)
{
    for (ptrdiff_t begin = 0; begin < n; begin += EXAMPLES_PER_PIECE) {
        ptrdiff_t size = n - begin < EXAMPLES_PER_PIECE ? n - begin : EXAMPLES_PER_PIECE, j = 0;
        double *restrict s = out + begin;
        for (ptrdiff_t i = 0; i < size; i++)
            s[i] = 0;
        for (; j + FEATURES_AT_ONCE <= d; j += FEATURES_AT_ONCE) {
            const double *x0 = X + j * n + begin, *x1 = x0 + n, *x2 = x1 + n, *x3 = x2 + n;
            double w0 = w[j], w1 = w[j + 1], w2 = w[j + 2], w3 = w[j + 3];
#pragma omp simd
            for (ptrdiff_t i = 0; i < size; i++)
                s[i] += (w0 * x0[i] + w1 * x1[i]) + (w2 * x2[i] + w3 * x3[i]);
        }
        for (; j < d; j++)
            vector_axpy(s, w[j], X + j * n + begin, size);
    }
}

/* The sums of t times the features from x on, `count` of them, at most FEATURES_AT_ONCE. */
RRM_INLINE void features_dots(const double *t, const double *x, ptrdiff_t n, ptrdiff_t size,
                              ptrdiff_t count, double *sum)
{
    if (count < FEATURES_AT_ONCE) {
        for (ptrdiff_t j = 0; j < count; j++)
            sum[j] += vector_dot(t, x + j * n, size);
        return;
    }
    const double *x1 = x + n, *x2 = x1 + n, *x3 = x2 + n;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
    for (ptrdiff_t i = 0; i < size; i++) {
        s0 += t[i] * x[i];
        s1 += t[i] * x1[i];
        s2 += t[i] * x2[i];
        s3 += t[i] * x3[i];
    }
    sum[0] += s0, sum[1] += s1, sum[2] += s2, sum[3] += s3;
}

/* out += Σ c_i a_i x_i */
RRM_CLONES static void features_add(const double *X, ptrdiff_t d, ptrdiff_t n, const double *c,
                                    const double *a, double *out)
{
    double t[EXAMPLES_PER_PIECE];
    for (ptrdiff_t begin = 0; begin < n; begin += EXAMPLES_PER_PIECE) {
        ptrdiff_t size = n - begin < EXAMPLES_PER_PIECE ? n - begin : EXAMPLES_PER_PIECE;
        for (ptrdiff_t i = 0; i < size; i++)
            t[i] = c[begin + i] * a[begin + i];
        for (ptrdiff_t j = 0; j < d; j += FEATURES_AT_ONCE) {
            ptrdiff_t count = d - j < FEATURES_AT_ONCE ? d - j : FEATURES_AT_ONCE;
            features_dots(t, X + j * n + begin, n, size, count, out + j);
        }
    }
}

/* The lower triangle of out += Σ h_i x_i x_i', d × d. */
RRM_CLONES static void features_gram(const double *X, ptrdiff_t d, ptrdiff_t n, const double *h,
                                     double *out)
{
    double t[EXAMPLES_PER_PIECE];
    for (ptrdiff_t begin = 0; begin < n; begin += EXAMPLES_PER_PIECE) {
        ptrdiff_t size = n - begin < EXAMPLES_PER_PIECE ? n - begin : EXAMPLES_PER_PIECE;
        for (ptrdiff_t j = 0; j < d; j++) {
            const double *x = X + j * n + begin;
            for (ptrdiff_t i = 0; i < size; i++)
                t[i] = h[begin + i] * x[i];
            for (ptrdiff_t k = 0; k <= j; k += FEATURES_AT_ONCE) {
                ptrdiff_t count = j + 1 - k < FEATURES_AT_ONCE ? j + 1 - k : FEATURES_AT_ONCE;
                features_dots(t, X + k * n + begin, n, size, count, out + j * d + k);
            }
        }
    }
}

/* The lower triangle L of L L' in the place of that of a matrix, d × d; 0 where a pivot is not
 * above 0. */
RRM_CLONES static int factorized(double *A, ptrdiff_t d)
{
    for (ptrdiff_t i = 0; i < d; i++) {
        double *line = A + i * d;
        for (ptrdiff_t j = 0; j < i; j++)
            line[j] = (line[j] - vector_dot(line, A + j * d, j)) / A[j * d + j];
        double pivot = line[i] - vector_dot(line, line, i);
        if (!(pivot > 0))
            return 0;
        line[i] = sqrt(pivot);
    }
    return 1;
}

#endif
