cdef extern from "classes/softmax_blocks.h" nogil:
    Py_ssize_t softmax_workspace(Py_ssize_t k)
    double softmax_value(const double* margins, double gamma, Py_ssize_t k)
    void softmax_derivative(const double* margins, double gamma, Py_ssize_t k, double* p)
    double softmax_conjugate(const double* b, double c, double gamma, double cost, Py_ssize_t k)
    double softmax_gap(const double* margins, const double* b, double c, double gamma,
                       Py_ssize_t k)
    double softmax_block(const double* margins, const double* b, double q, double c, double gamma,
                         Py_ssize_t k, double* new_b, double* work)
