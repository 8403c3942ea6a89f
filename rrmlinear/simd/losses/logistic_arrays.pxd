cdef extern from "losses/logistic_arrays.h" nogil:
    enum:
        LOGISTIC_STEPS
    double logistic_total(const double* y, const double* c, const double* scores, Py_ssize_t n)
    void logistic_derivatives(const double* y, const double* scores, double* out, Py_ssize_t n)
    void logistic_curvatures(const double* scores, double* out, Py_ssize_t n)
    double logistic_tangent(const double* y, const double* c, const double* scores, double* out,
                            Py_ssize_t n)
    double logistic_conjugate(const double* y, const double* c, const double* alpha,
                              Py_ssize_t n)
    void logistic_gaps(const double* y, const double* scores, const double* alpha, double* out,
                       Py_ssize_t n)
    void logistic_dual_steps(const double* y, const double* scores, const double* alpha,
                             Py_ssize_t alpha_step, const double* q, Py_ssize_t q_step,
                             double* out, Py_ssize_t n)
