/* The scores of blocks.h. They are compiled once: with all kinds of rows and all numbers of classes
 * they are large. */
#include "blocks.h"
#include "classes/vectors.h"

#include <string.h>

/* scores[0:stride] = Σ_t x_t W[t, same], held in registers. `rows` sums hide the latency of
 * additions. */
#define DEFINE_SCORES_NARROW(vec, width)                                                       \
    RRM_INLINE void scores_##vec(const row_t *row, int kind, const double *W, ptrdiff_t stride, \
                                 int columns, int rows, double *scores)                        \
    {                                                                                          \
        vec sum[8][8];                                                                         \
        ptrdiff_t t = 0;                                                                       \
        for (int r = 0; r < rows; r++)                                                         \
            for (int c = 0; c < columns; c++)                                                  \
                sum[r][c] = (vec){0};                                                          \
        for (; t + rows <= row->length; t += rows)                                             \
            for (int r = 0; r < rows; r++)                                                     \
                ADD(vec, width, sum[r], row_value(row, kind, t + r), row_index(row, kind, t + r)) \
        for (; t < row->length; t++)                                                           \
            ADD(vec, width, sum[0], row_value(row, kind, t), row_index(row, kind, t))          \
        if (row->bias != 0)                                                                    \
            ADD(vec, width, sum[0], row->bias, row->bias_index)                                \
        for (int c = 0; c < columns; c++) {                                                    \
            for (int r = 1; r < rows; r++)                                                     \
                sum[0][c] += sum[r][c];                                                        \
            memcpy(scores + VECTOR_BEGIN(c, width, columns, stride), &sum[0][c], sizeof(vec)); \
        }                                                                                      \
    }
#define ADD(vec, width, sums, value, index)                                         \
    {                                                                               \
        const double x = value, *w = W + (index) * stride;                          \
        for (int c = 0; c < columns; c++)                                           \
            sums[c] += x * *(const vec *)(w + VECTOR_BEGIN(c, width, columns, stride)); \
    }
DEFINE_SCORES_NARROW(vec2, 2)
DEFINE_SCORES_NARROW(vec4, 4)
DEFINE_SCORES_NARROW(vec8, 8)
#undef ADD
#undef DEFINE_SCORES_NARROW

enum { ROWS_AT_ONCE = 4, ROW_LOOKAHEAD = 16 /* rows of W between a prefetch and its use */ };

#define ADD(vec, width, value, index)                        \
    {                                                        \
        const double x = value, *w = W + (index) * stride;   \
        for (j = 0; j < before; j += width)                  \
            *(vec *)(scores + j) += x * *(const vec *)(w + j); \
        end += x * *(const vec *)(w + last);                 \
    }
#define FOUR(vec, j)                                                       \
    (x[0] * *(const vec *)(w[0] + (j)) + x[1] * *(const vec *)(w[1] + (j)) \
     + (x[2] * *(const vec *)(w[2] + (j)) + x[3] * *(const vec *)(w[3] + (j))))
/* The same for many classes: the scores stay in the first-level cache while four rows of W at a time
 * stream past. Sparse data take rows from anywhere in W, so these are prefetched. */
