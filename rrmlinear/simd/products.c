/* The products of products.h. They are compiled once: with all kinds of rows they are large.
 *
 * Which variant runs depends on the length of the rows and on how many factors are 0 (thresholds
 * measured: tools/bench/measurements.md, Products). The processor fetches short rows ahead by itself.
 * Long sparse rows are prefetched, as the processor waits for entries of w there. Adding a row whose
 * factor is 0 costs less than branching around it, unless most factors are 0. */
#include "products.h"

#include "apart.h"
#include "row_products.h"

enum {
    ROWS_PER_BLOCK = 256,    /* rows whose factors are counted together */
    LONG_ROW = 32,           /* stored values a row, in the mean, from which rows are prefetched */
    PREFETCH_DISTANCE = 2048 /* bytes of values between a prefetch and its use */
};
/* Four rows at once: four independent sums hide the latency of additions, and `sum` is read and
 * written once for four rows. */
#define PRODUCTS_OF_DENSE(NAME, TYPE, SCOPE)                                                        \
    RRM_CLONES SCOPE void NAME##_times(const TYPE *x, ptrdiff_t rows, ptrdiff_t d,                \
                                        const double *w, double *out)                              \
    {                                                                                              \
        ptrdiff_t gap = rows_apart(rows, d * (ptrdiff_t)sizeof(TYPE)), far = gap * d, begin = 0;   \
        for (; begin + 4 * gap <= rows; begin += 4 * gap)                                          \
            for (ptrdiff_t i = begin; i < begin + gap; i++) {                                      \
                const TYPE *x0 = x + i * d, *x1 = x0 + far, *x2 = x1 + far, *x3 = x2 + far;        \
                double s0 = 0, s1 = 0, s2 = 0, s3 = 0;                                             \
                _Pragma("omp simd reduction(+ : s0, s1, s2, s3)")                                  \
                for (ptrdiff_t j = 0; j < d; j++)                                                  \
                {                                                                                  \
                    s0 += (double)x0[j] * w[j];                                                    \
                    s1 += (double)x1[j] * w[j];                                                    \
                    s2 += (double)x2[j] * w[j];                                                    \
                    s3 += (double)x3[j] * w[j];                                                    \
                }                                                                                  \
                out[i] = s0;                                                                       \
                out[i + gap] = s1;                                                                 \
                out[i + 2 * gap] = s2;                                                             \
                out[i + 3 * gap] = s3;                                                             \
            }                                                                                      \
        for (ptrdiff_t i = begin; i < rows; i++) {                                                 \
            double s = 0;                                                                          \
            _Pragma("omp simd reduction(+ : s)") for (ptrdiff_t j = 0; j < d; j++) s +=            \
                (double)x[i * d + j] * w[j];                                                       \
            out[i] = s;                                                                            \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    RRM_CLONES SCOPE void NAME##_add(const TYPE *x, ptrdiff_t rows, ptrdiff_t d, const double *c, \
                                      const double *a, double *restrict sum)                       \
    {                                                                                              \
        ptrdiff_t gap = rows_apart(rows, d * (ptrdiff_t)sizeof(TYPE)), far = gap * d, begin = 0;   \
        for (; begin + 4 * gap <= rows; begin += 4 * gap)                                          \
            for (ptrdiff_t i = begin, i1 = i + gap, i2 = i1 + gap, i3 = i2 + gap; i < begin + gap; \
                 i++, i1++, i2++, i3++) {                                                          \
                const TYPE *x0 = x + i * d, *x1 = x0 + far, *x2 = x1 + far, *x3 = x2 + far;        \
                double a0 = c[i] * a[i], a1 = c[i1] * a[i1];                                       \
                double a2 = c[i2] * a[i2], a3 = c[i3] * a[i3];                                     \
                _Pragma("omp simd") for (ptrdiff_t j = 0; j < d; j++) sum[j] =                     \
                    (((sum[j] + a0 * x0[j]) + a1 * x1[j]) + a2 * x2[j]) + a3 * x3[j];              \
            }                                                                                      \
        for (ptrdiff_t i = begin; i < rows; i++) {                                                 \
            double a0 = c[i] * a[i];                                                               \
            _Pragma("omp simd") for (ptrdiff_t j = 0; j < d; j++) sum[j] += a0 * x[i * d + j];     \
        }                                                                                          \
    }

/* sum += Σ c_i a_i x_i and other += Σ c_i h_i x_i. The bytes behind these rows, as many as `ahead`,
 * are fetched meanwhile: they are read next, and these rows come from a cache. */
#define TWO_SUMS_OF_DENSE(NAME, TYPE)                                                             \
    RRM_CLONES static void NAME##_add_two(                                                        \
        const TYPE *x, ptrdiff_t rows, ptrdiff_t d, const double *c, const double *a,             \
        const double *h, ptrdiff_t ahead, double *restrict sum, double *restrict other)           \
    {                                                                                             \
        const char *next = (const char *)(x + rows * d), *end = next + ahead;                     \
        ptrdiff_t bytes = d * (ptrdiff_t)sizeof(TYPE), gap = rows_apart(rows, bytes), begin = 0;  \
        for (; begin + 4 * gap <= rows; begin += 4 * gap)                                         \
            for (ptrdiff_t i = begin, i1 = i + gap, i2 = i1 + gap, i3 = i2 + gap; i < begin + gap;\
                 i++, i1++, i2++, i3++) {                                                         \
                const TYPE *x0 = x + i * d, *x1 = x + i1 * d, *x2 = x + i2 * d, *x3 = x + i3 * d; \
                double a0 = c[i] * a[i], a1 = c[i1] * a[i1];                                      \
                double a2 = c[i2] * a[i2], a3 = c[i3] * a[i3];                                    \
                double h0 = c[i] * h[i], h1 = c[i1] * h[i1];                                      \
                double h2 = c[i2] * h[i2], h3 = c[i3] * h[i3];                                    \
                next = fetch_lines(next, 4 * bytes, end);                                         \
                _Pragma("omp simd") for (ptrdiff_t j = 0; j < d; j++)                             \
                {                                                                                 \
                    sum[j] = (((sum[j] + a0 * x0[j]) + a1 * x1[j]) + a2 * x2[j]) + a3 * x3[j];    \
                    other[j] =                                                                    \
                        (((other[j] + h0 * x0[j]) + h1 * x1[j]) + h2 * x2[j]) + h3 * x3[j];       \
                }                                                                                 \
            }                                                                                     \
        for (ptrdiff_t i = begin; i < rows; i++) {                                                \
            double a0 = c[i] * a[i], h0 = c[i] * h[i];                                            \
            _Pragma("omp simd") for (ptrdiff_t j = 0; j < d; j++)                                 \
            {                                                                                     \
                sum[j] += a0 * x[i * d + j];                                                      \
                other[j] += h0 * x[i * d + j];                                                    \
            }                                                                                     \
        }                                                                                         \
    }

