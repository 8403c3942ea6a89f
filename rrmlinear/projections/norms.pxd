cdef extern from "norms.h" nogil:
    double norm_max(const double* x, Py_ssize_t n)
    double soft_sum(const double* x, Py_ssize_t n, double cut)
    double soft_norm(const double* x, Py_ssize_t n, double cut)
    double soft_squares(const double* x, Py_ssize_t n, double s, double cut)
    double soft_root(const double* x, Py_ssize_t n, double e, double z)
    double slope_of_l1(const double* w, const double* d, Py_ssize_t n)
    double scale_within(double size, double most)
