from rrmlinear.simd.rows cimport rows_t


cdef class Rows:
    cdef rows_t c
    cdef readonly double bias
    cdef readonly object values
    cdef readonly object indices
    cdef readonly object indptr
