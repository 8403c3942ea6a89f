"""The block problem of the Crammer–Singer loss where Newton's method takes too many steps."""

from libc.math cimport INFINITY

from rrmlinear.projections.clipped_lines cimport lines_search, lines_t
from rrmlinear.simd.simplex_blocks cimport simplex_equation_t, simplex_finish


cdef double simplex_by_medians(const simplex_equation_t* equation, double c, Py_ssize_t k,
                               double* new_b, double* work) noexcept nogil:
    cdef double one = 1, zero = 0, infinite = INFINITY, theta
    cdef lines_t lines
    lines.p, lines.c, lines.lower, lines.upper, lines.n = work, &one, &zero, &infinite, k
    lines.c_step = lines.lower_step = lines.upper_step = 0
    lines.e = equation.e if equation.below else 0
    lines.z = equation.e * (equation.shift if equation.below else c)
    theta = lines_search(&lines, -INFINITY, INFINITY, <Py_ssize_t*> (work + k), work + 2 * k)
    return simplex_finish(work, k, c, equation, theta, new_b)
