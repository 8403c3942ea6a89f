# The block problem of the Crammer–Singer loss, smoothed or not; simd/simplex_blocks.h has its
# formulas.

from rrmlinear.simd.simplex_blocks cimport simplex_newton


# The scratch memory for k classes, in doubles: v, k indices and 2k kinks.
cdef inline Py_ssize_t simplex_workspace(Py_ssize_t k) noexcept nogil:
    return 4 * k


cdef inline double simplex_block(const double* margins, const double* b, double q, double c,
                                 double gamma, Py_ssize_t k, double* new_b,
                                 double* work) noexcept nogil:
    """The new block; returns its Σ b."""
    return simplex_newton(margins, b, q, c, gamma, k, new_b, work, simplex_by_medians)


# The root of Σ max(0, v_j − θ) = e θ + z by the median search.
cdef double simplex_by_medians(const double* v, Py_ssize_t k, double e, double z,
                               double* scratch) noexcept nogil
