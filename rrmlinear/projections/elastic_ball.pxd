cdef extern from "elastic_ball.h" nogil:
    ctypedef struct elastic_size_t:
        double size, sum, squares, steep

    elastic_size_t elastic_size(const double* x, Py_ssize_t n, double unit, double gamma)
    int elastic_ball_project(const double* x, Py_ssize_t n, double gamma, double radius,
                             int deterministic, double* out)
    double elastic_ball_support(const double* v, Py_ssize_t n, double gamma, double radius,
                                double* w)
