# How many rows a sweep reads twice, the second time from the cache.
from rrmlinear.data.rows cimport Rows

cdef enum:
    BLOCK_BYTES = 1 << 17
    MIN_BLOCK_ROWS = 16


cdef inline Py_ssize_t cached_rows(Rows rows) except -1:
    """The number of rows that stay in the cache between two products."""
    return max(MIN_BLOCK_ROWS, BLOCK_BYTES * rows.c.n_rows // (rows.n_bytes + 1))
