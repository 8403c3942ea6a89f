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


cdef extern from "simplex_blocks.h" nogil:
    double simplex_value(const double* margins, double gamma, Py_ssize_t k)
    void simplex_derivative(const double* margins, double gamma, Py_ssize_t k, double* u)
    double simplex_conjugate(const double* b, double c, double gamma, Py_ssize_t k)
    double simplex_gap(const double* margins, const double* b, double c, double gamma,
                       Py_ssize_t k)

    ctypedef double (*simplex_search_t)(const double* v, Py_ssize_t k, double e, double z,
                                        double* scratch) noexcept nogil

    double simplex_newton(const double* margins, const double* b, double q, double c, double gamma,
                          Py_ssize_t k, double* new_b, double* work, simplex_search_t search)
