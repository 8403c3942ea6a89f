from rrmlinear.simd.rows cimport row_t, rows_t


cdef extern from "row_products.h" nogil:
    double row_squared_norm(const row_t* row)
    Py_ssize_t rows_plain(const rows_t* rows, Py_ssize_t begin, double* longest)
    double row_dot(const row_t* row, const double* v)
    double thresholded_dot(const row_t* row, const double* v, double threshold)
    void row_axpy(const row_t* row, double step, double* w)
