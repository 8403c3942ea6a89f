"""A regularizer of the weights and, by its square alone, of an intercept."""

from rrmlinear.simd.rows cimport row_t
from rrmlinear.regularizers.base cimport Regularizer


cdef class BesideIntercept(Regularizer):
    """Ω(w) + (s/2) b², s the modulus of Ω, over (w, b): b is the last coordinate.

    b is the weight of the rows' appended column.
    """

    cdef readonly Regularizer inner

    def __init__(self, Regularizer inner not None):
        self.inner = inner
        self.modulus, self.linear = inner.modulus, inner.linear

    def with_quadratic(self, double kappa):
        return BesideIntercept(self.inner.with_quadratic(kappa))

    def scaled(self, double factor):
        return BesideIntercept(self.inner.scaled(factor))

    cdef double value(self, const double* w, Py_ssize_t n) noexcept nogil:
        return self.inner.value(w, n - 1) + self.modulus / 2 * w[n - 1] * w[n - 1]

    cdef double derivative(self, const double* w, const double* d, Py_ssize_t n) noexcept nogil:
        return self.inner.derivative(w, d, n - 1) + self.modulus * w[n - 1] * d[n - 1]

    cdef double conjugate(self, const double* v, Py_ssize_t n) noexcept nogil:
        return self.inner.conjugate(v, n - 1) + v[n - 1] * v[n - 1] / (2 * self.modulus)

    cdef void prox(self, double* w, double step, Py_ssize_t n) noexcept nogil:
        self.inner.prox(w, step, n - 1)
        w[n - 1] /= 1 + step * self.modulus

    cdef void gradient_of_conjugate(self, const double* v, double* w, Py_ssize_t n) noexcept nogil:
        self.inner.gradient_of_conjugate(v, w, n - 1)
        w[n - 1] = v[n - 1] / self.modulus

    cdef double primal_dot(self, const row_t* row, const double* v) noexcept nogil:
        cdef row_t features = row[0]
        features.bias = 0
        return self.inner.primal_dot(&features, v) + row.bias * v[row.bias_index] / self.modulus
