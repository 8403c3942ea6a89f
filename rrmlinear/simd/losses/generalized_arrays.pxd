cdef extern from "losses/generalized_arrays.h" nogil:
    double generalized_best(double pull, double s, double slope)
    double generalized_gain(double b, double margin, double smoothing)
    double generalized_total(double slope, double smoothing, const double* y, const double* c,
                             const double* scores, Py_ssize_t n)
    void generalized_derivatives(double slope, double smoothing, const double* y,
                                 const double* scores, double* out, Py_ssize_t n)
    double generalized_conjugate(double slope, double smoothing, const double* y, const double* c,
                                 const double* alpha, Py_ssize_t n)
    void generalized_steps(double slope, double smoothing, const double* y, const double* scores,
                           const double* alpha, Py_ssize_t alpha_step, const double* q,
                           Py_ssize_t q_step, double* out, Py_ssize_t n)
