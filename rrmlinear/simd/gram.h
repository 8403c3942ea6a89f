/* Gram matrices of rows: sums of their outer products; and squares about means. */
#ifndef RRM_GRAM_H
#define RRM_GRAM_H

#include <stdint.h>
#include "rows.h"

/* Of four lines x of n numbers: the sums, those of the squares of distances to the means, and
 * Σ y_i (x_i − the mean of the first piece), in one way through memory. The squares are those of
 * distances to that mean first. What this adds to them, and takes off again, is at most
 * n / MOMENTS_PIECE times the rest: the first piece lies as far from the others. */
enum { MOMENTS_PIECE = 2048 };

#define MOMENTS(type)                                                                              \
    RRM_CLONES static void moments_##type(const type *const *lines, const double *restrict y,      \
                                          ptrdiff_t n, double *restrict sum,                       \
                                          double *restrict spread, double *restrict product)       \
    {                                                                                              \
        ptrdiff_t first = n < MOMENTS_PIECE ? n : MOMENTS_PIECE;                                   \
        double about[4], moved[4] = {0};                                                           \
        for (int k = 0; k < 4; k++) {                                                              \
            const type *x = lines[k];                                                              \
            double begun = 0;                                                                      \
            _Pragma("omp simd reduction(+ : begun)") for (ptrdiff_t i = 0; i < first; i++)         \
                begun += (double)x[i];                                                             \
            about[k] = begun / first, spread[k] = product[k] = 0;                                  \
        }                                                                                          \
        double m0 = about[0], m1 = about[1], m2 = about[2], m3 = about[3];                         \
        for (ptrdiff_t begin = 0; begin < n; begin += MOMENTS_PIECE) {                             \
            ptrdiff_t size = n - begin < MOMENTS_PIECE ? n - begin : MOMENTS_PIECE;                \
            const type *x0 = lines[0] + begin, *x1 = lines[1] + begin;                             \
            const type *x2 = lines[2] + begin, *x3 = lines[3] + begin;                             \
            const double *e = y + begin;                                                           \
            double s0 = 0, s1 = 0, s2 = 0, s3 = 0, q0 = 0, q1 = 0, q2 = 0, q3 = 0;                 \
            double p0 = 0, p1 = 0, p2 = 0, p3 = 0;                                                 \
            _Pragma("omp simd reduction(+ : s0, s1, s2, s3, q0, q1, q2, q3, p0, p1, p2, p3)")      \
            for (ptrdiff_t i = 0; i < size; i++)                                                   \
            {                                                                                      \
                double f0 = x0[i] - m0, f1 = x1[i] - m1, f2 = x2[i] - m2, f3 = x3[i] - m3;         \
                s0 += f0, q0 += f0 * f0, p0 += e[i] * f0;                                          \
                s1 += f1, q1 += f1 * f1, p1 += e[i] * f1;                                          \
                s2 += f2, q2 += f2 * f2, p2 += e[i] * f2;                                          \
                s3 += f3, q3 += f3 * f3, p3 += e[i] * f3;                                          \
            }                                                                                      \
            moved[0] += s0, moved[1] += s1, moved[2] += s2, moved[3] += s3;                        \
            spread[0] += q0, spread[1] += q1, spread[2] += q2, spread[3] += q3;                    \
            product[0] += p0, product[1] += p1, product[2] += p2, product[3] += p3;                \
        }                                                                                          \
        for (int k = 0; k < 4; k++) {                                                              \
            sum[k] = n * about[k] + moved[k];                                                      \
            double rest = spread[k] - moved[k] * moved[k] / n;                                     \
            spread[k] = rest < 0 ? 0 : rest; /* NaN stays */                                       \
        }                                                                                          \
    }

MOMENTS(float)
MOMENTS(double)

/* sum_j += Σ c_i (x_ij − m_j)² over rows of a dense matrix; of four rows at once `m` and `sum` are
 * read a single time. */
