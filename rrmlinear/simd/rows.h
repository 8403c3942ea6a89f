/* One example as a row: sparse or dense, float32 or float64 values, int32 or int64 indices; or packed.
 *
 * Packed rows are sparse. A value is a whole number m of 32 bits over 10^0, 10^3, 10^6 or 10^9, and
 * indices have 16 bits. m · high + m · low is m / 10^k correctly rounded: `high` has 22 bits, so that
 * the first product is exact (tried for all m below 2^31).
 *
 * The kind is a compile-time constant inside each kernel (ROW_SWITCH below): a kernel is written
 * once, the compiler makes a loop for each kind, and the choice costs one branch a row. */
#ifndef RRM_ROWS_H
#define RRM_ROWS_H

#include <stddef.h>
#include <stdint.h>

enum { ROW_FLOAT32 = 1, ROW_INT64 = 2, ROW_DENSE = 4, ROW_PACKED = 8 };

/* A power of ten ≈ high + low. */
typedef struct {
    double high, low;
} row_unit_t;

typedef struct {
    const void *values;
    const void *indices;   /* not read when the row is dense */
    ptrdiff_t length;      /* stored values, the appended bias column not among them */
    int kind;              /* ROW_FLOAT32 | ROW_INT64 | ROW_DENSE, or ROW_PACKED */
    double bias;           /* value of the appended column; 0: there is none */
    ptrdiff_t bias_index;  /* its index: the number of features of the data */
    row_unit_t unit;       /* of packed values */
} row_t;

typedef struct {
    const void *values;
    const void *indices;
    const void *indptr;    /* not read when dense */
    ptrdiff_t n_rows, n_features;
    int kind;
    int indptr_is_64;
    double bias;
    row_unit_t unit;
} rows_t;

#define RRM_INLINE static inline __attribute__((always_inline))

/* The unit of packed values with 0, 3, 6 or 9 decimals. */
RRM_INLINE row_unit_t packed_unit(int decimals)
{
    static const row_unit_t units[] = {{1, 0},
                                       {0x1.0624e0p-10, -0x1.6872b020c49bap-33},
                                       {0x1.0c6f78p-20, 0x1.05af6c69b5a64p-43},
                                       {0x1.12e0c0p-30, -0x1.7d9296b4d19d3p-54}};
    return units[decimals / 3];
}

RRM_INLINE double packed_value(int32_t number, row_unit_t unit)
{
    double whole = number;
    return whole * unit.high + whole * unit.low;
}

/* Take the values for packed ones. */
static inline void rows_pack(rows_t *rows, int decimals)
{
    rows->kind = ROW_PACKED;
    rows->unit = packed_unit(decimals);
}

/* Code for several instruction sets, by gcc 12 or newer: glibc's loader takes the machine's best. */
#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && !defined(__clang__) \
    && __GNUC__ >= 12 && !defined(RRM_NO_CLONES)
#define RRM_HAS_CLONES
#define RRM_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define RRM_CLONES
#endif

/* Vectors of 4 and of 8 doubles, and code for the levels that take each. gcc keeps vectors that are
 * wider than registers in memory: with 8 doubles in one, AVX2 took 2 to 20 times as long as with 4. */
typedef double vec4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double vec8 __attribute__((vector_size(64), aligned(8), may_alias));
#ifdef RRM_HAS_CLONES
#define RRM_BY_4 __attribute__((target_clones("arch=x86-64-v3", "default")))
#define RRM_BY_4_ALONE __attribute__((target("arch=x86-64-v3"))) /* beside code of no vectors */
#define RRM_BY_8 __attribute__((target("arch=x86-64-v4")))
#else
#define RRM_BY_4
#define RRM_BY_4_ALONE
#define RRM_BY_8
#endif

/* How many doubles a vector of the machine has: which code it takes. 1 stands for two and fewer. */
enum { PLAIN = 1, VEC4 = 4, VEC8 = 8 };
static inline int vector_width(void)
{
#if defined(RRM_HAS_CLONES)
    return __builtin_cpu_supports("x86-64-v4")   ? VEC8
           : __builtin_cpu_supports("x86-64-v3") ? VEC4
                                                 : PLAIN;
#elif defined(__AVX512F__) || defined(__clang__)
    return VEC8;
#elif defined(__AVX__)
    return VEC4;
#else
    return PLAIN;
#endif
}

RRM_INLINE ptrdiff_t rows_begin(const rows_t *rows, ptrdiff_t i)
{
    return rows->indptr_is_64 ? (ptrdiff_t)((const int64_t *)rows->indptr)[i]
                              : (ptrdiff_t)((const int32_t *)rows->indptr)[i];
}

/* Bytes of a stored value, and of an index. */
RRM_INLINE ptrdiff_t row_value_size(int kind)
{
    return kind & (ROW_FLOAT32 | ROW_PACKED) ? 4 : 8;
}

RRM_INLINE ptrdiff_t row_index_size(int kind)
{
    return kind & ROW_PACKED ? 2 : kind & ROW_INT64 ? 8 : 4;
}

