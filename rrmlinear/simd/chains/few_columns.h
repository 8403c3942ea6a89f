/* X M for a sparse matrix X and a dense one of few columns. */
#ifndef RRM_FEW_COLUMNS_H
#define RRM_FEW_COLUMNS_H

#include "rows.h"

/* Rows `first` … `behind` − 1 of X M, each begun with `start`, for a sparse matrix X by rows and
 * 8 ≤ k ≤ 32 columns. */
void few_columns_times(const double *x, const int32_t *j, const int64_t *starts, ptrdiff_t first,
                       ptrdiff_t behind, const double *M, ptrdiff_t k, const double *start,
                       double *out);

#endif
