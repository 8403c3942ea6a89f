/* Products of one row: x'v, x'soft(v), w += step x, ‖x‖². */
#ifndef RRM_ROW_PRODUCTS_H
#define RRM_ROW_PRODUCTS_H

#include <stddef.h>

#include "rows.h"

RRM_INLINE double row_squared_norm_kind(const row_t *row, int kind)
{
    double total = 0;
    for (ptrdiff_t t = 0; t < row->length; t++) {
        double x = row_value(row, kind, t);
        total += x * x;
    }
    return total + row->bias * row->bias;
}

static inline double row_squared_norm(const row_t *row)
{
    double total = 0;
#define CALL(kind) total = row_squared_norm_kind(row, kind)
    ROW_SWITCH(row, CALL)
#undef CALL
    return total;
}

/* sign(v) max(0, |v| − threshold), without a branch. */
RRM_INLINE double soft(double v, double threshold)
{
    double inside = v > threshold ? threshold : v;
    return v - (inside < -threshold ? -threshold : inside);
}

/* Loops over dense rows for each type of value: long enough for RRM_CLONES to pay. */
#define DENSE_LOOPS(type)                                                                       \
    RRM_CLONES static double dense_dot_##type(const void *values, const double *v, ptrdiff_t n, \
                                              double threshold)                                 \
    {                                                                                           \
        const type *x = (const type *)values;                                                   \
        double total = 0;                                                                       \
        if (threshold == 0) {                                                                   \
            _Pragma("omp simd reduction(+ : total)") for (ptrdiff_t j = 0; j < n; j++)          \
                total += (double)x[j] * v[j];                                                   \
        } else {                                                                                \
            _Pragma("omp simd reduction(+ : total)") for (ptrdiff_t j = 0; j < n; j++)          \
                total += (double)x[j] * soft(v[j], threshold);                                  \
        }                                                                                       \
        return total;                                                                           \
    }                                                                                           \
    RRM_CLONES static void dense_axpy_##type(const void *values, double step, double *v,        \
                                             ptrdiff_t n)                                       \
    {                                                                                           \
        const type *x = (const type *)values;                                                   \
        _Pragma("omp simd") for (ptrdiff_t j = 0; j < n; j++)                                   \
            v[j] += step * (double)x[j];                                                        \
    }

DENSE_LOOPS(double)
DENSE_LOOPS(float)

/* x'soft(v, threshold), the appended column included; x'v for a constant threshold of 0. Four sums
 * hide the latency of additions. */
RRM_INLINE double row_dot_kind(const row_t *row, int kind, const double *v, double threshold)
{
    double sum[4] = {0};
    ptrdiff_t t = 0;
    if (kind & ROW_DENSE) {
        sum[0] = kind & ROW_FLOAT32 ? dense_dot_float(row->values, v, row->length, threshold)
                                    : dense_dot_double(row->values, v, row->length, threshold);
        t = row->length;
    }
    for (; t + 4 <= row->length; t += 4)
        for (int r = 0; r < 4; r++) {
            double w = v[row_index(row, kind, t + r)];
            sum[r] += row_value(row, kind, t + r) * (threshold == 0 ? w : soft(w, threshold));
        }
    for (; t < row->length; t++) {
        double w = v[row_index(row, kind, t)];
        sum[0] += row_value(row, kind, t) * (threshold == 0 ? w : soft(w, threshold));
    }
    if (row->bias != 0)
        sum[1] += row->bias * soft(v[row->bias_index], threshold);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* x'v; v has room for the appended column. */
static inline double row_dot(const row_t *row, const double *v)
{
    double total = 0;
#define CALL(kind) total = row_dot_kind(row, kind, v, 0)
    ROW_SWITCH(row, CALL)
#undef CALL
    return total;
}

/* x'w where w_j = sign(v_j) max(0, |v_j| − threshold), threshold > 0. */
static inline double thresholded_dot(const row_t *row, const double *v, double threshold)
{
    double total = 0;
#define CALL(kind) total = row_dot_kind(row, kind, v, threshold)
    ROW_SWITCH(row, CALL)
#undef CALL
    return total;
}

RRM_INLINE void row_axpy_kind(const row_t *row, int kind, double step, double *w)
{
    if (kind == (ROW_DENSE | ROW_FLOAT32))
        dense_axpy_float(row->values, step, w, row->length);
    else if (kind & ROW_DENSE)
        dense_axpy_double(row->values, step, w, row->length);
    else
        for (ptrdiff_t t = 0; t < row->length; t++)
            w[row_index(row, kind, t)] += step * row_value(row, kind, t);
    if (row->bias != 0)
        w[row->bias_index] += step * row->bias;
}

/* w += step x. */
static inline void row_axpy(const row_t *row, double step, double *w)
{
#define CALL(kind) row_axpy_kind(row, kind, step, w)
    ROW_SWITCH(row, CALL)
#undef CALL
}

#endif
