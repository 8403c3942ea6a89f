from rrmlinear.simd.rows cimport rows_t

cdef extern from "products.h" nogil:
    void rows_times(const rows_t* rows, Py_ssize_t begin, Py_ssize_t end, const double* w,
                    double* out)
    void rows_add(const rows_t* rows, Py_ssize_t begin, Py_ssize_t end, const double* c,
                  const double* a, double* sum)
