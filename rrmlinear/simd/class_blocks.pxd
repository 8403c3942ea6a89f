from rrmlinear.simd.newton cimport bracket_t


cdef extern from "class_blocks.h" nogil:
    double ww_unconstrained(const double* margins, const double* block, double inverse_curvature,
                            Py_ssize_t k, double* v)
    double ww_newton(const double* v, Py_ssize_t k, double upper, double e, double theta,
                     bracket_t* open)
    double ww_clip(const double* v, Py_ssize_t k, double C, double e, double theta, double* b)
    double ww_loss(const double* margins, Py_ssize_t k)
    double ww_gap(const double* margins, const double* block, double C, Py_ssize_t k)
    double ww_smooth_loss(const double* margins, double gamma, Py_ssize_t k)
    double ww_smooth_gap(const double* margins, const double* block, double C, double gamma,
                         Py_ssize_t k)
    void ww_derivative(const double* margins, double gamma, Py_ssize_t k, double* b)
    double ww_squares(const double* b, Py_ssize_t k)
