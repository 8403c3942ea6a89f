from rrmlinear.simd.rows cimport rows_t

cdef extern from "products.h" nogil:
    void rows_times(const rows_t* rows, Py_ssize_t begin, Py_ssize_t end, const double* w,
                    double* out)
    void rows_add(const rows_t* rows, Py_ssize_t begin, Py_ssize_t end, const double* c,
                  const double* a, double* sum)
    void rows_add_two(const rows_t* rows, Py_ssize_t begin, Py_ssize_t end, const double* c,
                      const double* a, const double* h, Py_ssize_t ahead, double* sum,
                      double* other)
    void dense_float_times(const float* x, Py_ssize_t rows, Py_ssize_t d, const double* w,
                           double* out)
    void dense_float_add(const float* x, Py_ssize_t rows, Py_ssize_t d, const double* c,
                         const double* a, double* sum)
