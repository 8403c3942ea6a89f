from rrmlinear.simd.rows cimport row_t


cdef extern from "row_products.h" nogil:
    double row_squared_norm(const row_t* row)
    double row_dot(const row_t* row, const double* v)
    double thresholded_dot(const row_t* row, const double* v, double threshold)
    void row_axpy(const row_t* row, double step, double* w)
