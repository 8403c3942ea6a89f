cdef extern from "newton.h" nogil:
    ctypedef struct value_t:
        double excess, derivative, at_lower, at_upper, size

    ctypedef struct bracket_t:
        double low, high

    ctypedef value_t (*value_at_t)(const void* terms, double theta) noexcept nogil

    void bracket_narrow(bracket_t* bracket, double theta, double excess)
    bint newton(value_at_t at, const void* terms, bracket_t* bracket, Py_ssize_t steps,
                double* theta)
