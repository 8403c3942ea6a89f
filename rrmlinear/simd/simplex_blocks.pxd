cdef extern from "simplex_blocks.h" nogil:
    double simplex_value(const double* margins, double gamma, Py_ssize_t k)
    void simplex_derivative(const double* margins, double gamma, Py_ssize_t k, double* u)
    double simplex_conjugate(const double* b, double c, double gamma, Py_ssize_t k)
    double simplex_gap(const double* margins, const double* b, double c, double gamma,
                       Py_ssize_t k)

    ctypedef struct simplex_equation_t:
        double e, shift
        bint below

    double simplex_newton(const double* margins, const double* b, double q, double c, double gamma,
                          Py_ssize_t k, double* new_b, double* v, simplex_equation_t* equation)
    double simplex_finish(const double* v, Py_ssize_t k, double c,
                          const simplex_equation_t* equation, double theta, double* new_b)
