/* The scores and updates of lanes.h. They are compiled once: with all kinds of rows they are large. */
#include "labels/lanes.h"

enum { PIECE = 512 /* values of a row that are added up at a time */ };

typedef float float16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef float float8v __attribute__((vector_size(32), aligned(4), may_alias));
typedef float float4v __attribute__((vector_size(16), aligned(4), may_alias));

/* The values of a piece of a row in the precision of W: where they lie, or converted into `held`. */
#define DEFINE_VALUES(real, own)                                                                  \
    RRM_INLINE const real *values_##real(const row_t *row, int kind, ptrdiff_t from, ptrdiff_t to, \
                                         real *held)                                              \
    {                                                                                             \
        if ((kind & (ROW_FLOAT32 | ROW_PACKED)) == own)                                           \
            return (const real *)row->values + from;                                              \
        for (ptrdiff_t t = from; t < to; t++)                                                     \
            held[t - from] = (real)row_value(row, kind, t);                                       \
        return held;                                                                              \
    }
DEFINE_VALUES(float, ROW_FLOAT32)
DEFINE_VALUES(double, 0)
#undef DEFINE_VALUES

enum { TOGETHER = 4 /* values whose sums hide the latency of additions */ };

/* z = Σ_t x_t W[t], in vectors `vec` of `real`; W is of `stored`, in vectors `part`. */
#define DEFINE_SCORES(name, real, vec, stored, part, width, level)                               \
    RRM_INLINE vec name##_at(const stored *W, ptrdiff_t j, int c)                                \
    {                                                                                            \
        return __builtin_convertvector(*(const part *)(W + j * LANES + c * width), vec);         \
    }                                                                                            \
    RRM_INLINE void name##_kind(const row_t *row, int kind, const stored *W, real *z)            \
    {                                                                                            \
        enum { PARTS = LANES / width };                                                          \
        real held[PIECE];                                                                        \
        vec whole[PARTS];                                                                        \
        for (int c = 0; c < PARTS; c++) {                                                        \
            whole[c] = (vec){0};                                                                 \
            if (row->bias != 0)                                                                  \
                whole[c] += (real)row->bias * name##_at(W, row->bias_index, c);                  \
        }                                                                                        \
        for (ptrdiff_t from = 0; from < row->length; from += PIECE) {                            \
            ptrdiff_t to = row->length - from < PIECE ? row->length : from + PIECE, t = from;    \
            const real *x = values_##real(row, kind, from, to, held) - from;                     \
            vec sum[TOGETHER][PARTS];                                                            \
            for (int r = 0; r < TOGETHER; r++)                                                   \
                for (int c = 0; c < PARTS; c++)                                                  \
                    sum[r][c] = (vec){0};                                                        \
            for (; t + TOGETHER <= to; t += TOGETHER)                                            \
                for (int r = 0; r < TOGETHER; r++)                                               \
                    for (int c = 0; c < PARTS; c++)                                              \
                        sum[r][c] += x[t + r] * name##_at(W, row_index(row, kind, t + r), c);    \
            for (int r = 0; r < TOGETHER - 1; r++)                                               \
                if (t + r < to)                                                                  \
                    for (int c = 0; c < PARTS; c++)                                              \
                        sum[r][c] += x[t + r] * name##_at(W, row_index(row, kind, t + r), c);    \
            for (int c = 0; c < PARTS; c++)                                                      \
                whole[c] += (sum[0][c] + sum[1][c]) + (sum[2][c] + sum[3][c]);                   \
        }                                                                                        \
        for (int c = 0; c < PARTS; c++)                                                          \
            *(vec *)(z + c * width) = whole[c];                                                  \
    }                                                                                            \
    level static void name(const row_t *row, const stored *W, real *z)                           \
    {                                                                                            \
        ROW_SWITCH(row, CALL_##name)                                                             \
    }
#define CALL_scores_float16(kind) scores_float16_kind(row, kind, W, z)
#define CALL_scores_float8v(kind) scores_float8v_kind(row, kind, W, z)
#define CALL_scores_vec8(kind) scores_vec8_kind(row, kind, W, z)
#define CALL_scores_vec4(kind) scores_vec4_kind(row, kind, W, z)
#define CALL_exact_vec8(kind) exact_vec8_kind(row, kind, W, z)
#define CALL_exact_vec4(kind) exact_vec4_kind(row, kind, W, z)
DEFINE_SCORES(scores_float16, float, float16, float, float16, 16, RRM_BY_8)
DEFINE_SCORES(scores_float8v, float, float8v, float, float8v, 8, RRM_BY_4)
DEFINE_SCORES(scores_vec8, double, vec8, double, vec8, 8, RRM_BY_8)
DEFINE_SCORES(scores_vec4, double, vec4, double, vec4, 4, RRM_BY_4)
DEFINE_SCORES(exact_vec8, double, vec8, float, float8v, 8, RRM_BY_8)
DEFINE_SCORES(exact_vec4, double, vec4, float, float4v, 4, RRM_BY_4)
#undef DEFINE_SCORES

/* W[t] += x_t steps. */
#define DEFINE_UPDATES(real, vec, width, level)                                                \
    RRM_INLINE void lane_update_kind_##vec(const row_t *row, int kind, real *W,                \
                                           const real *steps)                                  \
    {                                                                                          \
        enum { PARTS = LANES / width };                                                        \
        real held[PIECE];                                                                      \
        vec step[PARTS];                                                                       \
        for (int c = 0; c < PARTS; c++)                                                        \
            step[c] = *(const vec *)(steps + c * width);                                       \
        for (ptrdiff_t from = 0; from < row->length; from += PIECE) {                          \
            ptrdiff_t to = row->length - from < PIECE ? row->length : from + PIECE;            \
            const real *x = values_##real(row, kind, from, to, held) - from;                   \
            for (ptrdiff_t t = from; t < to; t++) {                                            \
                real *w = W + row_index(row, kind, t) * LANES;                                 \
                for (int c = 0; c < PARTS; c++)                                                \
                    *(vec *)(w + c * width) += x[t] * step[c];                                 \
            }                                                                                  \
        }                                                                                      \
        if (row->bias != 0)                                                                    \
            for (int c = 0; c < PARTS; c++)                                                    \
                *(vec *)(W + row->bias_index * LANES + c * width) +=                           \
                    (real)row->bias * step[c];                                                 \
    }                                                                                          \
    level static void lane_update_##vec(const row_t *row, real *W, const real *steps)          \
    {                                                                                          \
        ROW_SWITCH(row, CALL_UPDATE_##vec)                                                     \
    }
#define CALL_UPDATE_float16(kind) lane_update_kind_float16(row, kind, W, steps)
#define CALL_UPDATE_float8v(kind) lane_update_kind_float8v(row, kind, W, steps)
#define CALL_UPDATE_vec8(kind) lane_update_kind_vec8(row, kind, W, steps)
#define CALL_UPDATE_vec4(kind) lane_update_kind_vec4(row, kind, W, steps)
DEFINE_UPDATES(float, float16, 16, RRM_BY_8)
DEFINE_UPDATES(float, float8v, 8, RRM_BY_4)
DEFINE_UPDATES(double, vec8, 8, RRM_BY_8)
DEFINE_UPDATES(double, vec4, 4, RRM_BY_4)
#undef DEFINE_UPDATES

void lane_scores(const row_t *row, const void *W, int is_single, int width, void *z)
{
    if (is_single)
        (width == VEC8 ? scores_float16 : scores_float8v)(row, (const float *)W, (float *)z);
    else
        (width == VEC8 ? scores_vec8 : scores_vec4)(row, (const double *)W, (double *)z);
}

void lane_exact_scores(const row_t *row, const void *W, int is_single, int width, double *z)
{
    if (is_single)
        (width == VEC8 ? exact_vec8 : exact_vec4)(row, (const float *)W, z);
    else
        lane_scores(row, W, is_single, width, z);
}

void lane_update(const row_t *row, void *W, int is_single, int width, const void *steps)
{
    if (is_single)
        (width == VEC8 ? lane_update_float16 : lane_update_float8v)(row, (float *)W,
                                                                    (const float *)steps);
    else
        (width == VEC8 ? lane_update_vec8 : lane_update_vec4)(row, (double *)W,
                                                              (const double *)steps);
}
