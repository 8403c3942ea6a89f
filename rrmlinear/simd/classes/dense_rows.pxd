cdef extern from "classes/dense_rows.h" nogil:
    void dense_scores(const void* x, int is_float, Py_ssize_t n, Py_ssize_t d, const double* w,
                      Py_ssize_t stride, Py_ssize_t k, double* out)
    void dense_sums(const void* x, int is_float, Py_ssize_t n, Py_ssize_t d, const double* c,
                    Py_ssize_t k, double* part, double* out, Py_ssize_t stride)
