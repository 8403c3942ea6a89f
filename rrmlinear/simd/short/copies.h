/* Dense rows with 16 bits a value. x_ij is about centre_j + lengths_j · units_i · q_ij, q_ij whole. */
#ifndef RRM_SHORT_COPIES_H
#define RRM_SHORT_COPIES_H

#include <math.h>
#include <string.h>
#include "rows.h"

/* Rows are as long as a whole number of cache lines. Numbers below LEAST_SHORT count as 0. */
enum { SHORTS_A_LINE = 32, LARGEST_SHORT = 32767 };
#define LEAST_SHORT 1e-30f

/* The numbers of one row whose largest size is `largest`, with zeros behind them, and its unit. */
#define FILL(NAME, TYPE)                                                                          \
    RRM_INLINE void NAME(const TYPE *restrict x, float largest, ptrdiff_t d, ptrdiff_t stride,    \
                         int16_t *restrict q, float *unit)                                        \
    {                                                                                             \
        float scale = largest > LEAST_SHORT ? LARGEST_SHORT / largest : 0;                        \
        *unit = largest / LARGEST_SHORT;                                                          \
        _Pragma("omp simd") for (ptrdiff_t j = 0; j < d; j++)                                     \
        {                                                                                         \
            float value = (float)x[j] * scale;                                                    \
            q[j] = (int16_t)(int32_t)(value + (value < 0 ? -0.5f : 0.5f));                        \
        }                                                                                         \
        memset(q + d, 0, (size_t)(stride - d) * sizeof(int16_t));                                 \
    }

FILL(fill_float, float)
FILL(fill_double, double)
#undef FILL

/* The copy of some rows of d values, `stride` apart, by the inverse lengths of columns; `row` has
 * room for one row. Returns whether all numbers are in the range of float32. */
#define SHORTEN(NAME, TYPE)                                                                       \
    RRM_CLONES static int NAME(const TYPE *restrict x, ptrdiff_t rows, ptrdiff_t d,               \
                               ptrdiff_t stride, const TYPE *restrict centre,                     \
                               const TYPE *restrict inverse, float *restrict row,                 \
                               int16_t *restrict q, float *restrict units)                        \
    {                                                                                             \
        float most = 0;                                                                           \
        for (ptrdiff_t i = 0; i < rows; i++, x += d, q += stride) {                               \
            float largest = 0;                                                                    \
            _Pragma("omp simd reduction(max : largest)") for (ptrdiff_t j = 0; j < d; j++)        \
            {                                                                                     \
                float value = (float)((x[j] - centre[j]) * inverse[j]), size = fabsf(value);      \
                row[j] = value;                                                                   \
                largest = size > largest ? size : largest;                                        \
            }                                                                                     \
            most = largest > most ? largest : most;                                               \
            fill_float(row, largest, d, stride, q, &units[i]);                                    \
        }                                                                                         \
        return isfinite(most);                                                                    \
    }

SHORTEN(shorten_float, float)
SHORTEN(shorten_double, double)

/* The copy of one row without a centre, whose columns have lengths of 1, and its unit. */
#define SHORTEN_ROW(NAME, TYPE)                                                                   \
    RRM_CLONES static int NAME##_row(const TYPE *restrict x, ptrdiff_t d, ptrdiff_t stride,       \
                                     int16_t *restrict q, float *unit)                            \
    {                                                                                             \
        TYPE most = 0;                                                                            \
        _Pragma("omp simd reduction(max : most)") for (ptrdiff_t j = 0; j < d; j++)               \
        {                                                                                         \
            TYPE size = x[j] < 0 ? -x[j] : x[j];                                                  \
            most = size > most ? size : most;                                                     \
        }                                                                                         \
        fill_##TYPE(x, (float)most, d, stride, q, unit);                                          \
        return isfinite((float)most);                                                             \
    }

SHORTEN_ROW(shorten_float, float)
SHORTEN_ROW(shorten_double, double)

