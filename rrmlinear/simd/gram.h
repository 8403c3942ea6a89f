/* Gram matrices of rows: sums of their outer products. */
#ifndef RRM_GRAM_H
#define RRM_GRAM_H

#include "rows.h"

RRM_INLINE void row_outer_kind(const row_t *row, int kind, double h, double *sum, ptrdiff_t d)
{
    for (ptrdiff_t s = 0; s < row->length; s++) {
        double scaled = h * row_value(row, kind, s);
        double *line = sum + row_index(row, kind, s) * d;
        for (ptrdiff_t t = 0; t <= s; t++)
            line[row_index(row, kind, t)] += scaled * row_value(row, kind, t);
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

#endif
