"""The exclusive lasso: within a group columns compete, groups do not."""

from libc.math cimport NAN

from rrmlinear.projections.norms cimport norm_max, derivative_of_l1, soft_root, soft_sum
from rrmlinear.regularizers.groups.over_groups cimport GroupNorm


cdef class ExclusiveLasso(GroupNorm):
    """Σ_g f_g ‖w_g‖₁², whose conjugate Σ_g ‖v_g‖_∞²/(4 f_g) is finite everywhere.

    ``groups`` and ``factors`` are those of `GroupNorm`, the factors 1 by default. It is of degree 2
    and no norm, so that it has no dual norm. The prox thresholds a group softly at the θ with
    Σ_j max(|w_j| − θ, 0) = θ/(2 step f). Source: Zhou, Jin and Hoi, Exclusive lasso for multi-task
    feature selection, 2010.
    """

    def __init__(self, groups=None, factors=1.0):
        super().__init__(groups, factors)
        self.degree = 2

    cdef double dual_norm(self, const double* v, Py_ssize_t n) noexcept nogil:
        return NAN

    cdef double value_of_prox(self, const double* w, double step, Py_ssize_t n) noexcept nogil:
        return NAN

    cdef double dual_scale(self, const double* v, Py_ssize_t n) noexcept nogil:
        return 1

    cdef double group_value(self, const double* w, Py_ssize_t n, double factor) noexcept nogil:
        cdef double size = soft_sum(w, n, 0)
        return factor * size * size

    cdef double group_derivative(self, const double* w, const double* d, Py_ssize_t n,
                                 double factor) noexcept nogil:
        return 2 * factor * soft_sum(w, n, 0) * derivative_of_l1(w, d, n)

    cdef double group_conjugate(self, const double* v, Py_ssize_t n, double factor) noexcept nogil:
        cdef double largest = norm_max(v, n)
        return largest * largest / (4 * factor)

    cdef void group_prox(self, double* w, Py_ssize_t n, double factor, double step) noexcept nogil:
        cdef double theta = soft_root(w, n, 1 / (2 * step * factor), 0) if step > 0 else 0
        cdef Py_ssize_t j
        for j in range(n):
            w[j] = w[j] - theta if w[j] > theta else w[j] + theta if w[j] < -theta else theta * 0
