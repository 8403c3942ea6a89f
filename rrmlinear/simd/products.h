/* X w and X'a over a range of rows, limited by memory bandwidth. They are compiled once, in products.c.
 * Vectors of weights have room for the appended column. */
#ifndef RRM_PRODUCTS_H
#define RRM_PRODUCTS_H

#include "rows.h"

/* out_i = x_i'w of rows begin … end − 1. */
void rows_times(const rows_t *rows, ptrdiff_t begin, ptrdiff_t end, const double *w, double *out);

/* sum += Σ c_i a_i x_i over rows begin … end − 1. */
void rows_add(const rows_t *rows, ptrdiff_t begin, ptrdiff_t end, const double *c, const double *a,
              double *sum);

/* The same with Σ c_i h_i x_i in `other`; the next `ahead` rows are read after these. */
void rows_add_two(const rows_t *rows, ptrdiff_t begin, ptrdiff_t end, const double *c,
                  const double *a, const double *h, ptrdiff_t ahead, double *sum, double *other);

/* The first two for dense rows alone, without an appended column. */
void dense_float_times(const float *x, ptrdiff_t rows, ptrdiff_t d, const double *w, double *out);
void dense_float_add(const float *x, ptrdiff_t rows, ptrdiff_t d, const double *c, const double *a,
                     double *restrict sum);

#endif
