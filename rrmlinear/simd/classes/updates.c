/* The updates of blocks.h. */
#include "../blocks.h"
#include "vectors.h"

RRM_INLINE void update_feature(double *restrict w, double x, const int64_t *restrict places,
                               const double *restrict steps, ptrdiff_t n)
{
    for (ptrdiff_t c = 0; c < n; c++)
        w[places[c]] += x * steps[c];
}

RRM_INLINE void update_some_kind(const row_t *row, int kind, double *W, ptrdiff_t stride,
                                 const int64_t *places, const double *steps, ptrdiff_t n)
{
    for (ptrdiff_t t = 0; t < row->length; t++)
        update_feature(W + row_index(row, kind, t) * stride, row_value(row, kind, t), places,
                       steps, n);
    if (row->bias != 0)
        update_feature(W + row->bias_index * stride, row->bias, places, steps, n);
}

/* W[t · stride + places] += x_t steps: some classes alone. */
void block_update_some(const row_t *row, double *W, ptrdiff_t stride,
                              const int64_t *places, const double *steps, ptrdiff_t n)
{
#define CALL(kind) update_some_kind(row, kind, W, stride, places, steps, n)
    ROW_SWITCH(row, CALL)
#undef CALL
}

/* The last vector is loaded before the one that it may overlap is stored. */
#define DEFINE_UPDATE(vec, width)                                                                \
    RRM_INLINE void update_##vec(double *w, double x, const double *steps, ptrdiff_t stride,     \
                                 ptrdiff_t columns)                                              \
    {                                                                                            \
        const ptrdiff_t begin = stride - width;                                                  \
        vec last = *(const vec *)(w + begin) + x * *(const vec *)(steps + begin);                \
        for (ptrdiff_t c = 0; c + 1 < columns; c++)                                              \
            ((vec *)w)[c] += x * ((const vec *)steps)[c];                                        \
        *(vec *)(w + begin) = last;                                                              \
    }                                                                                            \
    RRM_INLINE void update_all_##vec(const row_t *row, int kind, double *W, ptrdiff_t stride,    \
                                     const double *steps, ptrdiff_t columns)                     \
    {                                                                                            \
        for (ptrdiff_t t = 0; t < row->length; t++)                                              \
            update_##vec(W + row_index(row, kind, t) * stride, row_value(row, kind, t), steps,   \
                         stride, columns);                                                       \
        if (row->bias != 0)                                                                      \
            update_##vec(W + row->bias_index * stride, row->bias, steps, stride, columns);       \
    }
DEFINE_UPDATE(vec2, 2)
DEFINE_UPDATE(vec4, 4)
DEFINE_UPDATE(vec8, 8)
#undef DEFINE_UPDATE

RRM_INLINE void update_plain(const row_t *row, int kind, double *W, ptrdiff_t stride,
                             const double *steps)
{
    for (ptrdiff_t t = 0; t < row->length + (row->bias != 0); t++) {
        int stored = t < row->length;
        const double x = stored ? row_value(row, kind, t) : row->bias;
        double *w = W + (stored ? row_index(row, kind, t) : row->bias_index) * stride;
#pragma omp simd
        for (ptrdiff_t j = 0; j < stride; j++)
            w[j] += x * steps[j];
    }
}

RRM_INLINE void update_kind(const row_t *row, int kind, double *W, ptrdiff_t stride,
                            const double *steps, int vec)
{
    if (stride == 2)
        update_all_vec2(row, kind, W, 2, steps, 1);
    else if (stride == 3)
        update_all_vec2(row, kind, W, 3, steps, 2);
    else if (stride == 4)
        update_all_vec4(row, kind, W, 4, steps, 1);
    else if (stride < 8)
        update_all_vec4(row, kind, W, stride, steps, 2);
    else if (vec == PLAIN)
        update_plain(row, kind, W, stride, steps);
    else if (vec == VEC8)
        switch ((stride + 7) / 8) {
        case 1: update_all_vec8(row, kind, W, 8, steps, 1); break;
        case 2: update_all_vec8(row, kind, W, stride, steps, 2); break;
        case 4: update_all_vec8(row, kind, W, stride, steps, 4); break;
        default: update_all_vec8(row, kind, W, stride, steps, (stride + 7) / 8);
        }
    else
        switch ((stride + 3) / 4) {
        case 2: update_all_vec4(row, kind, W, 8, steps, 2); break;
        case 3: update_all_vec4(row, kind, W, stride, steps, 3); break;
        case 4: update_all_vec4(row, kind, W, stride, steps, 4); break;
        default: update_all_vec4(row, kind, W, stride, steps, (stride + 3) / 4);
        }
}

/* W[t, :] += x_t steps, for W or a panel of it. */
#define UPDATE_ARGUMENTS const row_t *row, double *W, ptrdiff_t stride, const double *steps
#define CALL(kind) update_kind(row, kind, W, stride, steps, VEC8)
RRM_BY_8 static void block_update_by_8(UPDATE_ARGUMENTS)
{
    ROW_SWITCH(row, CALL)
}
#undef CALL

#define CALL(kind) update_kind(row, kind, W, stride, steps, VEC4)
RRM_BY_4_ALONE static void block_update_by_4(UPDATE_ARGUMENTS)
{
    ROW_SWITCH(row, CALL)
}
#undef CALL

#define CALL(kind) update_kind(row, kind, W, stride, steps, PLAIN)
static void block_update_plain(UPDATE_ARGUMENTS)
{
    ROW_SWITCH(row, CALL)
}
#undef CALL

void block_update(UPDATE_ARGUMENTS)
{
    switch (vector_width()) {
    case VEC8: block_update_by_8(row, W, stride, steps); break;
    case VEC4: block_update_by_4(row, W, stride, steps); break;
    default: block_update_plain(row, W, stride, steps); break;
    }
}
#undef UPDATE_ARGUMENTS