RRM_INLINE row_t rows_get(const rows_t *rows, ptrdiff_t i)
{
    row_t row;
    ptrdiff_t begin;
    if (rows->kind & ROW_DENSE) {
        begin = i * rows->n_features;
        row.length = rows->n_features;
        row.indices = NULL;
    } else {
        begin = rows_begin(rows, i);
        row.length = rows_begin(rows, i + 1) - begin;
        row.indices = (const char *)rows->indices + begin * row_index_size(rows->kind);
    }
    row.values = (const char *)rows->values + begin * row_value_size(rows->kind);
    row.kind = rows->kind;
    row.bias = rows->bias;
    row.bias_index = rows->n_features;
    row.unit = rows->unit;
    return row;
}

/* Prefetch where a row begins, some time before rows_prefetch. */
RRM_INLINE void rows_prefetch_begin(const rows_t *rows, ptrdiff_t i)
{
    if (!(rows->kind & ROW_DENSE))
        __builtin_prefetch((const char *)rows->indptr + i * (rows->indptr_is_64 ? 8 : 4), 0, 2);
}

/* Prefetch a row's first cache lines; the hardware fetches the rest of a long row by itself. */
RRM_INLINE void rows_prefetch(const rows_t *rows, ptrdiff_t i)
{
    row_t row = rows_get(rows, i);
    ptrdiff_t lines = row.length / 8 < 8 ? row.length / 8 + 1 : 8;
    for (ptrdiff_t t = 0; t < lines; t++) {
        __builtin_prefetch((const char *)row.values + 64 * t, 0, 2);
        if (row.indices)
            __builtin_prefetch((const char *)row.indices + 64 * t, 0, 2);
    }
}

/* Fetch the lines of so many bytes from `next` on, up to `end`; returns where to go on. */
RRM_INLINE const void *fetch_lines(const void *next, ptrdiff_t bytes, const void *end)
{
    const char *at = (const char *)next, *to = at + bytes;
    for (; at < to && at < (const char *)end; at += 64)
        __builtin_prefetch(at, 0, 2);
    return at;
}

RRM_INLINE double row_value(const row_t *row, int kind, ptrdiff_t t)
{
    if (kind & ROW_PACKED)
        return packed_value(((const int32_t *)row->values)[t], row->unit);
    return kind & ROW_FLOAT32 ? (double)((const float *)row->values)[t]
                              : ((const double *)row->values)[t];
}

RRM_INLINE ptrdiff_t row_index(const row_t *row, int kind, ptrdiff_t t)
{
    if (kind & ROW_DENSE)
        return t;
    if (kind & ROW_PACKED)
        return ((const uint16_t *)row->indices)[t];
    return kind & ROW_INT64 ? (ptrdiff_t)((const int64_t *)row->indices)[t]
                            : (ptrdiff_t)((const int32_t *)row->indices)[t];
}

/* The part of a row over features from ≤ t < to, where the row's indices increase. The appended
 * column belongs to the part that ends with the last feature. A dense part counts its features from
 * `from` on. */
static inline row_t row_part(row_t row, ptrdiff_t from, ptrdiff_t to)
{
    ptrdiff_t begin = from, end = to;
    if (row.length != row.bias_index) { /* else all features are stored */
        for (ptrdiff_t bound = 0; bound < 2; bound++) {
            ptrdiff_t low = 0, high = row.length, feature = bound ? to : from;
            while (low < high) {
                ptrdiff_t middle = (low + high) / 2;
                if (row_index(&row, row.kind, middle) < feature)
                    low = middle + 1;
                else
                    high = middle;
            }
            *(bound ? &end : &begin) = low;
        }
    }
    row.values = (const char *)row.values + begin * row_value_size(row.kind);
    if (row.indices)
        row.indices = (const char *)row.indices + begin * row_index_size(row.kind);
    row.length = end - begin;
    if (to < row.bias_index)
        row.bias = 0;
    if (row.kind & ROW_DENSE)
        row.bias_index -= from;
    return row;
}

/* Loops over k numbers, a multiple of 8, of which j + l is one, l = 0 … 7. Sums are kept in eight parts:
 * gcc adds the parts of its own reductions one after another, which takes as long as 30 numbers. */
#define BY_EIGHT(j, k)                                                  \
    for (ptrdiff_t j = 0; j < ((k) & ~(ptrdiff_t)7); j += 8)            \
        _Pragma("omp simd") for (ptrdiff_t l = 0; l < 8; l++)

RRM_INLINE double sum_of_8(const double *parts)
{
    double half[4];
#pragma omp simd
    for (ptrdiff_t l = 0; l < 4; l++)
        half[l] = parts[l] + parts[l + 4];
    return (half[0] + half[2]) + (half[1] + half[3]);
}

/* CALL(kind) with kind a constant. */
#define ROW_SWITCH(row, CALL)                                           \
    switch ((row)->kind) {                                              \
    case 0: CALL(0); break;                                             \
    case ROW_PACKED: CALL(ROW_PACKED); break;                           \
    case ROW_FLOAT32: CALL(ROW_FLOAT32); break;                         \
    case ROW_INT64: CALL(ROW_INT64); break;                             \
    case ROW_INT64 | ROW_FLOAT32: CALL(ROW_INT64 | ROW_FLOAT32); break; \
    case ROW_DENSE | ROW_FLOAT32: CALL(ROW_DENSE | ROW_FLOAT32); break; \
    default: CALL(ROW_DENSE); break;                                    \
    }

#endif
