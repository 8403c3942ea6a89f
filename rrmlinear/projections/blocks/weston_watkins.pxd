cdef extern from "weston_watkins.h" nogil:
    Py_ssize_t ww_workspace(Py_ssize_t k)
    double ww_theta_newton(const double* v, Py_ssize_t k, double upper, double e, double theta,
                           double* work)
    double ww_theta_median(const double* v, Py_ssize_t k, double upper, double e, double low,
                           double high, double* work)
    double ww_clip(const double* v, Py_ssize_t k, double C, double e, double theta, double* b)
    double ww_theta_walrus(const double* v, Py_ssize_t k, double C, double* work)
    double ww_block_shark(const double* v, Py_ssize_t k, double C, double curvature,
                          double tolerance, double* b)
    double ww_unconstrained(const double* margins, const double* block, double inverse_curvature,
                            Py_ssize_t k, double* v)
    double ww_loss(const double* margins, Py_ssize_t k)
    double ww_gap(const double* margins, const double* block, double C, Py_ssize_t k)
    double ww_smooth_loss(const double* margins, double gamma, Py_ssize_t k)
    double ww_smooth_gap(const double* margins, const double* block, double C, double gamma,
                         Py_ssize_t k)
    void ww_derivative(const double* margins, double gamma, Py_ssize_t k, double* b)
    double ww_squares(const double* b, Py_ssize_t k)
