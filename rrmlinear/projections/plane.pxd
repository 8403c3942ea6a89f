cdef extern from "plane.h" nogil:
    ctypedef struct column_t:
        const double* at
        Py_ssize_t step

    ctypedef struct plane_t:
        column_t m, d, lower, upper, s
        Py_ssize_t n
        double e, z
        int rates, absolute