#define DEFINE_SCORES_WIDE(vec, width)                                                         \
    RRM_INLINE void scores_wide_##vec(const row_t *row, int kind, const double *W,             \
                                      ptrdiff_t stride, double *scores)                        \
    {                                                                                          \
        const ptrdiff_t before = (stride - 1) / width * width, last = stride - width;          \
        ptrdiff_t t = 0, j;                                                                    \
        vec end = {0};                                                                         \
        for (j = 0; j < before; j += width)                                                    \
            *(vec *)(scores + j) = end;                                                        \
        for (; t + ROWS_AT_ONCE <= row->length; t += ROWS_AT_ONCE) {                           \
            const double *w[ROWS_AT_ONCE], *ahead[ROWS_AT_ONCE];                               \
            double x[ROWS_AT_ONCE];                                                            \
            for (int r = 0; r < ROWS_AT_ONCE; r++) {                                           \
                ptrdiff_t later = t + r + ROW_LOOKAHEAD;                                       \
                later = later < row->length ? later : t + r;                                   \
                w[r] = W + row_index(row, kind, t + r) * stride;                               \
                ahead[r] = W + row_index(row, kind, later) * stride;                           \
                x[r] = row_value(row, kind, t + r);                                            \
            }                                                                                  \
            for (j = 0; j < before; j += width) {                                              \
                if (!(kind & ROW_DENSE) && j % 8 == 0)                                         \
                    for (int r = 0; r < ROWS_AT_ONCE; r++)                                     \
                        __builtin_prefetch(ahead[r] + j, 0, 3);                                \
                *(vec *)(scores + j) += FOUR(vec, j);                                          \
            }                                                                                  \
            if (!(kind & ROW_DENSE))                                                           \
                for (int r = 0; r < ROWS_AT_ONCE; r++)                                         \
                    __builtin_prefetch(ahead[r] + last + width - 1, 0, 3);                     \
            end += FOUR(vec, last);                                                            \
        }                                                                                      \
        for (; t < row->length; t++)                                                           \
            ADD(vec, width, row_value(row, kind, t), row_index(row, kind, t))                  \
        if (row->bias != 0)                                                                    \
            ADD(vec, width, row->bias, row->bias_index)                                        \
        *(vec *)(scores + last) = end;                                                         \
    }
DEFINE_SCORES_WIDE(vec4, 4)
DEFINE_SCORES_WIDE(vec8, 8)
#undef DEFINE_SCORES_WIDE
#undef FOUR
#undef ADD

/* 5 to 32 classes in vectors of four: with two sums of the most columns registers would not do. */
RRM_INLINE void scores_by_4(const row_t *row, int kind, const double *W, ptrdiff_t stride,
                            ptrdiff_t whole, double *scores)
{
    const ptrdiff_t columns = (stride + 3) / 4;
    if (whole == 8)
        scores_vec4(row, kind, W, stride, 2, 4, scores);
    else if (whole == 16)
        switch (columns) {
        case 2: scores_vec4(row, kind, W, 8, 2, 2, scores); break;
        case 3: scores_vec4(row, kind, W, stride, 3, 2, scores); break;
        case 4: scores_vec4(row, kind, W, stride, 4, 2, scores); break;
        }
    else
        switch (columns) {
        case 2: scores_vec4(row, kind, W, 8, 2, 1, scores); break;
        case 3: scores_vec4(row, kind, W, stride, 3, 1, scores); break;
        case 4: scores_vec4(row, kind, W, stride, 4, 1, scores); break;
        case 5: scores_vec4(row, kind, W, stride, 5, 1, scores); break;
        case 6: scores_vec4(row, kind, W, stride, 6, 1, scores); break;
        case 7: scores_vec4(row, kind, W, stride, 7, 1, scores); break;
        case 8: scores_vec4(row, kind, W, stride, 8, 1, scores); break;
        }
}

RRM_INLINE void scores_by_8(const row_t *row, int kind, const double *W, ptrdiff_t stride,
                            ptrdiff_t whole, double *scores)
{
    const ptrdiff_t columns = (stride + 7) / 8;
    if (whole == 8 && stride < 8)
        scores_vec4(row, kind, W, stride, 2, 8, scores);
    else if (whole == 8)
        scores_vec8(row, kind, W, 8, 1, 8, scores);
    else if (whole == 16)
        switch (columns) {
        case 1: scores_vec8(row, kind, W, 8, 1, 4, scores); break;
        case 2: scores_vec8(row, kind, W, stride, 2, 4, scores); break;
        }
    else
        switch (columns) {
        case 1: scores_vec8(row, kind, W, 8, 1, 2, scores); break;
        case 2: scores_vec8(row, kind, W, stride, 2, 2, scores); break;
        case 3: scores_vec8(row, kind, W, stride, 3, 2, scores); break;
        case 4: scores_vec8(row, kind, W, stride, 4, 2, scores); break;
        }
}

RRM_INLINE void scores_plain(const row_t *row, int kind, const double *W, ptrdiff_t stride,
                             double *scores)
{
    for (ptrdiff_t j = 0; j < stride; j++)
        scores[j] = 0;
    for (ptrdiff_t t = 0; t < row->length + (row->bias != 0); t++) {
        int stored = t < row->length;
        const double x = stored ? row_value(row, kind, t) : row->bias;
        const double *w = W + (stored ? row_index(row, kind, t) : row->bias_index) * stride;
        for (ptrdiff_t j = 0; j < stride; j++)
            scores[j] += x * w[j];
    }
}

