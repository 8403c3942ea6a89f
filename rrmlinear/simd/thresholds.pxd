cdef extern from "thresholds.h" nogil:
    double norm_max(const double* x, Py_ssize_t n)
    double soft_sum(const double* x, Py_ssize_t n, double cut)
    double soft_squares(const double* x, Py_ssize_t n, double s, double cut)

    ctypedef struct elastic_size_t:
        double size, sum, squares, steep

    elastic_size_t elastic_size(const double* x, Py_ssize_t n, double unit, double gamma)
    double elastic_largest(const double* x, Py_ssize_t n)
    void elastic_write(const double* x, Py_ssize_t n, double unit, double cut, double factor,
                       double* out)
    void elastic_move(double* a, Py_ssize_t n, double gamma, double step)
