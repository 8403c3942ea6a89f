/* Dense rows times a few vectors, and sums of dense rows with a few weights each.
 *
 * For a few vectors BLAS takes as long to copy the rows in the order of its kernels as to multiply
 * them. Here four rows are read where they lie, far apart where they are long, and are fetched ahead.
 * 20 000 x 500 with five vectors takes less than 0.9 (scores) and 0.5 (sums) of the time of BLAS in
 * double, half of it in single precision. Vectors have `stride` numbers, a multiple of 8 and at least
 * d: those after d are 0 in weights and meaningless in sums, for which numbers of the next row are
 * read. With two doubles in a vector, sums took four times as long as those of row after row. */
#ifndef RRM_CLASSES_DENSE_ROWS_H
#define RRM_CLASSES_DENSE_ROWS_H

#include <string.h>
#include "apart.h"
#include "rows.h"

/* Rows multiplied or added at once, and rows that are added before their sum is added to the others:
 * rounding of long sums stays small. */
enum { DENSE_TOGETHER = 4, DENSE_SPAN = 4096 };
/* Bytes between a fetch to the second-level cache and its use. To the first level, where weights and
 * sums are, it took up to 1.6 times as long. */
enum { DENSE_AHEAD = 4096 };
#define DENSE_FETCH(x) __builtin_prefetch((const char *)(x) + DENSE_AHEAD, 0, 2);
/* Vectors of weights at once: sums stay in 32 registers, or in 16. */
enum { DENSE_MOST_8 = 6, DENSE_MOST_4 = 2 };

typedef int64_t long4 __attribute__((vector_size(32)));
typedef int64_t long8 __attribute__((vector_size(64)));
typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float float8 __attribute__((vector_size(32), aligned(4), may_alias));

#define UNROLLED(name, count) _Pragma("GCC unroll 8") for (int name = 0; name < (count); name++)
#define DENSE_LOAD_double(x, vec, single) (*(const vec *)(x))
#define DENSE_LOAD_float(x, vec, single) __builtin_convertvector(*(const single *)(x), vec)

/* Sums of four vectors, one for each row, without a sum across lanes for each: of pairs of numbers of
 * two vectors, then of pairs of these. */
#ifdef __clang__
#define DENSE_MIXED(a, b, type, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define DENSE_MIXED(a, b, type, ...) __builtin_shuffle(a, b, (type){__VA_ARGS__})
#endif
#define DENSE_PAIRS8(a, b)                               \
    (DENSE_MIXED(a, b, long8, 0, 8, 2, 10, 4, 12, 6, 14) \
     + DENSE_MIXED(a, b, long8, 1, 9, 3, 11, 5, 13, 7, 15))
#define DENSE_STORE8(out, a, b)                                          \
    vec8 fours = DENSE_MIXED(a, b, long8, 0, 1, 8, 9, 4, 5, 12, 13)      \
                 + DENSE_MIXED(a, b, long8, 2, 3, 10, 11, 6, 7, 14, 15); \
    UNROLLED(r, DENSE_TOGETHER) (out)[r * gap] = fours[r] + fours[r + 4];
#define DENSE_PAIRS4(a, b) \
    (DENSE_MIXED(a, b, long4, 0, 4, 2, 6) + DENSE_MIXED(a, b, long4, 1, 5, 3, 7))
#define DENSE_STORE4(out, a, b)                                                               \
    vec4 fours = DENSE_MIXED(a, b, long4, 0, 1, 4, 5) + DENSE_MIXED(a, b, long4, 2, 3, 6, 7); \
    UNROLLED(r, DENSE_TOGETHER) (out)[r * gap] = fours[r];

