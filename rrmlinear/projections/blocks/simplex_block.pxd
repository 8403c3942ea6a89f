# The block problem of the Crammer–Singer loss, smoothed or not; simd/simplex_blocks.h has its
# formulas.

from rrmlinear.simd.simplex_blocks cimport simplex_equation_t, simplex_newton


# The scratch memory for k classes, in doubles: v, k indices and 2k kinks.
cdef inline Py_ssize_t simplex_workspace(Py_ssize_t k) noexcept nogil:
    return 4 * k


cdef inline double simplex_block(const double* margins, const double* b, double q, double c,
                                 double gamma, Py_ssize_t k, double* new_b,
                                 double* work) noexcept nogil:
    """The new block; returns its Σ b."""
    cdef simplex_equation_t equation
    cdef double total = simplex_newton(margins, b, q, c, gamma, k, new_b, work, &equation)
    if total < 0:
        total = simplex_by_medians(&equation, c, k, new_b, work)
    return total


# The new block by the median search, `work` beginning with v; returns its Σ b.
cdef double simplex_by_medians(const simplex_equation_t* equation, double c, Py_ssize_t k,
                               double* new_b, double* work) noexcept nogil
