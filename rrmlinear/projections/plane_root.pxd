# The root θ of a plane's equation: simd/planes.h has its terms.
#
# Fast: the root of a sample's equation brackets the root; one pass over all terms decides those
# that the bracket decides and gathers the few others, among which Newton's method finds the root.
# Deterministic: medians of kinks narrow the bracket until few terms are left, which are gathered. A
# sample that misleads costs passes, and then the deterministic search, never the answer.

from rrmlinear.simd.planes cimport long_sum_t, plane_t

# Results that are written before θ is found. A bracket of the root decides most terms: these are
# written at once, and the places of the others are kept. On a simplex, where a bracket decides
# nearly all terms, this saves a pass over memory.
ctypedef struct kept_t:
    double* out                # NULL: nothing is written early
    Py_ssize_t* places         # of the terms that are not yet written
    Py_ssize_t n, room
    long_sum_t sum, size       # Σ s a and Σ |s a| of those that are
    bint done                  # all terms are written or kept


# Each returns 0, or a status of clipped_lines.pxd, and needs low and high to hold a root.
cdef int plane_search(const plane_t* plane, double low, double high, double* theta) noexcept nogil
cdef int plane_newton(const plane_t* plane, double low, double high, kept_t* kept,
                      double* theta) noexcept nogil
# Either way, nothing written.
cdef int plane_root(const plane_t* plane, bint deterministic, double low, double high,
                    double* theta) noexcept nogil
# From a good guess by passes over all columns, two or three where a problem nearby had that root.
cdef int plane_near(const plane_t* plane, double guess, double* theta) noexcept nogil
