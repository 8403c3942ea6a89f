/* Class-block kernels: a row of W holds the k weights of one feature, contiguous and padded.
 *
 * `stride` is the distance between rows of W in doubles (2, 4 or a multiple of 8, see block_stride),
 * rows are aligned to their own size up to 64 bytes, and padding is zero. */
#ifndef RRM_BLOCKS_H
#define RRM_BLOCKS_H

#include <string.h>
#include "sparse.h"

typedef double vec2 __attribute__((vector_size(16), aligned(16), may_alias));
typedef double vec4 __attribute__((vector_size(32), aligned(32), may_alias));
typedef double vec8 __attribute__((vector_size(64), aligned(64), may_alias));

/* Doubles from one row of W to the next: the least padding that keeps vector loads aligned. */
static inline ptrdiff_t block_stride(ptrdiff_t k)
{
    return k <= 2 ? 2 : k <= 4 ? 4 : (k + 7) / 8 * 8;
}

/* scores[0:width·columns] = Σ_t x_t W[t, same], held in registers: `rows` nonzeros at a time break
 * the chain of dependent additions. */
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
            for (int r = 0; r < rows; r++) {                                                   \
                const vec *w = (const vec *)(W + row_index(row, kind, t + r) * stride);        \
                double x = row_value(row, kind, t + r);                                        \
                for (int c = 0; c < columns; c++)                                              \
                    sum[r][c] += x * w[c];                                                     \
            }                                                                                  \
        for (; t < row->length; t++) {                                                         \
            const vec *w = (const vec *)(W + row_index(row, kind, t) * stride);                \
            double x = row_value(row, kind, t);                                                \
            for (int c = 0; c < columns; c++)                                                  \
                sum[0][c] += x * w[c];                                                         \
        }                                                                                      \
        if (row->bias != 0)                                                                    \
            for (int c = 0; c < columns; c++)                                                  \
                sum[0][c] += row->bias * ((const vec *)(W + row->bias_index * stride))[c];     \
        for (int c = 0; c < columns; c++) {                                                    \
            for (int r = 1; r < rows; r++)                                                     \
                sum[0][c] += sum[r][c];                                                        \
            memcpy(scores + c * width, &sum[0][c], sizeof(vec));                               \
        }                                                                                      \
    }
DEFINE_SCORES_NARROW(vec2, 2)
DEFINE_SCORES_NARROW(vec4, 4)
DEFINE_SCORES_NARROW(vec8, 8)
#undef DEFINE_SCORES_NARROW

enum { ROWS_AT_ONCE = 4, ROWS_AHEAD = 16 };

/* The same for many classes: four rows of W stream past while the scores stay in the first-level
 * cache. For sparse data rows lie anywhere, so those to come are asked for in good time. */
RRM_INLINE void scores_wide(const row_t *row, int kind, const double *W, ptrdiff_t stride,
                            ptrdiff_t columns, double *scores)
{
    vec8 *s = (vec8 *)scores;
    ptrdiff_t t = 0, c;
    for (c = 0; c < columns; c++)
        s[c] = (vec8){0};
    for (; t + ROWS_AT_ONCE <= row->length; t += ROWS_AT_ONCE) {
        const vec8 *w[ROWS_AT_ONCE];
        const char *ahead[ROWS_AT_ONCE];
        double x[ROWS_AT_ONCE];
        for (int r = 0; r < ROWS_AT_ONCE; r++) {
            ptrdiff_t later = t + r + ROWS_AHEAD < row->length ? t + r + ROWS_AHEAD : t + r;
            w[r] = (const vec8 *)(W + row_index(row, kind, t + r) * stride);
            ahead[r] = (const char *)(W + row_index(row, kind, later) * stride);
            x[r] = row_value(row, kind, t + r);
        }
        for (c = 0; c < columns; c++) {
            if (!(kind & ROW_DENSE))
                for (int r = 0; r < ROWS_AT_ONCE; r++)
                    __builtin_prefetch(ahead[r] + 64 * c, 0, 3);
            s[c] += x[0] * w[0][c] + x[1] * w[1][c] + (x[2] * w[2][c] + x[3] * w[3][c]);
        }
    }
    for (; t < row->length; t++) {
        const vec8 *w = (const vec8 *)(W + row_index(row, kind, t) * stride);
        double x = row_value(row, kind, t);
        for (c = 0; c < columns; c++)
            s[c] += x * w[c];
    }
    if (row->bias != 0) {
        const vec8 *w = (const vec8 *)(W + row->bias_index * stride);
        for (c = 0; c < columns; c++)
            s[c] += row->bias * w[c];
    }
}

