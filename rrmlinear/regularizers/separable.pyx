"""Regularizers that are sums over the coordinates of w."""

from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy

from rrmlinear.core.sparse cimport row_dot, row_t, thresholded_dot
from rrmlinear.regularizers.base cimport Regularizer


cdef class L2(Regularizer):
    """½‖w‖², its own conjugate."""

    cdef double value(self, const double* w, Py_ssize_t n) noexcept nogil:
        return squared_norm(w, n) / 2

    cdef double conjugate(self, const double* v, Py_ssize_t n) noexcept nogil:
        return squared_norm(v, n) / 2

    cdef void prox(self, double* w, double step, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        for j in range(n):
            w[j] /= 1 + step

    cdef void gradient_of_conjugate(self, const double* v, double* w, Py_ssize_t n) noexcept nogil:
        memcpy(w, v, n * sizeof(double))

    cdef double primal_dot(self, const row_t* row, const double* v) noexcept nogil:
        return row_dot(row, v)


cdef class ElasticNet(Regularizer):
    """½‖w‖² + l1 ‖w‖₁, whose conjugate is ½ Σ max(0, |v_j| − l1)²."""

    cdef readonly double l1

    def __init__(self, double l1):
        if not 0 <= l1 < INFINITY:
            raise ValueError(f"l1 must be at least 0 and finite, got {l1}")
        self.l1 = l1

    cdef double value(self, const double* w, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        cdef double total = 0
        for j in range(n):
            total += fabs(w[j])
        return squared_norm(w, n) / 2 + self.l1 * total

    cdef double conjugate(self, const double* v, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        cdef double total = 0, w
        for j in range(n):
            w = soft_threshold(v[j], self.l1)
            total += w * w
        return total / 2

    cdef void prox(self, double* w, double step, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        for j in range(n):
            w[j] = soft_threshold(w[j], step * self.l1) / (1 + step)

    cdef void gradient_of_conjugate(self, const double* v, double* w, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        for j in range(n):
            w[j] = soft_threshold(v[j], self.l1)

    cdef double primal_dot(self, const row_t* row, const double* v) noexcept nogil:
        return thresholded_dot(row, v, self.l1)


cdef inline double soft_threshold(double v, double threshold) noexcept nogil:
    return v - threshold if v > threshold else v + threshold if v < -threshold else 0


cdef inline double squared_norm(const double* a, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t j
    cdef double total = 0
    for j in range(n):
        total += a[j] * a[j]
    return total
