/* Loops over dense rows of row_products.h: long enough for RRM_CLONES to pay. They are compiled once. */
#include "row_products.h"

#define DENSE_LOOPS(type)                                                                      \
    RRM_CLONES double dense_dot_##type(const void *values, const double *v, ptrdiff_t n,       \
                                       double threshold)                                       \
    {                                                                                          \
        const type *x = (const type *)values;                                                  \
        double total = 0;                                                                      \
        if (threshold == 0) {                                                                  \
            _Pragma("omp simd reduction(+ : total)") for (ptrdiff_t j = 0; j < n; j++)         \
                total += (double)x[j] * v[j];                                                  \
        } else {                                                                               \
            _Pragma("omp simd reduction(+ : total)") for (ptrdiff_t j = 0; j < n; j++)         \
                total += (double)x[j] * soft(v[j], threshold);                                 \
        }                                                                                      \
        return total;                                                                          \
    }                                                                                          \
    RRM_CLONES void dense_axpy_##type(const void *values, double step, double *v,              \
                                      ptrdiff_t n)                                             \
    {                                                                                          \
        const type *x = (const type *)values;                                                  \
        _Pragma("omp simd") for (ptrdiff_t j = 0; j < n; j++)                                  \
            v[j] += step * (double)x[j];                                                       \
    }                                                                                          \
    RRM_CLONES double dense_square_##type(const void *values, ptrdiff_t n)                     \
    {                                                                                          \
        const type *x = (const type *)values;                                                  \
        double total = 0;                                                                      \
        _Pragma("omp simd reduction(+ : total)") for (ptrdiff_t j = 0; j < n; j++)             \
            total += (double)x[j] * (double)x[j];                                              \
        return total;                                                                          \
    }

DENSE_LOOPS(double)
DENSE_LOOPS(float)
