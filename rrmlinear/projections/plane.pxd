# The projection on a box cut by a plane: θ by either way of plane_root.pxd, then
# a(θ) = clip(m − θ q, lower, upper).

from rrmlinear.simd.planes cimport plane_t

# To out, which may be m; 0 or a status of clipped_lines.pxd.
cdef int plane_project(const plane_t* plane, bint deterministic, double low, double high,
                       double* out, double* theta) noexcept nogil
# Writes a(θ) of the terms that θ was found for, to out, which may be m, and mends θ where it has
# too few digits for the sum; `size` is Σ |s a| of terms that are written already. Returns as above.
cdef int plane_settle(const plane_t* plane, double size, double* out, double* theta) noexcept nogil
