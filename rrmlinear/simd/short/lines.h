/* Columns of floats rounded to bytes, for Gram matrices by `byte_gram`. */
#ifndef RRM_SHORT_LINES_H
#define RRM_SHORT_LINES_H

#include <math.h>
#include <string.h>
#include "grams.h"

/* Columns whose largest number is at most this one count as 0. */
#define LEAST_LARGEST 1e-30f

/* total_ij += units_i units_j (sums_ij − sums_i,count) for columns j from `known` and from i on, of
 * `width` sums a line, which are made 0. Column `count` holds 0. */
RRM_CLONES static void add_byte_sums(double *restrict sums, const double *restrict units,
                                     ptrdiff_t known, ptrdiff_t count, ptrdiff_t width,
                                     double *restrict total)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        double *from = sums + i * width, *to = total + i * width;
        double less = from[count], unit = units[i];
        ptrdiff_t begin = i > known ? i : known, whole = begin / BYTE_COLUMNS * BYTE_COLUMNS;
        for (ptrdiff_t j = begin; j < count; j++)
            to[j] += unit * units[j] * (from[j] - less);
        memset(from + whole, 0, (size_t)(width - whole) * sizeof(double));
    }
}

#ifdef RRM_HAS_CLONES
/* Four values of a column lie in each group: these are 16, from row i on. */
RRM_BY_BYTES static inline void store_groups(__m512 values, float inverse, ptrdiff_t i, int8_t *to)
{
    __m512i whole = _mm512_cvtps_epi32(_mm512_mul_ps(values, _mm512_set1_ps(inverse)));
    int32_t four[4];
    _mm_storeu_si128((__m128i *)four, _mm512_cvtsepi32_epi8(whole));
    for (int k = 0; k < 4; k++)
        memcpy(to + (i + k * BYTE_GROUP) * BYTE_COLUMNS, four + k, sizeof four[k]);
}

/* The bytes of at most BYTE_ROWS values of each of `count` lines, whose largest one is 127 units, and
 * these units. Rows up to 16 more are 0. */
RRM_BY_BYTES static void line_bytes(const float *lines, ptrdiff_t count, ptrdiff_t rows,
                                    int8_t *bytes, double *units)
{
    for (ptrdiff_t c = 0; c < count; c++) {
        const float *line = lines + c * rows;
        int8_t *to = bytes + c / BYTE_COLUMNS * (BYTE_ROWS * BYTE_COLUMNS);
        to += c % BYTE_COLUMNS * BYTE_GROUP;
        ptrdiff_t whole = rows / 16 * 16;
        __mmask16 rest = (__mmask16)((1u << (rows - whole)) - 1);
        __m512 last = _mm512_maskz_loadu_ps(rest, line + whole), most = _mm512_abs_ps(last);
        for (ptrdiff_t i = 0; i < whole; i += 16)
            most = _mm512_max_ps(most, _mm512_abs_ps(_mm512_loadu_ps(line + i)));
        float largest = _mm512_reduce_max_ps(most);
        float inverse = largest > LEAST_LARGEST ? LARGEST_BYTE / largest : 0;
        units[c] = largest > LEAST_LARGEST ? 1.0 / inverse : 0;
        for (ptrdiff_t i = 0; i < whole; i += 16)
            store_groups(_mm512_loadu_ps(line + i), inverse, i, to);
        if (rest)
            store_groups(last, inverse, whole, to);
    }
}

/* The same of rows that have a value of each column. */
RRM_BY_BYTES static void row_bytes(const float *values, ptrdiff_t count, ptrdiff_t rows,
                                   int8_t *bytes, double *units)
{
    const __m512i low = _mm512_set1_epi32(255);
    for (ptrdiff_t c = 0; c < count; c += BYTE_COLUMNS) {
        int8_t *to = bytes + c * BYTE_ROWS;
        __mmask16 some = (__mmask16)(count - c < 16 ? (1u << (count - c)) - 1 : 0xffff);
        __m512 most = _mm512_setzero_ps();
        for (ptrdiff_t i = 0; i < rows; i++)
            most = _mm512_max_ps(most, _mm512_abs_ps(
                                           _mm512_maskz_loadu_ps(some, values + i * count + c)));
        __mmask16 used = _mm512_cmp_ps_mask(most, _mm512_set1_ps(LEAST_LARGEST), _CMP_GT_OQ);
        __m512 inverse = _mm512_maskz_div_ps(used, _mm512_set1_ps(LARGEST_BYTE), most);
        float factors[16];
        _mm512_storeu_ps(factors, inverse);
        for (ptrdiff_t k = 0; k < 16 && c + k < count; k++)
            units[c + k] = factors[k] > 0 ? 1.0 / factors[k] : 0;
        for (ptrdiff_t i = 0; i < rows; i += BYTE_GROUP) {
            __m512i all = _mm512_setzero_si512();
            for (int k = 0; k < BYTE_GROUP && i + k < rows; k++) {
                __m512 value = _mm512_maskz_loadu_ps(some, values + (i + k) * count + c);
                __m512i byte = _mm512_cvtps_epi32(_mm512_mul_ps(value, inverse));
                all = _mm512_or_si512(all, _mm512_slli_epi32(_mm512_and_si512(byte, low), 8 * k));
            }
            _mm512_storeu_si512(to + i * BYTE_COLUMNS, all);
        }
    }
}
#else
static inline void line_bytes(const float *lines, ptrdiff_t count, ptrdiff_t rows, int8_t *bytes,
                              double *units)
{
}
static inline void row_bytes(const float *values, ptrdiff_t count, ptrdiff_t rows, int8_t *bytes,
                             double *units)
{
}
#endif

#endif