#define DEFINE_DENSE(type, vec, single, width)                                               \
    RRM_INLINE void dense_times_##type##width(const type *x, ptrdiff_t far, const double *w, \
                                              ptrdiff_t stride, int count, double *out,      \
                                              ptrdiff_t n, ptrdiff_t gap)                    \
    {                                                                                        \
        vec sums[DENSE_TOGETHER][DENSE_MOST_8];                                              \
        UNROLLED(r, DENSE_TOGETHER)                                                          \
            UNROLLED(k, count)                                                               \
                sums[r][k] = (vec){0};                                                       \
        for (ptrdiff_t j = 0; j < stride; j += width) {                                      \
            vec values[DENSE_TOGETHER];                                                      \
            UNROLLED(r, DENSE_TOGETHER)                                                      \
            {                                                                                \
                values[r] = DENSE_LOAD_##type(x + r * far + j, vec, single);                 \
                DENSE_FETCH(x + r * far + j)                                                 \
            }                                                                                \
            UNROLLED(k, count)                                                               \
            {                                                                                \
                vec weights = *(const vec *)(w + k * stride + j);                            \
                UNROLLED(r, DENSE_TOGETHER)                                                  \
                    sums[r][k] += values[r] * weights;                                       \
            }                                                                                \
        }                                                                                    \
        UNROLLED(k, count)                                                                   \
        {                                                                                    \
            vec low = DENSE_PAIRS##width(sums[0][k], sums[1][k]);                            \
            vec high = DENSE_PAIRS##width(sums[2][k], sums[3][k]);                           \
            DENSE_STORE##width(out + k * n, low, high)                                       \
        }                                                                                    \
    }                                                                                        \
    RRM_INLINE void dense_add_##type##width(const type *x, ptrdiff_t far, const double *c,   \
                                            ptrdiff_t n, ptrdiff_t gap, int count,           \
                                            double *sums, ptrdiff_t stride)                  \
    {                                                                                        \
        vec each[DENSE_MOST_8][DENSE_TOGETHER];                                              \
        UNROLLED(k, count)                                                                   \
            UNROLLED(r, DENSE_TOGETHER)                                                      \
                each[k][r] = (vec){0} + c[k * n + r * gap];                                  \
        for (ptrdiff_t j = 0; j < stride; j += width) {                                      \
            vec values[DENSE_TOGETHER];                                                      \
            UNROLLED(r, DENSE_TOGETHER)                                                      \
            {                                                                                \
                values[r] = DENSE_LOAD_##type(x + r * far + j, vec, single);                 \
                DENSE_FETCH(x + r * far + j)                                                 \
            }                                                                                \
            UNROLLED(k, count)                                                               \
            {                                                                                \
                vec sum = *(const vec *)(sums + k * stride + j);                             \
                UNROLLED(r, DENSE_TOGETHER)                                                  \
                    sum += each[k][r] * values[r];                                           \
                *(vec *)(sums + k * stride + j) = sum;                                       \
            }                                                                                \
        }                                                                                    \
    }
DEFINE_DENSE(double, vec8, float8, 8)
DEFINE_DENSE(float, vec8, float8, 8)
DEFINE_DENSE(double, vec4, float4, 4)
DEFINE_DENSE(float, vec4, float4, 4)
#undef DEFINE_DENSE

#define DENSE_CASES_4(CALL) case 1: CALL(1); break; default: CALL(2); break;
#define DENSE_CASES_8(CALL) \
    case 1: CALL(1); break; \
    case 2: CALL(2); break; \
    case 3: CALL(3); break; \
    case 4: CALL(4); break; \
    case 5: CALL(5); break; \
    default: CALL(6); break;

/* The rows from `begin` on of which a vector may be read beyond the end; the others are left. */
RRM_INLINE ptrdiff_t dense_safe(ptrdiff_t n, ptrdiff_t d, ptrdiff_t stride)
{
    ptrdiff_t safe = n * d < stride ? 0 : (n * d - stride) / d + 1;
    return (safe < n ? safe : n) / DENSE_TOGETHER * DENSE_TOGETHER;
}

