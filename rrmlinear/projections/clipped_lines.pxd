# Σ_j clip(p_j − c_j θ, l_j, u_j) = e θ + z, c_j > 0, e ≥ 0, whose columns are arrays or single
# numbers.

from rrmlinear.simd.brackets cimport terms_t
from rrmlinear.simd.planes cimport stretch_t

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


# Terms gathered in arrays of their own, and the root of their equation
#
#     Σ_j clip(p_j − c_j θ, lower_j, upper_j) = e θ + z.

# Statuses in place of a root.
cdef enum:
    NO_MEMORY = -1
    NOT_FINITE = -2


cdef inline void terms_append(terms_t* terms, const stretch_t* x, Py_ssize_t i) noexcept nogil:
    cdef Py_ssize_t j = terms.n
    cdef double s = x.s[i], first = s * x.lower[i], second = s * x.upper[i]
    terms.n += 1
    terms.p[j] = s * x.m[i]
    terms.c[j] = s * x.q[i]
    terms.lower[j] = second if s < 0 else first
    terms.upper[j] = first if s < 0 else second


# Makes room for `more` terms; NO_MEMORY where there is none, else 0.
cdef int terms_reserve(terms_t* terms, Py_ssize_t more) noexcept nogil
cdef void terms_free(terms_t* terms) noexcept nogil
# The root inside a bracket by the median search.
cdef int terms_search(const terms_t* terms, double low, double high, double* theta) noexcept nogil
