"""The interface of regularizers to solvers. A method that Ω does not offer gives NaN, never 0."""

from libc.math cimport INFINITY, NAN
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

BOUNDARY_ROUNDING = 1e-12


cdef class Regularizer:
    """A regularizer Ω(w), strongly convex with this ``modulus``: its conjugate has a gradient.

    With modulus 0 the conjugate has no gradient and may be infinite; `dual_scale` scales v into its
    domain. Arrays have n entries, those of a matrix of weights row by row. Solvers begin v at z for
    a linear term −⟨z, w⟩ of the objective.
    """

    def over(self, shape, *, bint intercept=False):
        """Ω for weights of this shape, (d,) or (d, k); called once, before a solver starts.

        Checks groups of columns and bounds against the data. With ``intercept`` the last row is
        that of an appended column: it is regularized like every weight, but is in no group of the
        caller. Raises ValueError for shapes that Ω does not take.
        """
        return self

    @property
    def quadratic_l1(self):
        """l1 if Ω is (modulus/2) ‖w‖² + l1 ‖w‖₁, else None."""
        return None

    @property
    def allows_zeros(self):
        """Whether Ω never rises if a weight is set to 0."""
        return True

    def with_quadratic(self, double kappa):
        """Ω + kappa/2 ‖w‖², kappa ≥ 0."""
        raise TypeError(f"{type(self).__name__} takes no further quadratic")

    def scaled(self, double factor):
        """factor times Ω, factor > 0."""
        raise TypeError(f"{type(self).__name__} takes no factor")

    def with_intercept(self):
        """Ω(w) + modulus/2 b² over one more coordinate b, the last."""
        raise TypeError(f"{type(self).__name__} takes no intercept beside it")

    cdef double value(self, const double* w, Py_ssize_t n) noexcept nogil:
        """Ω(w)."""
        return NAN

    cdef double derivative(self, const double* w, const double* d, Py_ssize_t n) noexcept nogil:
        """The derivative of Ω(w + x d) by x at 0, from the right."""
        return NAN

    cdef double conjugate(self, const double* v, Py_ssize_t n) noexcept nogil:
        """Ω*(v) = max over w of ⟨v, w⟩ − Ω(w)."""
        return NAN

    cdef double dual_scale(self, const double* v, Py_ssize_t n) noexcept nogil:
        """The largest t of [0, 1] with Ω*(t v) finite: 1 where Ω* is finite everywhere.

        If duals α are feasible, so are t α, and Σ c_i t α_i x_i = t v.
        """
        return 1

    cdef void prox(self, double* w, double step, Py_ssize_t n) noexcept nogil:
        """w ← argmin over u of ½‖u − w‖² + step Ω(u)."""
        w[0] = NAN

    cdef void gradient_of_conjugate(self, const double* v, double* w, Py_ssize_t n) noexcept nogil:
        """w ← ∇Ω*(v), the w that attains the maximum."""
        w[0] = NAN

    cdef double primal_dot(self, const row_t* row, const double* v) noexcept nogil:
        """⟨x, ∇Ω*(v)⟩ for one row, without forming ∇Ω*(v)."""
        return NAN

    def value_of(self, w):
        """Ω at an array."""
        cdef const double[::1] array = np.ascontiguousarray(w, dtype=np.float64)
        self._fit(array.shape[0])
        return self.value(&array[0], array.shape[0])

    def derivative_of(self, w, d):
        """The derivative of Ω at an array along another."""
        cdef const double[::1] array = np.ascontiguousarray(w, dtype=np.float64)
        cdef const double[::1] along = np.ascontiguousarray(d, dtype=np.float64)
        if along.shape[0] != array.shape[0]:
            raise ValueError(f"w has {array.shape[0]} entries and d {along.shape[0]}")
        self._fit(array.shape[0])
        return self.derivative(&array[0], &along[0], array.shape[0])

    def conjugate_of(self, v):
        """Ω* at an array."""
        cdef const double[::1] array = np.ascontiguousarray(v, dtype=np.float64)
        self._fit(array.shape[0])
        return self.conjugate(&array[0], array.shape[0])

    def dual_scale_of(self, v):
        """The largest t of [0, 1] with Ω* finite at t times an array."""
        cdef const double[::1] array = np.ascontiguousarray(v, dtype=np.float64)
        self._fit(array.shape[0])
        return self.dual_scale(&array[0], array.shape[0])

    def prox_of(self, w, double step):
        """The prox of step Ω at an array, as a new one."""
        result = np.array(w, dtype=np.float64)
        cdef double[::1] array = result
        self._fit(array.shape[0])
        self.prox(&array[0], step, array.shape[0])
        return result

    def primal_of(self, v):
        """∇Ω* at an array, as a new one."""
        cdef const double[::1] array = np.ascontiguousarray(v, dtype=np.float64)
        result = np.empty(array.shape[0])
        cdef double[::1] out = result
        self._fit(array.shape[0])
        self.gradient_of_conjugate(&array[0], &out[0], array.shape[0])
        return result

    cdef int _fit(self, Py_ssize_t n) except -1:
        if self.length < 0:
            raise ValueError(f"{type(self).__name__} must be told the shape first, by over")
        if self.length > 0 and n != self.length:
            raise ValueError(f"{type(self).__name__} is over {self.length} weights, got {n}")
        return 0


# Norms as regularizers: the conjugate is 0 in the dual ball and infinite outside.

# Duals are scaled to this fraction inside the dual ball: rounding must not put them outside.
cdef double DUAL_SHRINKAGE = 1e-12


cdef class Norm(Regularizer):
    """A norm Ω with the dual norm Ω°(v) = max ⟨v, w⟩ over Ω(w) ≤ 1, of modulus 0.

    Ω* is 0 where Ω°(v) ≤ 1, and infinite elsewhere. ``degree`` is 1: Ω(t w) = t Ω(w) for t ≥ 0.
    """

    def __cinit__(self, *args, **kwargs):
        self.degree = 1

    cdef double dual_norm(self, const double* v, Py_ssize_t n) noexcept nogil:
        """Ω°(v)."""
        return NAN

    cdef double value_of_prox(self, const double* w, double step, Py_ssize_t n) noexcept nogil:
        """Ω at the prox of step Ω; NaN without memory."""
        cdef double* u = <double*> malloc(n * sizeof(double))
        cdef double value
        if u == NULL:
            return NAN
        memcpy(u, w, n * sizeof(double))
        self.prox(u, step, n)
        value = self.value(u, n)
        free(u)
        return value

    cdef double conjugate(self, const double* v, Py_ssize_t n) noexcept nogil:
        return 0 if self.dual_norm(v, n) <= 1 else INFINITY

    cdef double dual_scale(self, const double* v, Py_ssize_t n) noexcept nogil:
        cdef double size = self.dual_norm(v, n)
        return 1 if size <= 1 else (1 - DUAL_SHRINKAGE) / size

    def dual_norm_of(self, v):
        """Ω° at an array."""
        cdef const double[::1] array = np.ascontiguousarray(v, dtype=np.float64)
        self._fit(array.shape[0])
        return self.dual_norm(&array[0], array.shape[0])


# A regularizer of the weights and, by its square alone, of an intercept.

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
