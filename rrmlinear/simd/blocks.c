/* The products of blocks.h between an example and a row of W for each of its features. They are
 * compiled once: with all kinds of rows and all numbers of classes they are large. */
#include "blocks.h"

#include <string.h>

typedef double vec2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef double vec4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double vec8 __attribute__((vector_size(64), aligned(8), may_alias));

/* Where vector c of a row begins. */
#define VECTOR_BEGIN(c, width, columns, stride) \
    ((c) + 1 < (columns) ? (c) * (width) : (stride) - (width))

/* scores[0:stride] = Σ_t x_t W[t, same], held in registers. `rows` sums hide the latency of
 * additions. */
#define DEFINE_SCORES_NARROW(vec, width)                                                       \
    RRM_INLINE void scores_##vec(const row_t *row, int kind, const double *W, ptrdiff_t stride, \
                                 int columns, int rows, double *scores)                        \
    {                                                                                          \
        vec sum[8][4];                                                                         \
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

#define ADD(value, index)                                    \
    {                                                        \
        const double x = value, *w = W + (index) * stride;   \
        for (j = 0; j < before; j += 8)                      \
            *(vec8 *)(scores + j) += x * *(const vec8 *)(w + j); \
        end += x * *(const vec8 *)(w + last);                \
    }
/* The same for many classes: the scores stay in the first-level cache while four rows of W at a time
 * stream past. Sparse data take rows from anywhere in W, so these are prefetched. */
RRM_INLINE void scores_wide(const row_t *row, int kind, const double *W, ptrdiff_t stride,
                            double *scores)
{
    const ptrdiff_t before = (stride - 1) / 8 * 8, last = stride - 8;
    ptrdiff_t t = 0, j;
    vec8 end = {0};
    for (j = 0; j < before; j += 8)
        *(vec8 *)(scores + j) = end;
    for (; t + ROWS_AT_ONCE <= row->length; t += ROWS_AT_ONCE) {
        const double *w[ROWS_AT_ONCE], *ahead[ROWS_AT_ONCE];
        double x[ROWS_AT_ONCE];
        for (int r = 0; r < ROWS_AT_ONCE; r++) {
            ptrdiff_t later = t + r + ROW_LOOKAHEAD < row->length ? t + r + ROW_LOOKAHEAD : t + r;
            w[r] = W + row_index(row, kind, t + r) * stride;
            ahead[r] = W + row_index(row, kind, later) * stride;
            x[r] = row_value(row, kind, t + r);
        }
#define FOUR(j)                                                              \
    (x[0] * *(const vec8 *)(w[0] + (j)) + x[1] * *(const vec8 *)(w[1] + (j)) \
     + (x[2] * *(const vec8 *)(w[2] + (j)) + x[3] * *(const vec8 *)(w[3] + (j))))
        for (j = 0; j < before; j += 8) {
            if (!(kind & ROW_DENSE))
                for (int r = 0; r < ROWS_AT_ONCE; r++)
                    __builtin_prefetch(ahead[r] + j, 0, 3);
            *(vec8 *)(scores + j) += FOUR(j);
        }
        if (!(kind & ROW_DENSE))
            for (int r = 0; r < ROWS_AT_ONCE; r++)
                __builtin_prefetch(ahead[r] + last + 7, 0, 3);
        end += FOUR(last);
#undef FOUR
    }
    for (; t < row->length; t++)
        ADD(row_value(row, kind, t), row_index(row, kind, t))
    if (row->bias != 0)
        ADD(row->bias, row->bias_index)
    *(vec8 *)(scores + last) = end;
}
#undef ADD

/* The number of sums follows from `whole`, the stride of W in one piece, not from the panel's: a
 * score must have the same bits whichever panel it is computed from. */
RRM_INLINE void scores_kind(const row_t *row, int kind, const double *W, ptrdiff_t stride,
                            ptrdiff_t whole, double *scores)
{
    if (whole == 2)
        scores_vec2(row, kind, W, 2, 1, 8, scores);
    else if (whole == 4 && stride == 3)
        scores_vec2(row, kind, W, 3, 2, 8, scores);
    else if (whole == 4)
        scores_vec4(row, kind, W, 4, 1, 8, scores);
    else if (whole == 8 && stride < 8)
        scores_vec4(row, kind, W, stride, 2, 8, scores);
    else if (whole == 8)
        scores_vec8(row, kind, W, 8, 1, 8, scores);
    else if (whole == 16)
        switch ((stride + 7) / 8) {
        case 1: scores_vec8(row, kind, W, 8, 1, 4, scores); break;
        case 2: scores_vec8(row, kind, W, stride, 2, 4, scores); break;
        }
    else if (whole <= 32)
        switch ((stride + 7) / 8) {
        case 1: scores_vec8(row, kind, W, 8, 1, 2, scores); break;
        case 2: scores_vec8(row, kind, W, stride, 2, 2, scores); break;
        case 3: scores_vec8(row, kind, W, stride, 3, 2, scores); break;
        case 4: scores_vec8(row, kind, W, stride, 4, 2, scores); break;
        }
    else
        scores_wide(row, kind, W, stride, scores);
}

#define CALL(kind) scores_kind(row, kind, W, stride, whole, scores)
#define SCORES_ARGUMENTS \
    const row_t *row, const double *W, ptrdiff_t stride, ptrdiff_t whole, double *scores
#ifdef RRM_HAS_CLONES
/* Not by RRM_CLONES: without wide vectors the loops above take most of the time to compile, and run
 * hardly faster than a plain one, which serves the machines that have none. */
__attribute__((target("arch=x86-64-v4"))) static void scores_v4(SCORES_ARGUMENTS)
{
    ROW_SWITCH(row, CALL)
}

__attribute__((target("arch=x86-64-v3"))) static void scores_v3(SCORES_ARGUMENTS)
{
    ROW_SWITCH(row, CALL)
}

static void scores_plain(SCORES_ARGUMENTS)
{
    (void)whole;
    for (ptrdiff_t j = 0; j < stride; j++)
        scores[j] = 0;
    for (ptrdiff_t t = 0; t < row->length + (row->bias != 0); t++) {
        int stored = t < row->length;
        const double x = stored ? row_value(row, row->kind, t) : row->bias;
        const double *w = W + (stored ? row_index(row, row->kind, t) : row->bias_index) * stride;
        for (ptrdiff_t j = 0; j < stride; j++)
            scores[j] += x * w[j];
    }
}

static void (*best_scores)(SCORES_ARGUMENTS) = scores_plain;

__attribute__((constructor)) static void choose_scores(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4"))
        best_scores = scores_v4;
    else if (__builtin_cpu_supports("x86-64-v3"))
        best_scores = scores_v3;
}

void block_scores(SCORES_ARGUMENTS)
{
    best_scores(row, W, stride, whole, scores);
}
#else
void block_scores(SCORES_ARGUMENTS)
{
    ROW_SWITCH(row, CALL)
}
#endif
#undef SCORES_ARGUMENTS
#undef CALL

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

RRM_INLINE void update_kind(const row_t *row, int kind, double *W, ptrdiff_t stride,
                            const double *steps)
{
    if (stride == 2)
        update_all_vec2(row, kind, W, 2, steps, 1);
    else if (stride == 3)
        update_all_vec2(row, kind, W, 3, steps, 2);
    else if (stride == 4)
        update_all_vec4(row, kind, W, 4, steps, 1);
    else if (stride < 8)
        update_all_vec4(row, kind, W, stride, steps, 2);
    else
        switch ((stride + 7) / 8) {
        case 1: update_all_vec8(row, kind, W, 8, steps, 1); break;
        case 2: update_all_vec8(row, kind, W, stride, steps, 2); break;
        case 4: update_all_vec8(row, kind, W, stride, steps, 4); break;
        default: update_all_vec8(row, kind, W, stride, steps, (stride + 7) / 8);
        }
}

/* W[t, :] += x_t steps, for W or a panel of it. */
RRM_CLONES void block_update(const row_t *row, double *W, ptrdiff_t stride,
                                    const double *steps)
{
#define CALL(kind) update_kind(row, kind, W, stride, steps)
    ROW_SWITCH(row, CALL)
#undef CALL
}
