cdef extern from "losses/clipped_arrays.h" nogil:
    ctypedef struct clipped_t:
        double lower, upper, epsilon, smoothing
        int by_sign

    double clipped_total(const clipped_t* f, const double* y, const double* c,
                         const double* scores, Py_ssize_t n)
    void clipped_derivatives(const clipped_t* f, const double* y, const double* scores,
                             double* out, Py_ssize_t n)
    double clipped_tangent(const clipped_t* f, const double* y, const double* c,
                           const double* scores, double* out, Py_ssize_t n)
    double clipped_along(const clipped_t* f, const double* y, const double* c,
                         const double* scores, const double* moves, double x, double* moved,
                         double* derivatives, double* total, Py_ssize_t n)
    double clipped_conjugate(const clipped_t* f, const double* y, const double* c,
                             const double* alpha, Py_ssize_t n)
    void clipped_steps(const clipped_t* f, const double* y, const double* scores,
                       const double* alpha, Py_ssize_t alpha_step, const double* q,
                       Py_ssize_t q_step, double* out, Py_ssize_t n)
    void clipped_gaps(const clipped_t* f, const double* y, const double* scores,
                      const double* alpha, double* out, Py_ssize_t n)