/* How many rows go at once follows from the stride, not from the columns asked for: a score must
 * have the same bits whoever computes it, and in whatever company. */
RRM_INLINE void scores_kind(const row_t *row, int kind, const double *W, ptrdiff_t stride,
                            ptrdiff_t columns, double *scores)
{
    if (stride == 2)
        scores_vec2(row, kind, W, 2, 1, 8, scores);
    else if (stride == 4)
        scores_vec4(row, kind, W, 4, 1, 8, scores);
    else if (stride == 8)
        scores_vec8(row, kind, W, 8, 1, 8, scores);
    else if (stride == 16)
        switch (columns / 8) {
        case 1: scores_vec8(row, kind, W, 16, 1, 4, scores); break;
        case 2: scores_vec8(row, kind, W, 16, 2, 4, scores); break;
        }
    else if (stride <= 32)
        switch (columns / 8) {
        case 1: scores_vec8(row, kind, W, stride, 1, 2, scores); break;
        case 2: scores_vec8(row, kind, W, stride, 2, 2, scores); break;
        case 3: scores_vec8(row, kind, W, stride, 3, 2, scores); break;
        case 4: scores_vec8(row, kind, W, stride, 4, 2, scores); break;
        }
    else
        scores_wide(row, kind, W, stride, columns / 8, scores);
}

/* scores = Σ_t x_t W[t, :columns], aligned to 64 bytes; columns are the stride or, where that is a
 * multiple of 8, some multiple of 8 below it, 0 too. */
RRM_CLONES static void block_scores(const row_t *row, const double *W, ptrdiff_t stride,
                                    ptrdiff_t columns, double *scores)
{
#define CALL(kind) scores_kind(row, kind, W, stride, columns, scores)
    ROW_SWITCH(row, CALL)
#undef CALL
}

/* Four classes at a time: the loads, not the additions, are what it costs. */
RRM_INLINE void scores_some_kind(const row_t *row, int kind, const double *W, ptrdiff_t stride,
                                 const int32_t *classes, ptrdiff_t n, double *scores)
{
    for (ptrdiff_t from = 0; from < n; from += 4) {
        double sum[4] = {0};
        for (ptrdiff_t t = 0; t < row->length; t++) {
            const double *w = W + row_index(row, kind, t) * stride;
            double x = row_value(row, kind, t);
            for (int c = 0; c < 4; c++)
                sum[c] += x * w[classes[from + c]];
        }
        if (row->bias != 0)
            for (int c = 0; c < 4; c++)
                sum[c] += row->bias * W[row->bias_index * stride + classes[from + c]];
        memcpy(scores + from, sum, sizeof sum);
    }
}

/* scores[c] = Σ_t x_t W[t, classes[c]]: some classes of one example, n a multiple of 4. */
RRM_CLONES static void block_scores_some(const row_t *row, const double *W, ptrdiff_t stride,
                                         const int32_t *classes, ptrdiff_t n, double *scores)
{
#define CALL(kind) scores_some_kind(row, kind, W, stride, classes, n, scores)
    ROW_SWITCH(row, CALL)
#undef CALL
}

RRM_INLINE void update_feature(double *restrict w, double x, const int32_t *restrict classes,
                               const double *restrict steps, ptrdiff_t n)
{
    for (ptrdiff_t c = 0; c < n; c++)
        w[classes[c]] += x * steps[c];
}

RRM_INLINE void update_some_kind(const row_t *row, int kind, double *W, ptrdiff_t stride,
                                 const int32_t *classes, const double *steps, ptrdiff_t n)
{
    for (ptrdiff_t t = 0; t < row->length; t++)
        update_feature(W + row_index(row, kind, t) * stride, row_value(row, kind, t), classes,
                       steps, n);
    if (row->bias != 0)
        update_feature(W + row->bias_index * stride, row->bias, classes, steps, n);
}

/* W[t, classes] += x_t steps: the changed classes alone. */
static void block_update_some(const row_t *row, double *W, ptrdiff_t stride,
                              const int32_t *classes, const double *steps, ptrdiff_t n)
{
#define CALL(kind) update_some_kind(row, kind, W, stride, classes, steps, n)
    ROW_SWITCH(row, CALL)
#undef CALL
}

