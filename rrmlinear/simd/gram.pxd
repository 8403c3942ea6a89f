from libc.stdint cimport int64_t

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
    void line_float_to_float(const float* a, Py_ssize_t n, double mean, const double* unit,
                             double factor, float* out)
    void line_float_to_double(const float* a, Py_ssize_t n, double mean, const double* unit,
                              double factor, double* out)
    void line_double_to_float(const double* a, Py_ssize_t n, double mean, const double* unit,
                              double factor, float* out)
    void line_double_to_double(const double* a, Py_ssize_t n, double mean, const double* unit,
                               double factor, double* out)
    void rows_float_to_float(const float* x, Py_ssize_t n, Py_ssize_t d, const int64_t* features,
                             Py_ssize_t count, const double* mean, const double* unit,
                             const double* factor, float* out)
    void rows_float_to_double(const float* x, Py_ssize_t n, Py_ssize_t d, const int64_t* features,
                              Py_ssize_t count, const double* mean, const double* unit,
                              const double* factor, double* out)
    void rows_double_to_float(const double* x, Py_ssize_t n, Py_ssize_t d,
                              const int64_t* features, Py_ssize_t count, const double* mean,
                              const double* unit, const double* factor, float* out)
    void rows_double_to_double(const double* x, Py_ssize_t n, Py_ssize_t d,
                               const int64_t* features, Py_ssize_t count, const double* mean,
                               const double* unit, const double* factor, double* out)
    void fetch_line(const void* line, Py_ssize_t bytes)