TWO_SUMS_OF_DENSE(dense_float, float)
TWO_SUMS_OF_DENSE(dense_double, double)
PRODUCTS_OF_DENSE(dense_float, float, )
PRODUCTS_OF_DENSE(dense_double, double, static)

RRM_INLINE void product_prefetch(const row_t *row)
{
    ptrdiff_t value = row_value_size(row->kind), index = row_index_size(row->kind);
    const char *values = (const char *)row->values + PREFETCH_DISTANCE;
    const char *indices = (const char *)row->indices + PREFETCH_DISTANCE / value * index;
    for (ptrdiff_t q = 0; q < row->length * value; q += 64)
        __builtin_prefetch(values + q, 0, 2);
    for (ptrdiff_t q = 0; q < row->length * index; q += 64)
        __builtin_prefetch(indices + q, 0, 2);
}

RRM_INLINE int rows_are_long(const rows_t *rows, ptrdiff_t begin, ptrdiff_t end)
{
    return !(rows->kind & ROW_DENSE)
           && rows_begin(rows, end) - rows_begin(rows, begin) >= LONG_ROW * (end - begin);
}

/* The rows with their kind as a constant: a loop over many rows chooses it once. */
RRM_INLINE rows_t rows_of_kind(const rows_t *rows, int kind)
{
    rows_t known = *rows;
    known.kind = kind;
    return known;
}