#define DEFINE_UPDATE(vec)                                                                       \
    RRM_INLINE void update_##vec(double *w, double x, const double *steps, ptrdiff_t columns)     \
    {                                                                                            \
        for (ptrdiff_t c = 0; c < columns; c++)                                                  \
            ((vec *)w)[c] += x * ((const vec *)steps)[c];                                        \
    }                                                                                            \
    RRM_INLINE void update_all_##vec(const row_t *row, int kind, double *W, ptrdiff_t stride,     \
                                     const double *steps, ptrdiff_t columns)                     \
    {                                                                                            \
        for (ptrdiff_t t = 0; t < row->length; t++)                                              \
            update_##vec(W + row_index(row, kind, t) * stride, row_value(row, kind, t), steps,   \
                         columns);                                                               \
        if (row->bias != 0)                                                                      \
            update_##vec(W + row->bias_index * stride, row->bias, steps, columns);               \
    }
DEFINE_UPDATE(vec2)
DEFINE_UPDATE(vec4)
DEFINE_UPDATE(vec8)
#undef DEFINE_UPDATE

RRM_INLINE void update_kind(const row_t *row, int kind, double *W, ptrdiff_t stride,
                            ptrdiff_t columns, const double *steps)
{
    if (stride == 2)
        update_all_vec2(row, kind, W, 2, steps, 1);
    else if (stride == 4)
        update_all_vec4(row, kind, W, 4, steps, 1);
    else
        switch (columns / 8) {
        case 1: update_all_vec8(row, kind, W, stride, steps, 1); break;
        case 2: update_all_vec8(row, kind, W, stride, steps, 2); break;
        case 4: update_all_vec8(row, kind, W, stride, steps, 4); break;
        default: update_all_vec8(row, kind, W, stride, steps, columns / 8);
        }
}

/* W[t, :columns] += x_t steps. */
RRM_CLONES static void block_update(const row_t *row, double *W, ptrdiff_t stride,
                                    ptrdiff_t columns, const double *steps)
{
#define CALL(kind) update_kind(row, kind, W, stride, columns, steps)
    ROW_SWITCH(row, CALL)
#undef CALL
}

/* A margin no loss sees: of the true class against itself, and of padding. */
#define EXCLUDED_MARGIN (-1e300)

/* m_j = cost + s_j − s_label; the true class and padding excluded. k8 is k rounded up to a multiple
 * of 8. */
RRM_CLONES static void block_margins(const double *scores, ptrdiff_t k, ptrdiff_t k8,
                                     ptrdiff_t label, double cost, double *margins)
{
    double shift = cost - scores[label];
#pragma omp simd
    for (ptrdiff_t j = 0; j < (k8 & ~(ptrdiff_t)7); j++)
        margins[j] = scores[j] + shift;
    margins[label] = EXCLUDED_MARGIN;
    for (ptrdiff_t j = k; j < k8; j++)
        margins[j] = EXCLUDED_MARGIN;
}

typedef struct {
    ptrdiff_t n;     /* classes whose block entry moved, the true class not among them */
    double sum;      /* Σ δ */
    double linear;   /* Σ δ_j (cost − m_j): how ½‖W‖² rises to first order */
    double squared;  /* Σ δ² */
} block_change_t;

/* From a block to its successor, δ = new − old: steps = −δ, and +Σ δ for the true class, is what
 * the block's row moves the weights by. A move within `rounding` is undone. */
RRM_CLONES static block_change_t block_change(const double *margins, double cost,
                                              const double *old, double *new, ptrdiff_t k8,
                                              ptrdiff_t label, double rounding, double *steps)
{
    double n = 0, sum = 0, linear = 0, squared = 0;
#pragma omp simd reduction(+ : n, sum, linear, squared)
    for (ptrdiff_t j = 0; j < (k8 & ~(ptrdiff_t)7); j++) {
        double delta = new[j] - old[j];
        delta = delta > rounding || delta < -rounding ? delta : 0;
        new[j] = delta == 0 ? old[j] : new[j];
        steps[j] = -delta;
        n += delta == 0 ? 0.0 : 1.0;
        sum += delta;
        linear += delta * (cost - margins[j]);
        squared += delta * delta;
    }
    steps[label] = sum;
    return (block_change_t){(ptrdiff_t)n, sum, linear, squared};
}

/* The columns with a step, and their steps, packed; returns how many. */
static inline ptrdiff_t block_pack_steps(const double *steps, ptrdiff_t columns, int32_t *classes,
                                         double *packed)
{
    ptrdiff_t n = 0;
    for (ptrdiff_t j = 0; j < columns; j++) {
        classes[n] = (int32_t)j;
        packed[n] = steps[j];
        n += steps[j] != 0;
    }
    return n;
}

/* Σ a_j². */
RRM_CLONES static double squared_norm(const double *a, ptrdiff_t n)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (ptrdiff_t j = 0; j < n; j++)
        total += a[j] * a[j];
    return total;
}

#endif
