/* Gram matrices of rows with 16 bits a value, rounded to bytes, by instructions that add four products
 * of bytes to a sum of 32 bits. In a matrix of floats these rows take four times as long. */
#ifndef RRM_SHORT_GRAMS_H
#define RRM_SHORT_GRAMS_H

#include "rows.h"

/* Bytes of BYTE_ROWS rows stay in a cache. They lie by panels of BYTE_COLUMNS columns, and there by
 * groups of BYTE_GROUP rows: all of a column, and then the next one. */
enum { BYTE_ROWS = 512, BYTE_GROUP = 4, BYTE_COLUMNS = 16, LARGEST_BYTE = 127 };

#ifdef RRM_HAS_CLONES
#include <immintrin.h>
#define RRM_BY_BYTES __attribute__((target("arch=x86-64-v4,avx512vnni")))

/* Whether the machine has these instructions. */
static inline int has_byte_products(void)
{
    return __builtin_cpu_supports("x86-64-v4") && __builtin_cpu_supports("avx512vnni");
}

/* The bytes factors_i q_ij of at most BYTE_ROWS chosen rows, rounded, and Σ_j of their squares.
 * Column `last` holds ones_i; columns behind it are 0, and so are rows up to a group. */
RRM_BY_BYTES static void short_bytes(const int16_t *restrict q, const int64_t *restrict chosen,
                                     const float *restrict factors, const float *restrict ones,
                                     ptrdiff_t rows, ptrdiff_t stride, ptrdiff_t panels,
                                     ptrdiff_t last, int8_t *restrict bytes,
                                     float *restrict squares)
{
    const ptrdiff_t panel = BYTE_ROWS * BYTE_COLUMNS;
    const __m512i low = _mm512_set1_epi32(255);
    for (ptrdiff_t i = 0; i < rows; i += BYTE_GROUP) {
        int8_t *to = bytes + i * BYTE_COLUMNS;
        const int16_t *row[BYTE_GROUP];
        __m512 factor[BYTE_GROUP], sum[BYTE_GROUP];
        for (int k = 0; k < BYTE_GROUP; k++) {
            ptrdiff_t at = i + k < rows ? i + k : i;
            row[k] = q + chosen[at] * stride;
            factor[k] = _mm512_set1_ps(i + k < rows ? factors[at] : 0);
            sum[k] = _mm512_setzero_ps();
        }
        for (ptrdiff_t p = 0; p < panels; p++) {
            __m512i all = _mm512_setzero_si512();
            for (int k = 0; k < BYTE_GROUP && p * BYTE_COLUMNS < stride; k++) {
                const void *from = row[k] + p * BYTE_COLUMNS;
                __m512i whole = _mm512_cvtepi16_epi32(_mm256_loadu_si256(from));
                __m512 value = _mm512_mul_ps(_mm512_cvtepi32_ps(whole), factor[k]);
                __m512i byte = _mm512_and_si512(_mm512_cvtps_epi32(value), low);
                all = _mm512_or_si512(all, _mm512_slli_epi32(byte, 8 * k));
                sum[k] = _mm512_fmadd_ps(value, value, sum[k]);
            }
            _mm512_storeu_si512(to + p * panel, all);
        }
        to += last / BYTE_COLUMNS * panel + last % BYTE_COLUMNS * BYTE_GROUP;
        for (int k = 0; k < BYTE_GROUP && i + k < rows; k++) {
            squares[i + k] = _mm512_reduce_add_ps(sum[k]);
            to[k] = (int8_t)lrintf(ones[i + k]);
        }
    }
}

/* sum += Σ of four products of bytes y of no sign and x, in each of 16 places. Beside the intrinsic
 * function gcc copies and spills the sums: 29 ms in place of 13 for 20 000 x 500. */
#define ADD_FOUR(sum, y, x) __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(y), "v"(x))

