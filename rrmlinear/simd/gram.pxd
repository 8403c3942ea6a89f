from rrmlinear.simd.rows cimport row_t


cdef extern from "gram.h" nogil:
    void row_outer(const row_t* row, double h, double* sum, Py_ssize_t d)
    void row_squares(const row_t* row, double h, double* sum)
    void dense_float_spreads(const float* x, Py_ssize_t rows, Py_ssize_t d, const double* c,
                             const double* m, double* sum)
    void dense_double_spreads(const double* x, Py_ssize_t rows, Py_ssize_t d, const double* c,
                              const double* m, double* sum)
    void moments_float(const float* const* lines, const double* y, Py_ssize_t n, double* sum,
                       double* spread, double* product)
    void moments_double(const double* const* lines, const double* y, Py_ssize_t n, double* sum,
                        double* spread, double* product)
