"""Regularizers that are sums over the coordinates of w."""

from libc.math cimport INFINITY

from rrmlinear.simd.columns cimport wide_dot
from rrmlinear.simd.products cimport row_dot, thresholded_dot
from rrmlinear.simd.rows cimport row_t
from rrmlinear.projections.norms cimport norm_max, scale_within, derivative_of_l1, soft_sum
from rrmlinear.regularizers.base cimport Norm, Regularizer

from rrmlinear.regularizers.base import BesideIntercept

cdef enum:
    LONG = 4096     # entries from which a sum is made of several: alone, each addition waits


cdef class L2(Regularizer):
    """(s/2)‖w‖², s = ``modulus``, whose conjugate is ‖v‖²/(2s)."""

    def __init__(self, double modulus=1.0):
        self.modulus, self.linear = checked_modulus(modulus), True

    @property
    def quadratic_l1(self):
        return 0.0

    def with_quadratic(self, double kappa):
        return L2(self.modulus + kappa)

    def scaled(self, double factor):
        return L2(factor * self.modulus)

    def with_intercept(self):
        return self

    cdef double value(self, const double* w, Py_ssize_t n) noexcept nogil:
        return self.modulus * squared_norm(w, n) / 2

    cdef double derivative(self, const double* w, const double* d, Py_ssize_t n) noexcept nogil:
        return self.modulus * dot(w, d, n)

    cdef double conjugate(self, const double* v, Py_ssize_t n) noexcept nogil:
        return squared_norm(v, n) / (2 * self.modulus)

    cdef void prox(self, double* w, double step, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        for j in range(n):
            w[j] /= 1 + step * self.modulus

    cdef void gradient_of_conjugate(self, const double* v, double* w, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        for j in range(n):
            w[j] = v[j] / self.modulus

    cdef double primal_dot(self, const row_t* row, const double* v) noexcept nogil:
        return row_dot(row, v) / self.modulus


cdef class ElasticNet(Regularizer):
    """(s/2)‖w‖² + l1 ‖w‖₁, s = ``modulus``, whose conjugate is Σ max(0, |v_j| − l1)² / (2s)."""

    cdef readonly double l1

    def __init__(self, double l1, double modulus=1.0):
        if not 0 <= l1 < INFINITY:
            raise ValueError(f"l1 must be at least 0 and finite, got {l1}")
        self.l1, self.modulus, self.linear = l1, checked_modulus(modulus), l1 == 0

    @property
    def quadratic_l1(self):
        return self.l1

    def with_quadratic(self, double kappa):
        return ElasticNet(self.l1, self.modulus + kappa)

    def scaled(self, double factor):
        return ElasticNet(factor * self.l1, factor * self.modulus)

    def with_intercept(self):
        return BesideIntercept(self)

    cdef double value(self, const double* w, Py_ssize_t n) noexcept nogil:
        return self.modulus * squared_norm(w, n) / 2 + self.l1 * soft_sum(w, n, 0)

    cdef double derivative(self, const double* w, const double* d, Py_ssize_t n) noexcept nogil:
        return self.modulus * dot(w, d, n) + self.l1 * derivative_of_l1(w, d, n)

    cdef double conjugate(self, const double* v, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        cdef double total = 0, w
        for j in range(n):
            w = soft_threshold(v[j], self.l1)
            total += w * w
        return total / (2 * self.modulus)

    cdef void prox(self, double* w, double step, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        for j in range(n):
            w[j] = soft_threshold(w[j], step * self.l1) / (1 + step * self.modulus)

    cdef void gradient_of_conjugate(self, const double* v, double* w, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        for j in range(n):
            w[j] = soft_threshold(v[j], self.l1) / self.modulus

    cdef double primal_dot(self, const row_t* row, const double* v) noexcept nogil:
        return thresholded_dot(row, v, self.l1) / self.modulus


cdef class L1(Norm):
    """l1 ‖w‖₁, whose conjugate is 0 where every |v_j| ≤ l1, and infinite elsewhere.

    It is not strongly convex, so the conjugate has no gradient.
    """

    cdef readonly double l1

    def __init__(self, double l1):
        if not 0 < l1 < INFINITY:
            raise ValueError(f"l1 must be positive and finite, got {l1}")
        self.l1, self.modulus, self.linear = l1, 0, False

    @property
    def quadratic_l1(self):
        return self.l1

    def with_quadratic(self, double kappa):
        return ElasticNet(self.l1, kappa)

    cdef double value(self, const double* w, Py_ssize_t n) noexcept nogil:
        return self.l1 * soft_sum(w, n, 0)

    cdef double derivative(self, const double* w, const double* d, Py_ssize_t n) noexcept nogil:
        return self.l1 * derivative_of_l1(w, d, n)

    cdef double dual_norm(self, const double* v, Py_ssize_t n) noexcept nogil:
        return norm_max(v, n) / self.l1

    cdef double dual_scale(self, const double* v, Py_ssize_t n) noexcept nogil:
        return scale_within(norm_max(v, n), self.l1)

    cdef double value_of_prox(self, const double* w, double step, Py_ssize_t n) noexcept nogil:
        return self.l1 * soft_sum(w, n, step * self.l1)

    cdef void prox(self, double* w, double step, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        for j in range(n):
            w[j] = soft_threshold(w[j], step * self.l1)


cdef double checked_modulus(double modulus) except -1:
    if not 0 < modulus < INFINITY:
        raise ValueError(f"modulus must be positive and finite, got {modulus}")
    return modulus


cdef inline double soft_threshold(double v, double threshold) noexcept nogil:
    return v - threshold if v > threshold else v + threshold if v < -threshold else 0


cdef inline double squared_norm(const double* a, Py_ssize_t n) noexcept nogil:
    return dot(a, a, n)


cdef inline double dot(const double* a, const double* b, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t j
    cdef double total = 0
    if n >= LONG:
        return wide_dot(a, b, n)
    for j in range(n):
        total += a[j] * b[j]
    return total
