from rrmlinear.simd.rows cimport row_t


cdef extern from "gram.h" nogil:
    void row_outer(const row_t* row, double h, double* sum, Py_ssize_t d)
    void row_squares(const row_t* row, double h, double* sum)
