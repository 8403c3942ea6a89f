cdef extern from "elementary.h" nogil:
    ctypedef struct entropy_slope_t:
        double rate
        double curvature

    entropy_slope_t entropy_slope(const double* p, const double* d, double x, Py_ssize_t n)