#define SPREADS_OF_DENSE(NAME, TYPE)                                                              \
    RRM_CLONES static void NAME##_spreads(const TYPE *x, ptrdiff_t rows, ptrdiff_t d,             \
                                          const double *c, const double *m, double *restrict sum) \
    {                                                                                             \
        ptrdiff_t i = 0;                                                                          \
        for (; i + 4 <= rows; i += 4) {                                                           \
            const TYPE *x0 = x + i * d, *x1 = x0 + d, *x2 = x1 + d, *x3 = x2 + d;                 \
            double c0 = c[i], c1 = c[i + 1], c2 = c[i + 2], c3 = c[i + 3];                        \
            _Pragma("omp simd") for (ptrdiff_t j = 0; j < d; j++)                                 \
            {                                                                                     \
                double y0 = x0[j] - m[j], y1 = x1[j] - m[j];                                      \
                double y2 = x2[j] - m[j], y3 = x3[j] - m[j];                                      \
                sum[j] += ((c0 * y0 * y0 + c1 * y1 * y1) + c2 * y2 * y2) + c3 * y3 * y3;          \
            }                                                                                     \
        }                                                                                         \
        for (; i < rows; i++) {                                                                   \
            _Pragma("omp simd") for (ptrdiff_t j = 0; j < d; j++)                                 \
            {                                                                                     \
                double y = x[i * d + j] - m[j];                                                   \
                sum[j] += c[i] * y * y;                                                           \
            }                                                                                     \
        }                                                                                         \
    }

SPREADS_OF_DENSE(dense_float, float)
SPREADS_OF_DENSE(dense_double, double)

/* Lines of the sum that a way through the row adds to: what it reads serves all of them. */
enum { LINES_AT_ONCE = 4 };

RRM_INLINE void row_outer_kind(const row_t *row, int kind, double h, double *sum, ptrdiff_t d)
{
    ptrdiff_t s = 0;
    for (; s < row->length % LINES_AT_ONCE; s++) {
        double scaled = h * row_value(row, kind, s);
        double *line = sum + row_index(row, kind, s) * d;
        for (ptrdiff_t t = 0; t <= s; t++)
            line[row_index(row, kind, t)] += scaled * row_value(row, kind, t);
    }
    for (; s < row->length; s += LINES_AT_ONCE) {
        double scaled[LINES_AT_ONCE], *line[LINES_AT_ONCE];
#pragma GCC unroll 4
        for (int r = 0; r < LINES_AT_ONCE; r++) {
            scaled[r] = h * row_value(row, kind, s + r);
            line[r] = sum + row_index(row, kind, s + r) * d;
        }
        for (ptrdiff_t t = 0; t < s; t++) {
            ptrdiff_t j = row_index(row, kind, t);
            double x = row_value(row, kind, t);
#pragma GCC unroll 4
            for (int r = 0; r < LINES_AT_ONCE; r++)
                line[r][j] += scaled[r] * x;
        }
#pragma GCC unroll 4
        for (int t = 0; t < LINES_AT_ONCE; t++) {
            ptrdiff_t j = row_index(row, kind, s + t);
            double x = row_value(row, kind, s + t);
#pragma GCC unroll 4
            for (int r = t; r < LINES_AT_ONCE; r++)
                line[r][j] += scaled[r] * x;
        }
    }
    if (row->bias != 0) {
        double scaled = h * row->bias, *line = sum + row->bias_index * d;
        for (ptrdiff_t t = 0; t < row->length; t++)
            line[row_index(row, kind, t)] += scaled * row_value(row, kind, t);
        line[row->bias_index] += scaled * row->bias;
    }
}

/* sum += h x x', d × d, in the lower triangle alone. The row's indices must increase. */
static inline void row_outer(const row_t *row, double h, double *sum, ptrdiff_t d)
{
#define CALL(kind) row_outer_kind(row, kind, h, sum, d)
    ROW_SWITCH(row, CALL)
#undef CALL
}

RRM_INLINE void row_squares_kind(const row_t *row, int kind, double h, double *sum)
{
    for (ptrdiff_t t = 0; t < row->length; t++) {
        double x = row_value(row, kind, t);
        sum[row_index(row, kind, t)] += h * x * x;
    }
    if (row->bias != 0)
        sum[row->bias_index] += h * row->bias * row->bias;
}

/* The diagonal alone, d numbers. */
static inline void row_squares(const row_t *row, double h, double *sum)
{
#define CALL(kind) row_squares_kind(row, kind, h, sum)
    ROW_SWITCH(row, CALL)
#undef CALL
}

#endif
