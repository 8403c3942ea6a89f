# The projection on a box cut by a plane: θ by either way of clipped_lines.pxd, then
# a(θ) = clip(m − θ q, lower, upper).

from rrmlinear.simd.planes cimport plane_t

# To out, which may be m; 0 or a status of clipped_lines.pxd.
cdef int plane_project(const plane_t* plane, bint deterministic, double low, double high,
                       double* out, double* theta) noexcept nogil
# Writes a(θ) to out, which may be m, and mends θ where it has too few digits for the sum. Returns
# the same.
cdef int plane_settle(const plane_t* plane, double* out, double* theta) noexcept nogil
