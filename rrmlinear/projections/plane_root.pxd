# The root θ of a plane's equation: simd/planes.h has its terms.
#
# By Newton's method, a pass over all terms for each step. Deterministic: medians of kinks narrow a
# bracket until few terms are left, which are gathered; it ends what Newton's method does not.

from rrmlinear.simd.planes cimport plane_t


# Each returns 0, or a status of clipped_lines.pxd, and needs low and high to hold a root.
cdef int plane_search(const plane_t* plane, double low, double high, double* theta) noexcept nogil
# By Newton's method from `theta`.
cdef int plane_near(const plane_t* plane, double low, double high, double* theta) noexcept nogil
cdef int plane_root(const plane_t* plane, bint deterministic, double low, double high,
                    double* theta) noexcept nogil