RRM_INLINE void rows_times_kind(const rows_t *rows, int kind, int is_long, ptrdiff_t begin,
                                ptrdiff_t end, const double *w, double *out)
{
    rows_t known = rows_of_kind(rows, kind);
    for (ptrdiff_t i = begin; i < end; i++) {
        row_t row = rows_get(&known, i);
        if (is_long)
            product_prefetch(&row);
        out[i] = row_dot_kind(&row, kind, w, 0);
    }
}

void rows_times(const rows_t *rows, ptrdiff_t begin, ptrdiff_t end, const double *w,
                       double *out)
{
    ptrdiff_t d = rows->n_features;
    int is_long = rows_are_long(rows, begin, end);
    if (rows->kind & ROW_DENSE) {
        if (rows->kind & ROW_FLOAT32)
            dense_float_times((const float *)rows->values + begin * d, end - begin, d, w,
                              out + begin);
        else
            dense_double_times((const double *)rows->values + begin * d, end - begin, d, w,
                               out + begin);
        for (ptrdiff_t i = begin; rows->bias != 0 && i < end; i++)
            out[i] += rows->bias * w[d];
        return;
    }
#define CALL(kind) rows_times_kind(rows, kind, is_long, begin, end, w, out)
    ROW_SWITCH(rows, CALL)
#undef CALL
}

RRM_INLINE void rows_add_kind(const rows_t *rows, int kind, int is_long, const ptrdiff_t *places,
                              ptrdiff_t from, ptrdiff_t count, const double *c, const double *a,
                              double *sum)
{
    rows_t known = rows_of_kind(rows, kind);
    for (ptrdiff_t k = 0; k < count; k++) {
        ptrdiff_t i = places ? places[k] : from + k;
        row_t row = rows_get(&known, i);
        if (is_long)
            product_prefetch(&row);
        row_axpy_kind(&row, kind, c[i] * a[i], sum);
    }
}

void rows_add(const rows_t *rows, ptrdiff_t begin, ptrdiff_t end, const double *c,
                     const double *a, double *sum)
{
    ptrdiff_t places[ROWS_PER_BLOCK], d = rows->n_features;
    int is_long = rows_are_long(rows, begin, end);
    for (ptrdiff_t from = begin; from < end; from += ROWS_PER_BLOCK) {
        ptrdiff_t to = end - from < ROWS_PER_BLOCK ? end : from + ROWS_PER_BLOCK, count = 0;
        for (ptrdiff_t i = from; i < to; i++) {
            places[count] = i;
            count += c[i] * a[i] != 0;
        }
        int all = !is_long && 3 * count > to - from;
        if (all && rows->kind & ROW_DENSE) {
            if (rows->kind & ROW_FLOAT32)
                dense_float_add((const float *)rows->values + from * d, to - from, d, c + from,
                                a + from, sum);
            else
                dense_double_add((const double *)rows->values + from * d, to - from, d, c + from,
                                 a + from, sum);
            for (ptrdiff_t i = from; rows->bias != 0 && i < to; i++)
                sum[d] += c[i] * a[i] * rows->bias;
            continue;
        }
#define CALL(kind) \
    rows_add_kind(rows, kind, is_long, all ? NULL : places, from, all ? to - from : count, c, a, sum)
        ROW_SWITCH(rows, CALL)
#undef CALL
    }
}

void rows_add_two(const rows_t *rows, ptrdiff_t begin, ptrdiff_t end, const double *c,
                         const double *a, const double *h, ptrdiff_t ahead, double *sum,
                         double *other)
{
    ptrdiff_t d = rows->n_features, count = end - begin;
    if (!(rows->kind & ROW_DENSE)) {
        rows_add(rows, begin, end, c, a, sum);
        rows_add(rows, begin, end, c, h, other);
        return;
    }
    if (rows->kind & ROW_FLOAT32)
        dense_float_add_two((const float *)rows->values + begin * d, count, d, c + begin,
                            a + begin, h + begin, ahead * d * 4, sum, other);
    else
        dense_double_add_two((const double *)rows->values + begin * d, count, d, c + begin,
                             a + begin, h + begin, ahead * d * 8, sum, other);
    for (ptrdiff_t i = begin; rows->bias != 0 && i < end; i++) {
        sum[d] += c[i] * a[i] * rows->bias;
        other[d] += c[i] * h[i] * rows->bias;
    }
}
