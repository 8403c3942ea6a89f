from rrmlinear.simd.rows cimport rows_t


cdef class Rows:
    cdef rows_t c
    cdef readonly double bias
    cdef double longest    # the largest ‖x‖² without the appended column; below 0: not known
    cdef readonly object values
    cdef readonly object indices
    cdef readonly object indptr
    cdef readonly object blocks        # RowBlocks of rows that are streamed from a file, else None
    cdef const unsigned char[::1] value_bytes     # which the pointers of `c` point into,
    cdef const unsigned char[::1] index_bytes     # whatever the types of their numbers are
    cdef const unsigned char[::1] indptr_bytes


# How many rows a sweep reads twice, the second time from the cache.

cdef enum:
    BLOCK_BYTES = 1 << 17
    MIN_BLOCK_ROWS = 16


cdef inline Py_ssize_t cached_rows(Rows rows) except -1:
    """The number of rows that stay in the cache between two products."""
    return max(MIN_BLOCK_ROWS, BLOCK_BYTES * rows.c.n_rows // (rows.n_bytes + 1))
