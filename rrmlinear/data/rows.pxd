from rrmlinear.simd.rows cimport rows_t


cdef class Rows:
    cdef rows_t c
    cdef readonly double bias
    cdef readonly object values
    cdef readonly object indices
    cdef readonly object indptr
    cdef readonly object blocks        # RowBlocks of rows that are streamed from a file, else None
    cdef const unsigned char[::1] value_bytes     # which the pointers of `c` point into,
    cdef const unsigned char[::1] index_bytes     # whatever the types of their numbers are
    cdef const unsigned char[::1] indptr_bytes
