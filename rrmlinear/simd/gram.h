/* Gram matrices of rows: sums of their outer products. */
#ifndef RRM_GRAM_H
#define RRM_GRAM_H

#include "rows.h"

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

/* The same of the diagonal alone, d numbers. */
static inline void row_squares(const row_t *row, double h, double *sum)
{
#define CALL(kind) row_squares_kind(row, kind, h, sum)
    ROW_SWITCH(row, CALL)
#undef CALL
}

#endif