/* The number of sums follows from `whole`, the stride of W in one piece, not from the panel's: a
 * score must have the same bits whichever panel it is computed from. */
RRM_INLINE void scores_kind(const row_t *row, int kind, const double *W, ptrdiff_t stride,
                            ptrdiff_t whole, double *scores, int vec)
{
    if (whole == 2)
        scores_vec2(row, kind, W, 2, 1, 8, scores);
    else if (whole == 4 && (stride == 3 || vec == PLAIN))
        scores_vec2(row, kind, W, stride, 2, 8, scores);
    else if (whole == 4)
        scores_vec4(row, kind, W, 4, 1, 8, scores);
    else if (vec == PLAIN)
        scores_plain(row, kind, W, stride, scores);
    else if (whole <= 32 && vec == VEC8)
        scores_by_8(row, kind, W, stride, whole, scores);
    else if (whole <= 32)
        scores_by_4(row, kind, W, stride, whole, scores);
    else if (vec == VEC8)
        scores_wide_vec8(row, kind, W, stride, scores);
    else
        scores_wide_vec4(row, kind, W, stride, scores);
}

/* Not by RRM_CLONES: each level has vectors of its own. More than 4 classes without AVX2 take plain
 * loops: with others, for all kinds of rows, that level took most of the time to compile. */
#define SCORES_ARGUMENTS \
    const row_t *row, const double *W, ptrdiff_t stride, ptrdiff_t whole, double *scores
#define CALL(kind) scores_kind(row, kind, W, stride, whole, scores, VEC8)
RRM_BY_8 static void block_scores_by_8(SCORES_ARGUMENTS)
{
    ROW_SWITCH(row, CALL)
}
#undef CALL

#define CALL(kind) scores_kind(row, kind, W, stride, whole, scores, VEC4)
RRM_BY_4_ALONE static void block_scores_by_4(SCORES_ARGUMENTS)
{
    ROW_SWITCH(row, CALL)
}
#undef CALL

#define CALL(kind) scores_kind(row, kind, W, stride, whole, scores, PLAIN)
static void block_scores_plain(SCORES_ARGUMENTS)
{
    ROW_SWITCH(row, CALL)
}
#undef CALL

void block_scores(SCORES_ARGUMENTS)
{
    switch (vector_width()) {
    case VEC8: block_scores_by_8(row, W, stride, whole, scores); break;
    case VEC4: block_scores_by_4(row, W, stride, whole, scores); break;
    default: block_scores_plain(row, W, stride, whole, scores); break;
    }
}
#undef SCORES_ARGUMENTS

/* Four classes at a time: loads limit this loop, not additions. */
RRM_INLINE void scores_some_kind(const row_t *row, int kind, const double *W, ptrdiff_t stride,
                                 const int64_t *places, ptrdiff_t n, double *scores)
{
    for (ptrdiff_t from = 0; from < n; from += 4) {
        double sum[4] = {0};
        for (ptrdiff_t t = 0; t < row->length; t++) {
            const double *w = W + row_index(row, kind, t) * stride;
            double x = row_value(row, kind, t);
#pragma GCC unroll 4
            for (int c = 0; c < 4; c++)
                sum[c] += x * w[places[from + c]];
        }
        if (row->bias != 0)
            for (int c = 0; c < 4; c++)
                sum[c] += row->bias * W[row->bias_index * stride + places[from + c]];
        memcpy(scores + from, sum, sizeof sum);
    }
}

/* scores[c] = Σ_t x_t W[t · stride + places[c]]: some classes of an example, n a multiple of 4. */
RRM_CLONES void block_scores_some(const row_t *row, const double *W, ptrdiff_t stride,
                                         const int64_t *places, ptrdiff_t n, double *scores)
{
#define CALL(kind) scores_some_kind(row, kind, W, stride, places, n, scores)
    ROW_SWITCH(row, CALL)
#undef CALL
}
