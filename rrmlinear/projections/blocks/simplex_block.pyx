"""The block problem of the Crammer–Singer loss where Newton's method takes too many steps."""

from libc.math cimport INFINITY

from rrmlinear.projections.clipped_lines cimport lines_search, lines_t


cdef double simplex_by_medians(const double* v, Py_ssize_t k, double e, double z,
                               double* scratch) noexcept nogil:
    cdef double one = 1, zero = 0, infinite = INFINITY
    cdef lines_t lines
    lines.p, lines.c, lines.lower, lines.upper, lines.n = v, &one, &zero, &infinite, k
    lines.c_step = lines.lower_step = lines.upper_step = 0
    lines.e, lines.z = e, z
    return lines_search(&lines, -INFINITY, INFINITY, <Py_ssize_t*> scratch, scratch + k)
