/* Products of one row: x'v, x'soft(v), w += step x, ‖x‖². */
#ifndef RRM_ROW_PRODUCTS_H
#define RRM_ROW_PRODUCTS_H

#include <math.h>
#include <stddef.h>

#include "rows.h"

/* Dense rows of at least this length are squared by several sums at once. */
enum { LONG_SQUARE = 128 };

typedef double vec2 __attribute__((vector_size(16), aligned(8), may_alias));

/* sign(v) max(0, |v| − threshold), without a branch. */
RRM_INLINE double soft(double v, double threshold)
{
    double inside = v > threshold ? threshold : v;
    return v - (inside < -threshold ? -threshold : inside);
}

/* x'soft(v, threshold), v += step x and ‖x‖² of a dense row of n values, from row_products.c. */
double dense_dot_double(const void *values, const double *v, ptrdiff_t n, double threshold);
double dense_dot_float(const void *values, const double *v, ptrdiff_t n, double threshold);
void dense_axpy_double(const void *values, double step, double *v, ptrdiff_t n);
void dense_axpy_float(const void *values, double step, double *v, ptrdiff_t n);
double dense_square_double(const void *values, ptrdiff_t n);
double dense_square_float(const void *values, ptrdiff_t n);

/* ‖x‖², the appended column included. Sums of short rows keep the order of their values. */
RRM_INLINE double row_squared_norm_kind(const row_t *row, int kind)
{
    double total = 0;
    if ((kind & ROW_DENSE) && row->length >= LONG_SQUARE) {
        total = kind & ROW_FLOAT32 ? dense_square_float(row->values, row->length)
                                   : dense_square_double(row->values, row->length);
        return total + row->bias * row->bias;
    }
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

/* Whether the indices of a row increase and lie in 0 … d - 1. */
RRM_INLINE int row_is_rising(const row_t *row, int kind, ptrdiff_t d)
{
    if ((kind & ROW_DENSE) || row->length == 0)
        return 1;
    int falls = row_index(row, kind, 0) < 0 || row_index(row, kind, row->length - 1) >= d;
    for (ptrdiff_t t = 1; t < row->length; t++)
        falls |= row_index(row, kind, t) <= row_index(row, kind, t - 1);
    return !falls;
}

RRM_INLINE ptrdiff_t rows_plain_kind(const rows_t *rows, int kind, ptrdiff_t begin, double *longest)
{
    ptrdiff_t i = begin;
    double most = *longest;
    for (; i < rows->n_rows; i++) {
        row_t row = rows_get(rows, i);
        row.bias = 0;
        double square = row_squared_norm_kind(&row, kind);
        if (!(square < INFINITY && row_is_rising(&row, kind, rows->n_features)))
            break;
        most = square > most ? square : most;
    }
    *longest = most;
    return i;
}

/* The first row from `begin` on whose ‖x‖² is not finite, or whose indices do not increase within
 * 0 … d - 1; `longest` rises to the largest ‖x‖² before it, without the appended column. */
RRM_CLONES static ptrdiff_t rows_plain(const rows_t *rows, ptrdiff_t begin, double *longest)
{
    ptrdiff_t end = begin;
#define CALL(kind) end = rows_plain_kind(rows, kind, begin, longest)
    ROW_SWITCH(rows, CALL)
#undef CALL
    return end;
}

/* soft(v_j, threshold) of the feature j that value t of a row belongs to. */
RRM_INLINE double row_entry(const row_t *row, int kind, const double *v, double threshold,
                            ptrdiff_t t)
{
    double w = v[row_index(row, kind, t)];
    return threshold == 0 ? w : soft(w, threshold);
}

/* The products of values t and t + 1 with their entries. */
RRM_INLINE vec2 row_terms(const row_t *row, int kind, const double *v, double threshold,
                          ptrdiff_t t)
{
    return (vec2){row_value(row, kind, t), row_value(row, kind, t + 1)}
           * (vec2){row_entry(row, kind, v, threshold, t),
                    row_entry(row, kind, v, threshold, t + 1)};
}

/* x'soft(v, threshold), the appended column included; x'v for a constant threshold of 0. Four sums
 * hide the latency of additions; gcc keeps an array of four in memory, and two vectors in registers. */
RRM_INLINE double row_dot_kind(const row_t *row, int kind, const double *v, double threshold)
{
    vec2 low = {0, 0}, high = {0, 0};
    ptrdiff_t t = 0;
    if (kind & ROW_DENSE) {
        low[0] = kind & ROW_FLOAT32 ? dense_dot_float(row->values, v, row->length, threshold)
                                    : dense_dot_double(row->values, v, row->length, threshold);
        t = row->length;
    }
    for (; t + 4 <= row->length; t += 4) {
        low += row_terms(row, kind, v, threshold, t);
        high += row_terms(row, kind, v, threshold, t + 2);
    }
    double first = low[0], second = low[1];
    for (; t < row->length; t++)
        first += row_value(row, kind, t) * row_entry(row, kind, v, threshold, t);
    if (row->bias != 0)
        second += row->bias * soft(v[row->bias_index], threshold);
    return (first + second) + (high[0] + high[1]);
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

/* Four indices at a time are read before the entries are written. */
RRM_INLINE void sparse_axpy(const row_t *row, int kind, double step, double *w)
{
    ptrdiff_t t = 0;
    for (; t + 4 <= row->length; t += 4) {
        ptrdiff_t j0 = row_index(row, kind, t), j1 = row_index(row, kind, t + 1);
        ptrdiff_t j2 = row_index(row, kind, t + 2), j3 = row_index(row, kind, t + 3);
        w[j0] += step * row_value(row, kind, t);
        w[j1] += step * row_value(row, kind, t + 1);
        w[j2] += step * row_value(row, kind, t + 2);
        w[j3] += step * row_value(row, kind, t + 3);
    }
    for (; t < row->length; t++)
        w[row_index(row, kind, t)] += step * row_value(row, kind, t);
}

RRM_INLINE void row_axpy_kind(const row_t *row, int kind, double step, double *w)
{
    if (kind == (ROW_DENSE | ROW_FLOAT32))
        dense_axpy_float(row->values, step, w, row->length);
    else if (kind & ROW_DENSE)
        dense_axpy_double(row->values, step, w, row->length);
    else
        sparse_axpy(row, kind, step, w);
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
