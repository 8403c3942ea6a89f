"""Bounds on the weights of a regularizer that is a sum over them."""

from libc.math cimport INFINITY, fabs

import numpy as np

from rrmlinear.projections.norms cimport scale_within
from rrmlinear.regularizers.base cimport BOUNDARY_ROUNDING, Regularizer


cdef class Bounded(Regularizer):
    """Ω(w) = (s/2)‖w‖² + l1 ‖w‖₁ where lower ≤ w ≤ upper, and infinite elsewhere.

    ``inner`` is the L2, ElasticNet or L1 with s and l1. ``lower`` and ``upper`` are one number, or
    one for each column of the data; −∞ and ∞ are allowed. lower = 0 gives weights that are not
    negative. All k weights of a column have its bounds; a column appended for the intercept has
    none. For each weight the prox is that of Ω without bounds, clipped, and
    Ω*(v) = max over lower ≤ w ≤ upper of v w − (s/2) w² − l1 |w|, which is infinite only for s = 0
    where v > l1 and upper = ∞ or v < −l1 and lower = −∞.

    Raises TypeError for other regularizers, whose conjugate beside bounds has no closed form, and
    ValueError for bounds that leave no weights.
    """

    cdef readonly Regularizer inner
    cdef readonly object lower
    cdef readonly object upper
    cdef double l1
    cdef const double* low
    cdef const double* high
    cdef Py_ssize_t low_step
    cdef Py_ssize_t high_step

    def __init__(self, Regularizer inner not None, lower=-np.inf, upper=np.inf):
        l1 = inner.quadratic_l1
        if l1 is None:
            raise TypeError(
                f"bounds stand beside L1, L2 or ElasticNet, not beside {type(inner).__name__}: the "
                "conjugate would have no closed form")
        self.inner, self.l1 = inner, l1
        self.modulus, self.linear = inner.modulus, False
        self.lower = np.array(lower, dtype=np.float64, ndmin=1)
        self.upper = np.array(upper, dtype=np.float64, ndmin=1)
        for name, array in (("lower", self.lower), ("upper", self.upper)):
            if array.ndim != 1 or array.size == 0 or np.isnan(array).any():
                raise ValueError(f"{name} must be a number or one for each column")
        sizes = sorted({self.lower.size, self.upper.size} - {1})
        if len(sizes) > 1:
            raise ValueError(
                f"there are {self.lower.size} lower bounds and {self.upper.size} upper ones")
        empty = (self.lower > self.upper) | (self.lower == np.inf) | (self.upper == -np.inf)
        if empty.any():
            at = int(np.flatnonzero(empty)[0])
            low, high = np.broadcast_arrays(self.lower, self.upper)
            raise ValueError(f"no weight of column {at} lies between {low[at]} and {high[at]}")
        self.length = sizes[0] if sizes else 0
        cdef const double[::1] array_of_low = self.lower
        cdef const double[::1] array_of_high = self.upper
        self.low, self.low_step = &array_of_low[0], array_of_low.shape[0] > 1
        self.high, self.high_step = &array_of_high[0], array_of_high.shape[0] > 1

    @property
    def allows_zeros(self):
        """False: 0 may lie outside the bounds."""
        return False

    def over(self, shape, *, bint intercept=False):
        features = shape[0] - intercept
        bounds = []
        for name, array, free in (("lower", self.lower, -np.inf), ("upper", self.upper, np.inf)):
            if array.size not in (1, features):
                raise ValueError(f"there are {array.size} {name} bounds for {features} columns")
            each = np.append(np.broadcast_to(array, features), np.full(int(intercept), free))
            bounds.append(np.repeat(each, shape[1]) if len(shape) > 1 else each)
        return Bounded(self.inner, *bounds)

    cdef double value(self, const double* w, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        cdef double low, high
        for j in range(n):
            low, high = self.low[j * self.low_step], self.high[j * self.high_step]
            if w[j] < low - BOUNDARY_ROUNDING * fabs(low):
                return INFINITY
            if w[j] > high + BOUNDARY_ROUNDING * fabs(high):
                return INFINITY
        return self.inner.value(w, n)

    cdef double derivative(self, const double* w, const double* d, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        for j in range(n):
            if d[j] < 0 and w[j] <= self.low[j * self.low_step]:
                return INFINITY
            if d[j] > 0 and w[j] >= self.high[j * self.high_step]:
                return INFINITY
        return self.inner.derivative(w, d, n)

    cdef double conjugate(self, const double* v, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        cdef double total = 0, w
        for j in range(n):
            w = self._best(v[j], j)
            if fabs(w) == INFINITY:
                return INFINITY
            total += (v[j] - self.modulus / 2 * w) * w - self.l1 * fabs(w)
        return total

    cdef double dual_scale(self, const double* v, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        cdef double largest = 0
        if self.modulus > 0:
            return 1
        for j in range(n):
            if fabs(self._best(v[j], j)) == INFINITY:
                largest = max(largest, fabs(v[j]))
        return scale_within(largest, self.l1)

    cdef void prox(self, double* w, double step, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        self.inner.prox(w, step, n)
        for j in range(n):
            w[j] = self._clipped(w[j], j)

    cdef void gradient_of_conjugate(self, const double* v, double* w, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        for j in range(n):
            w[j] = self._best(v[j], j)

    cdef inline double _clipped(self, double w, Py_ssize_t j) noexcept nogil:
        cdef double low = self.low[j * self.low_step], high = self.high[j * self.high_step]
        return low if w < low else high if w > high else w

    cdef inline double _best(self, double v, Py_ssize_t j) noexcept nogil:
        # the w that attains the maximum of the conjugate
        cdef double over = fabs(v) - self.l1
        if over <= 0:
            return self._clipped(0, j)
        over = over / self.modulus if self.modulus > 0 else INFINITY
        return self._clipped(over if v > 0 else -over, j)
