# Norms of vectors, of what a soft threshold leaves of them, and the threshold that leaves a given
# sum. Sums of squares leave the range of numbers only where the norm itself does.

from libc.float cimport DBL_MAX
from libc.math cimport fabs, nextafter, sqrt

from rrmlinear.simd.thresholds cimport norm_max, soft_squares, soft_sum


cdef inline double soft_norm(const double* x, Py_ssize_t n, double cut) noexcept nogil:
    """‖S(x, cut)‖₂, S the soft threshold."""
    cdef double squares = soft_squares(x, n, 1, cut), largest
    if 1e-280 < squares < 1e280 or squares != squares:  # no square within is lost or infinite
        return sqrt(squares)
    largest = norm_max(x, n)
    if largest > 0 and largest <= DBL_MAX:
        return largest * sqrt(soft_squares(x, n, 1 / largest, cut / largest))
    return largest


cdef inline double derivative_of_l1(const double* w, const double* d, Py_ssize_t n) noexcept nogil:
    """The derivative of ‖w + x d‖₁ by x at 0, from the right."""
    cdef Py_ssize_t j
    cdef double total = 0
    for j in range(n):
        total += d[j] if w[j] > 0 else -d[j] if w[j] < 0 else fabs(d[j])
    return total


cdef inline double scale_within(double size, double bound) noexcept nogil:
    """The largest t of [0, 1] with t · size ≤ bound, as rounded."""
    cdef double t
    if size <= bound:
        return 1
    t = bound / size
    while t * size > bound:
        t = nextafter(t, 0)
    return t


# The θ ≥ 0 with Σ max(|x_j| − θ, 0) = e θ + z, e, z ≥ 0, where the left side is the larger at 0;
# NaN where memory lacks or x is not finite.
cdef double soft_root(const double* x, Py_ssize_t n, double e, double z) noexcept nogil


# The ball of the elastic net, B = {w : γ‖w‖₁ + ½‖w‖² ≤ r}, γ ≥ 0: the projection on it, and max ⟨v,
# w⟩ over it.

# minimize ½‖a − x‖² over B, to out, which may be x. Negative where memory lacks or x is not finite.
cdef int elastic_ball_project(const double* x, Py_ssize_t n, double gamma, double radius,
                              bint deterministic, double* out) noexcept nogil
# max ⟨v, w⟩ over B, and a w that attains it unless w is NULL, which may be v. NaN where memory
# lacks or v is not finite.
cdef double elastic_ball_support(const double* v, Py_ssize_t n, double gamma, double radius,
                                 double* w) noexcept nogil