#define DEFINE_DENSE_LOOPS(type, width, level)                                                    \
    level static void dense_scores_##type##width(const type *x, ptrdiff_t n, ptrdiff_t d,         \
                                                 const double *w, ptrdiff_t stride, ptrdiff_t k,  \
                                                 double *out)                                     \
    {                                                                                             \
        ptrdiff_t safe = dense_safe(n, d, stride);                                                \
        ptrdiff_t groups = (k + DENSE_MOST_##width - 1) / DENSE_MOST_##width;                     \
        ptrdiff_t gap = rows_apart(safe, d * (ptrdiff_t)sizeof(type)), far = gap * d;             \
        for (ptrdiff_t begin = 0; begin < safe; begin += DENSE_TOGETHER * gap)                    \
            for (ptrdiff_t i = begin; i < begin + gap; i++)                                       \
                for (ptrdiff_t g = 0; g < groups; g++) {                                          \
                    ptrdiff_t first = g * k / groups, count = (g + 1) * k / groups - first;       \
                    switch (count) {                                                              \
                        DENSE_CASES_##width(DENSE_TIMES_##type##width)                            \
                    }                                                                             \
                }                                                                                 \
        for (ptrdiff_t i = safe; i < n; i++)                                                      \
            for (ptrdiff_t l = 0; l < k; l++) {                                                   \
                double sum = 0;                                                                   \
                for (ptrdiff_t j = 0; j < d; j++)                                                 \
                    sum += (double)x[i * d + j] * w[l * stride + j];                              \
                out[l * n + i] = sum;                                                             \
            }                                                                                     \
    }                                                                                             \
    level static void dense_sums_##type##width(const type *x, ptrdiff_t n, ptrdiff_t d,           \
                                               const double *c, ptrdiff_t k, double *part,        \
                                               double *out, ptrdiff_t stride)                     \
    {                                                                                             \
        ptrdiff_t safe = vector_width() == PLAIN ? 0 : dense_safe(n, d, stride);                  \
        ptrdiff_t groups = (k + DENSE_MOST_##width - 1) / DENSE_MOST_##width;                     \
        for (ptrdiff_t begin = 0; begin < n; begin += DENSE_SPAN) {                               \
            ptrdiff_t end = n - begin < DENSE_SPAN ? n : begin + DENSE_SPAN;                      \
            ptrdiff_t last = end < safe ? end : safe, to = begin;                                 \
            ptrdiff_t gap = rows_apart(last - begin, d * (ptrdiff_t)sizeof(type)), far = gap * d; \
            memset(part, 0, sizeof(double) * k * stride);                                         \
            for (; to < last; to += DENSE_TOGETHER * gap)                                         \
                for (ptrdiff_t i = to; i < to + gap; i++)                                         \
                    for (ptrdiff_t g = 0; g < groups; g++) {                                      \
                        ptrdiff_t first = g * k / groups, count = (g + 1) * k / groups - first;   \
                        switch (count) {                                                          \
                            DENSE_CASES_##width(DENSE_ADD_##type##width)                          \
                        }                                                                         \
                    }                                                                             \
            for (ptrdiff_t i = to; i < end; i++)                                                  \
                for (ptrdiff_t l = 0; l < k; l++)                                                 \
                    for (ptrdiff_t j = 0; j < d; j++)                                             \
                        part[l * stride + j] += c[l * n + i] * (double)x[i * d + j];              \
            for (ptrdiff_t j = 0; j < k * stride; j++)                                            \
                out[j] += part[j];                                                                \
        }                                                                                         \
    }
#define DENSE_TIMES(name, count)                                                               \
    dense_times_##name(x + i * d, far, w + first * stride, stride, count, out + first * n + i, n, \
                       gap)
#define DENSE_ADD(name, count)                                                             \
    dense_add_##name(x + i * d, far, c + first * n + i, n, gap, count, part + first * stride, \
                     stride)
#define DENSE_TIMES_double8(count) DENSE_TIMES(double8, count)
#define DENSE_TIMES_float8(count) DENSE_TIMES(float8, count)
#define DENSE_TIMES_double4(count) DENSE_TIMES(double4, count)
#define DENSE_TIMES_float4(count) DENSE_TIMES(float4, count)
#define DENSE_ADD_double8(count) DENSE_ADD(double8, count)
#define DENSE_ADD_float8(count) DENSE_ADD(float8, count)
#define DENSE_ADD_double4(count) DENSE_ADD(double4, count)
#define DENSE_ADD_float4(count) DENSE_ADD(float4, count)
DEFINE_DENSE_LOOPS(double, 8, RRM_BY_8)
DEFINE_DENSE_LOOPS(float, 8, RRM_BY_8)
DEFINE_DENSE_LOOPS(double, 4, RRM_BY_4)
DEFINE_DENSE_LOOPS(float, 4, RRM_BY_4)
#undef DEFINE_DENSE_LOOPS

/* out = W x_i for each row i: w k × stride, out k × n. */
static inline void dense_scores(const void *x, int is_float, ptrdiff_t n, ptrdiff_t d,
                                const double *w, ptrdiff_t stride, ptrdiff_t k, double *out)
{
    int is_wide = vector_width() == VEC8;
    if (is_float)
        (is_wide ? dense_scores_float8 : dense_scores_float4)(x, n, d, w, stride, k, out);
    else
        (is_wide ? dense_scores_double8 : dense_scores_double4)(x, n, d, w, stride, k, out);
}

/* out += Σ_i c_i x_i for each line of c, k × n; out and `part`, which is written, k × stride. */
static inline void dense_sums(const void *x, int is_float, ptrdiff_t n, ptrdiff_t d,
                              const double *c, ptrdiff_t k, double *part, double *out,
                              ptrdiff_t stride)
{
    int is_wide = vector_width() == VEC8;
    if (is_float)
        (is_wide ? dense_sums_float8 : dense_sums_float4)(x, n, d, c, k, part, out, stride);
    else
        (is_wide ? dense_sums_double8 : dense_sums_double4)(x, n, d, c, k, part, out, stride);
}

#endif
