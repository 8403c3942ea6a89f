/* The product of few_columns.h. */
#include "few_columns.h"

enum { FEW_LOOKAHEAD = 12 }; /* stored values between the prefetch of a row of M and its use */

/* out = start + Σ_p x_p M[j_p, :] for the values from `begin` to `end` of a sparse matrix, k columns,
 * in vectors of this width. The last vector ends with the row and overlaps the one before. Rows of M
 * are fetched ahead, also those of the next rows of the matrix, up to value `last`: they lie anywhere
 * in M. */
#define DEFINE_FEW_GATHER(vec, width)                                                              \
    RRM_INLINE void few_gather_##vec(const double *x, const int32_t *j, ptrdiff_t begin,           \
                                     ptrdiff_t end, ptrdiff_t last, const double *M, ptrdiff_t k,  \
                                     const double *start, int columns, double *out)                \
    {                                                                                              \
        vec even[32 / width], odd[32 / width];                                                     \
        for (int c = 0; c < columns; c++) {                                                        \
            even[c] = *(const vec *)(start + FEW_BEGIN(c, width));                                 \
            odd[c] = (vec){0};                                                                     \
        }                                                                                          \
        for (ptrdiff_t p = begin; p < end; p++) {                                                  \
            ptrdiff_t later = p + FEW_LOOKAHEAD < last ? p + FEW_LOOKAHEAD : p;                    \
            const double *row = M + (ptrdiff_t)j[p] * k, *ahead = M + (ptrdiff_t)j[later] * k;     \
            for (int c = 0; c < columns; c += 8 / width)                                           \
                __builtin_prefetch(ahead + width * c, 0, 3);                                       \
            __builtin_prefetch(ahead + k - 1, 0, 3);                                               \
            if ((p - begin) & 1)                                                                   \
                for (int c = 0; c < columns; c++)                                                  \
                    odd[c] += x[p] * *(const vec *)(row + FEW_BEGIN(c, width));                    \
            else                                                                                   \
                for (int c = 0; c < columns; c++)                                                  \
                    even[c] += x[p] * *(const vec *)(row + FEW_BEGIN(c, width));                   \
        }                                                                                          \
        for (int c = 0; c < columns; c++)                                                          \
            *(vec *)(out + FEW_BEGIN(c, width)) = even[c] + odd[c];                                \
    }
#define FEW_BEGIN(c, width) ((c) + 1 < columns ? (c) * width : k - width)
DEFINE_FEW_GATHER(vec4, 4)
DEFINE_FEW_GATHER(vec8, 8)
#undef FEW_BEGIN
#undef DEFINE_FEW_GATHER

#define FEW_ARGUMENTS                                                                        \
    const double *x, const int32_t *j, const int64_t *starts, ptrdiff_t first, ptrdiff_t behind, \
        const double *M, ptrdiff_t k, const double *start, double *out
#define FEW_ROWS(vec, columns)                 \
    for (ptrdiff_t i = first; i < behind; i++) \
        few_gather_##vec(x, j, starts[i], starts[i + 1], starts[behind], M, k, start, columns, \
                         out + i * k);
RRM_BY_8 static void few_columns_by_8(FEW_ARGUMENTS)
{
    switch ((k + 7) / 8) {
    case 1: FEW_ROWS(vec8, 1) break;
    case 2: FEW_ROWS(vec8, 2) break;
    case 3: FEW_ROWS(vec8, 3) break;
    default: FEW_ROWS(vec8, 4) break;
    }
}

RRM_BY_4 static void few_columns_by_4(FEW_ARGUMENTS)
{
    switch ((k + 3) / 4) {
    case 2: FEW_ROWS(vec4, 2) break;
    case 3: FEW_ROWS(vec4, 3) break;
    case 4: FEW_ROWS(vec4, 4) break;
    case 5: FEW_ROWS(vec4, 5) break;
    case 6: FEW_ROWS(vec4, 6) break;
    case 7: FEW_ROWS(vec4, 7) break;
    default: FEW_ROWS(vec4, 8) break;
    }
}
#undef FEW_ROWS

void few_columns_times(FEW_ARGUMENTS)
{
    (vector_width() == VEC8 ? few_columns_by_8 : few_columns_by_4)(x, j, starts, first, behind, M,
                                                                   k, start, out);
}
