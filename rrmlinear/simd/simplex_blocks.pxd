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
