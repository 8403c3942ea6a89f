from rrmlinear.simd.rows cimport row_t, rows_t


cdef extern from "row_products.h" nogil:
    double row_squared_norm(const row_t* row)
    Py_ssize_t rows_plain(const rows_t* rows, Py_ssize_t begin, double* longest)
    double row_dot(const row_t* row, const double* v)
    double thresholded_dot(const row_t* row, const double* v, double threshold)
    void row_axpy(const row_t* row, double step, double* w)


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