/* sums_ij += Σ a (b + 128) of the columns a = i of half a panel and b = j of COUNT panels. */
#define BYTE_TILE(COUNT)                                                                          \
    RRM_BY_BYTES static void byte_tile_##COUNT(const int8_t *a, const int8_t *b, ptrdiff_t groups, \
                                               double *sums, ptrdiff_t width)                     \
    {                                                                                             \
        enum { HALF = BYTE_COLUMNS / 2, LINE = BYTE_COLUMNS * BYTE_GROUP };                       \
        const __m512i moved = _mm512_set1_epi8((char)0x80);                                       \
        __m512i s[HALF][COUNT], y[COUNT];                                                         \
        _Pragma("GCC unroll 8") for (int i = 0; i < HALF; i++)                                    \
            _Pragma("GCC unroll 3") for (int v = 0; v < COUNT; v++)                               \
                s[i][v] = _mm512_setzero_si512();                                                 \
        for (ptrdiff_t g = 0; g < groups; g++) {                                                  \
            _Pragma("GCC unroll 3") for (int v = 0; v < COUNT; v++)                               \
            {                                                                                     \
                const int8_t *at = b + v * BYTE_ROWS * BYTE_COLUMNS + g * LINE;                   \
                y[v] = _mm512_xor_si512(moved, _mm512_loadu_si512(at));                           \
            }                                                                                     \
            _Pragma("GCC unroll 8") for (int i = 0; i < HALF; i++)                                \
            {                                                                                     \
                int32_t four;                                                                     \
                memcpy(&four, a + g * LINE + i * BYTE_GROUP, sizeof four);                        \
                __m512i x = _mm512_set1_epi32(four);                                              \
                _Pragma("GCC unroll 3") for (int v = 0; v < COUNT; v++)                           \
                    ADD_FOUR(s[i][v], y[v], x);                                                   \
            }                                                                                     \
        }                                                                                         \
        _Pragma("GCC unroll 8") for (int i = 0; i < HALF; i++)                                    \
            _Pragma("GCC unroll 3") for (int v = 0; v < COUNT; v++)                               \
        {                                                                                         \
            double *to = sums + i * width + v * BYTE_COLUMNS;                                     \
            __m256i high = _mm512_extracti64x4_epi64(s[i][v], 1);                                 \
            __m512d first = _mm512_cvtepi32_pd(_mm512_castsi512_si256(s[i][v]));                  \
            _mm512_storeu_pd(to, _mm512_add_pd(_mm512_loadu_pd(to), first));                      \
            to += BYTE_COLUMNS / 2;                                                               \
            _mm512_storeu_pd(to, _mm512_add_pd(_mm512_loadu_pd(to), _mm512_cvtepi32_pd(high)));   \
        }                                                                                         \
    }

BYTE_TILE(1)
BYTE_TILE(2)
BYTE_TILE(3)

/* sums_ij += Σ a_i (a_j + 128) over rows of bytes, for panels j from `first` and from that of i on.
 * sums_ij − sums_i,last is the Gram matrix where the last column is 0. */
RRM_BY_BYTES static void byte_gram(const int8_t *bytes, ptrdiff_t rows, ptrdiff_t panels,
                                   ptrdiff_t first, double *sums)
{
    const ptrdiff_t panel = BYTE_ROWS * BYTE_COLUMNS, width = panels * BYTE_COLUMNS;
    ptrdiff_t half = BYTE_COLUMNS / 2, groups = (rows + BYTE_GROUP - 1) / BYTE_GROUP;
    for (ptrdiff_t i = 0; i < width; i += half) {
        const int8_t *a = bytes + i / BYTE_COLUMNS * panel + i % BYTE_COLUMNS * BYTE_GROUP;
        ptrdiff_t own = i / BYTE_COLUMNS;
        for (ptrdiff_t p = own > first ? own : first; p < panels; p += 3) {
            const int8_t *b = bytes + p * panel;
            double *to = sums + i * width + p * BYTE_COLUMNS;
            if (panels - p >= 3)
                byte_tile_3(a, b, groups, to, width);
            else if (panels - p == 2)
                byte_tile_2(a, b, groups, to, width);
            else
                byte_tile_1(a, b, groups, to, width);
        }
    }
}
#else
static inline int has_byte_products(void)
{
    return 0;
}
static inline void short_bytes(const int16_t *q, const int64_t *chosen, const float *factors,
                               const float *ones, ptrdiff_t rows, ptrdiff_t stride,
                               ptrdiff_t panels, ptrdiff_t last, int8_t *bytes, float *squares)
{
}
static inline void byte_gram(const int8_t *bytes, ptrdiff_t rows, ptrdiff_t panels, ptrdiff_t first,
                             double *sums)
{
}
#endif

#endif
