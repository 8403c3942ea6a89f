cdef extern from "simplex_block.h" nogil:
    Py_ssize_t simplex_workspace(Py_ssize_t k)
    double simplex_value(const double* margins, double gamma, Py_ssize_t k)
    void simplex_derivative(const double* margins, double gamma, Py_ssize_t k, double* u)
    double simplex_conjugate(const double* b, double c, double gamma, Py_ssize_t k)
    double simplex_gap(const double* margins, const double* b, double c, double gamma,
                       Py_ssize_t k)
    double simplex_block(const double* margins, const double* b, double q, double c, double gamma,
                         Py_ssize_t k, double* new_b, double* work)
