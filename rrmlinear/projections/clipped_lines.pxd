# Σ_j clip(p_j − c_j θ, l_j, u_j) = e θ + z, c_j > 0, e ≥ 0, whose columns are arrays or single
# numbers.

ctypedef struct lines_t:
    const double* p
    const double* c
    const double* lower
    const double* upper
    Py_ssize_t n, c_step, lower_step, upper_step   # a step is 0 where one number serves all terms
    double e, z


cdef inline double clip(double x, double lower, double upper) noexcept nogil:
    return lower if x < lower else upper if x > upper else x


# The root between low and high (either may be infinite), where the equation is known to have one,
# by the median search. `members` has room for n indices, `kinks` for 2n numbers.
cdef double lines_search(const lines_t* lines, double low, double high, Py_ssize_t* members,
                         double* kinks) noexcept nogil