/* out_i = units_i Σ_j q_ij w_j. */
RRM_CLONES static void short_times(const int16_t *restrict q, const float *restrict units,
                                   ptrdiff_t rows, ptrdiff_t stride, const float *restrict w,
                                   double *restrict out)
{
    ptrdiff_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        const int16_t *q0 = q + i * stride, *q1 = q0 + stride, *q2 = q1 + stride, *q3 = q2 + stride;
        float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
        for (ptrdiff_t j = 0; j < stride; j++) {
            s0 += (float)q0[j] * w[j];
            s1 += (float)q1[j] * w[j];
            s2 += (float)q2[j] * w[j];
            s3 += (float)q3[j] * w[j];
        }
        out[i] = units[i] * s0;
        out[i + 1] = units[i + 1] * s1;
        out[i + 2] = units[i + 2] * s2;
        out[i + 3] = units[i + 3] * s3;
    }
    for (; i < rows; i++) {
        float s = 0;
#pragma omp simd reduction(+ : s)
        for (ptrdiff_t j = 0; j < stride; j++)
            s += (float)q[i * stride + j] * w[j];
        out[i] = units[i] * s;
    }
}

/* sum_j += Σ_i a_i units_i q_ij. The `ahead` rows behind these are fetched meanwhile: they are read
 * next, and these rows come from a cache. */
RRM_CLONES static void short_add(const int16_t *restrict q, const float *restrict units,
                                 ptrdiff_t rows, ptrdiff_t stride, const double *restrict a,
                                 ptrdiff_t ahead, float *restrict sum)
{
    const void *next = q + rows * stride, *end = q + (rows + ahead) * stride;
    ptrdiff_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        const int16_t *q0 = q + i * stride, *q1 = q0 + stride, *q2 = q1 + stride, *q3 = q2 + stride;
        float a0 = (float)a[i] * units[i], a1 = (float)a[i + 1] * units[i + 1];
        float a2 = (float)a[i + 2] * units[i + 2], a3 = (float)a[i + 3] * units[i + 3];
        next = fetch_lines(next, 4 * stride * (ptrdiff_t)sizeof *q, end);
#pragma omp simd
        for (ptrdiff_t j = 0; j < stride; j++)
            sum[j] = (((sum[j] + a0 * q0[j]) + a1 * q1[j]) + a2 * q2[j]) + a3 * q3[j];
    }
    for (; i < rows; i++) {
        float a0 = (float)a[i] * units[i];
#pragma omp simd
        for (ptrdiff_t j = 0; j < stride; j++)
            sum[j] += a0 * q[i * stride + j];
    }
}

/* The same with other_j += Σ_i h_i units_i q_ij. */
RRM_CLONES static void short_add_two(const int16_t *restrict q, const float *restrict units,
                                     ptrdiff_t rows, ptrdiff_t stride, const double *restrict a,
                                     const double *restrict h, ptrdiff_t ahead,
                                     float *restrict sum, float *restrict other)
{
    const void *next = q + rows * stride, *end = q + (rows + ahead) * stride;
    ptrdiff_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        const int16_t *q0 = q + i * stride, *q1 = q0 + stride, *q2 = q1 + stride, *q3 = q2 + stride;
        float a0 = (float)a[i] * units[i], a1 = (float)a[i + 1] * units[i + 1];
        float a2 = (float)a[i + 2] * units[i + 2], a3 = (float)a[i + 3] * units[i + 3];
        float h0 = (float)h[i] * units[i], h1 = (float)h[i + 1] * units[i + 1];
        float h2 = (float)h[i + 2] * units[i + 2], h3 = (float)h[i + 3] * units[i + 3];
        next = fetch_lines(next, 4 * stride * (ptrdiff_t)sizeof *q, end);
#pragma omp simd
        for (ptrdiff_t j = 0; j < stride; j++) {
            float x0 = q0[j], x1 = q1[j], x2 = q2[j], x3 = q3[j];
            sum[j] = (((sum[j] + a0 * x0) + a1 * x1) + a2 * x2) + a3 * x3;
            other[j] = (((other[j] + h0 * x0) + h1 * x1) + h2 * x2) + h3 * x3;
        }
    }
    for (; i < rows; i++) {
        float a0 = (float)a[i] * units[i], h0 = (float)h[i] * units[i];
#pragma omp simd
        for (ptrdiff_t j = 0; j < stride; j++) {
            sum[j] += a0 * q[i * stride + j];
            other[j] += h0 * q[i * stride + j];
        }
    }
}

#endif
