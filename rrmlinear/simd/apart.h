/* How far apart the dense rows lie that are read at once. */
#ifndef RRM_APART_H
#define RRM_APART_H

#include "rows.h"

/* Bytes of a dense row, and of all rows, from which rows that are read at once lie far apart. */
enum { FAR_ROW_BYTES = 512, FAR_BYTES = 1 << 16 };

/* How far apart four rows lie: a quarter of the rows where rows are long and many. Memory gives four
 * streams twice as fast as one. */
RRM_INLINE ptrdiff_t rows_apart(ptrdiff_t rows, ptrdiff_t row_bytes)
{
    return row_bytes >= FAR_ROW_BYTES && rows >= 4 && rows * row_bytes >= FAR_BYTES ? rows / 4 : 1;
}

#endif
