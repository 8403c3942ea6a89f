"""Norms of groups of coordinates: the group lasso, sparse or not, and ℓ∞; of rows, too."""

from libc.math cimport INFINITY, NAN, fabs, sqrt

from rrmlinear.projections.norms cimport (
    norm_max,
    derivative_of_l1,
    soft_norm,
    soft_root,
    soft_squares,
    soft_sum,
)
from rrmlinear.regularizers.groups.over_groups cimport GroupNorm
from rrmlinear.regularizers.groups.partition cimport Partition


cdef class L2Groups(GroupNorm):
    """Σ_g f_g ‖w_g‖₂: the group lasso, the norm ‖w‖₂ of all weights, ℓ2,1 of rows."""

    cdef double group_value(self, const double* w, Py_ssize_t n, double factor) noexcept nogil:
        return factor * soft_norm(w, n, 0)

    cdef double group_derivative(self, const double* w, const double* d, Py_ssize_t n,
                                 double factor) noexcept nogil:
        return factor * derivative_of_l2(w, d, n)

    cdef double group_dual(self, const double* v, Py_ssize_t n, double factor,
                           double least) noexcept nogil:
        return soft_norm(v, n, 0) / factor

    cdef double group_value_of_prox(self, const double* w, Py_ssize_t n, double factor,
                                    double step) noexcept nogil:
        return factor * max(soft_norm(w, n, 0) - step * factor, 0.0)

    cdef void group_prox(self, double* w, Py_ssize_t n, double factor, double step) noexcept nogil:
        shrink(w, n, soft_norm(w, n, 0), step * factor, 0)


cdef class SparseGroups(GroupNorm):
    """Σ_g (l1 ‖w_g‖₁ + f_g ‖w_g‖₂): the sparse group lasso.

    The dual norm of a group is the t with ‖S(v/t, l1)‖₂ = f, S the soft threshold. l1 ≥ 0, finite;
    for the rest see `GroupNorm`. Source: Simon, Friedman, Hastie and Tibshirani, A sparse-group
    lasso, 2013; Ndiaye, Fercoq, Gramfort and Salmon, GAP safe screening rules for sparse-group
    lasso, 2016.
    """

    cdef readonly double l1

    def __init__(self, groups=None, factors=None, double l1=1.0):
        if not 0 <= l1 < INFINITY:
            raise ValueError(f"l1 must be at least 0 and finite, got {l1}")
        super().__init__(groups, factors)
        self.l1 = l1

    def on(self, Partition partition not None):
        return type(self)(partition, self.factors, self.l1)

    cdef double group_value(self, const double* w, Py_ssize_t n, double factor) noexcept nogil:
        return self.l1 * soft_sum(w, n, 0) + factor * soft_norm(w, n, 0)

    cdef double group_derivative(self, const double* w, const double* d, Py_ssize_t n,
                                 double factor) noexcept nogil:
        return self.l1 * derivative_of_l1(w, d, n) + factor * derivative_of_l2(w, d, n)

    cdef double group_dual(self, const double* v, Py_ssize_t n, double factor,
                           double least) noexcept nogil:
        # ‖S(s v, l1)‖ − f is convex and rises in s: Newton's steps fall to the root from the right.
        cdef double largest = norm_max(v, n), size, s, last = INFINITY, along
        cdef Py_ssize_t j
        if not 0 < largest < INFINITY:
            return largest
        if soft_norm(v, n, least * self.l1) <= least * factor:
            return least
        s = self.l1 + factor  # of v / largest
        while s < last:
            size, along = sqrt(soft_squares(v, n, s / largest, self.l1)), 0
            if not size > factor:
                break
            for j in range(n):
                along += max(fabs(v[j]) / largest * s - self.l1, 0.0) * fabs(v[j]) / largest
            last = s
            s -= (size - factor) * size / along
        return largest / s

    cdef double group_value_of_prox(self, const double* w, Py_ssize_t n, double factor,
                                    double step) noexcept nogil:
        cdef double cut = step * self.l1, size = soft_norm(w, n, cut)
        if not size > step * factor:
            return 0
        return ((1 - step * factor / size) * self.l1 * soft_sum(w, n, cut)
                + factor * (size - step * factor))

    cdef void group_prox(self, double* w, Py_ssize_t n, double factor, double step) noexcept nogil:
        shrink(w, n, soft_norm(w, n, step * self.l1), step * factor, step * self.l1)


cdef class LinfGroups(GroupNorm):
    """Σ_g f_g ‖w_g‖_∞: the norm ‖w‖_∞ of all weights, ℓ1,∞ of rows.

    The prox clips a group at the θ with Σ_j max(|w_j| − θ, 0) = step f, and is 0 if ‖w_g‖₁
    is at most step f: by Moreau w_g loses its projection on the ball of the 1-norm.
    """

    cdef double group_value(self, const double* w, Py_ssize_t n, double factor) noexcept nogil:
        return factor * norm_max(w, n)

    cdef double group_derivative(self, const double* w, const double* d, Py_ssize_t n,
                                 double factor) noexcept nogil:
        cdef double top = norm_max(w, n), most = -INFINITY
        cdef Py_ssize_t j
        for j in range(n):
            if fabs(w[j]) == top:
                most = max(most, derivative_of_l1(w + j, d + j, 1))
        return factor * most

    cdef double group_dual(self, const double* v, Py_ssize_t n, double factor,
                           double least) noexcept nogil:
        return soft_sum(v, n, 0) / factor

    cdef double group_value_of_prox(self, const double* w, Py_ssize_t n, double factor,
                                    double step) noexcept nogil:
        return factor * max_left(w, n, step * factor)

    cdef void group_prox(self, double* w, Py_ssize_t n, double factor, double step) noexcept nogil:
        cdef double theta = max_left(w, n, step * factor)
        cdef Py_ssize_t j
        for j in range(n):
            w[j] = min(max(w[j], 0.0 - theta), theta) if theta == theta else NAN


cdef inline double max_left(const double* w, Py_ssize_t n, double lost) noexcept nogil:
    # ‖u‖_∞ for the prox u of lost ‖·‖_∞ at w
    if lost == 0:
        return norm_max(w, n)
    return 0 if soft_sum(w, n, 0) <= lost else soft_root(w, n, 0, lost)


cdef inline void shrink(double* w, Py_ssize_t n, double size, double lost,
                        double cut) noexcept nogil:
    # w ← (1 − lost/size)₊ S(w, cut), size = ‖S(w, cut)‖₂
    cdef double part = 1 - lost / size if size > lost else 0 if size <= lost else NAN, a
    cdef Py_ssize_t j
    for j in range(n):
        a = fabs(w[j]) - cut
        a = part * a if a > 0 else 0 if a <= 0 else NAN
        w[j] = (a if w[j] >= 0 else -a) + 0.0  # no −0


cdef inline double derivative_of_l2(const double* w, const double* d, Py_ssize_t n) noexcept nogil:
    cdef double size = soft_norm(w, n, 0), total = 0
    cdef Py_ssize_t j
    if size == 0:
        return soft_norm(d, n, 0)
    for j in range(n):
        total += w[j] / size * d[j]
    return total
