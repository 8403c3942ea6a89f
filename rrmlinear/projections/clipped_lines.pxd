# Σ_j clip(p_j − c_j θ, l_j, u_j) = e θ + z, c_j > 0, e ≥ 0, whose columns are arrays or single
# numbers.

from rrmlinear.simd.planes cimport plane_t

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


# The root θ of a plane's equation; simd/planes.h has its terms.

# Statuses in place of a root.
cdef enum:
    NO_MEMORY = -1
    NOT_FINITE = -2


# Each returns 0, or a status, and needs low and high to hold a root.
# The terms are gathered as lines: deterministic, for what Newton's method does not end.
cdef int plane_search(const plane_t* plane, double low, double high, double* theta) noexcept nogil
# By Newton's method from `theta`, a pass over all terms for each step.
cdef int plane_near(const plane_t* plane, double low, double high, double* theta) noexcept nogil
# By either.
cdef int plane_root(const plane_t* plane, bint deterministic, double low, double high,
                    double* theta) noexcept nogil
