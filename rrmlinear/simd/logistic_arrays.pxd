cdef extern from "logistic_arrays.h" nogil:
    double logistic_total(const double* y, const double* c, const double* scores, Py_ssize_t n)
    void logistic_derivatives(const double* y, const double* scores, double* out, Py_ssize_t n)
    void logistic_curvatures(const double* scores, double* out, Py_ssize_t n)
    double logistic_tangent(const double* y, const double* c, const double* scores, double* out,
                            Py_ssize_t n)
    double logistic_conjugate(const double* y, const double* c, const double* alpha,
                              Py_ssize_t n)
