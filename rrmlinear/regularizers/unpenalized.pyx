"""A regularizer that leaves some columns free within a wide box."""

from libc.math cimport INFINITY, NAN, fabs
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

from rrmlinear.regularizers.base cimport BOUNDARY_ROUNDING, Regularizer


cdef class Unpenalized(Regularizer):
    """Ω of w with zeros in ``columns``, whose weights have no penalty but must have |w_j| ≤ limit.

    Without a limit the conjugate would be infinite unless these v_j are 0, which no scaling of
    duals gives. With it Ω*(v) is limit · Σ |v_j| over ``columns`` plus Ω* of the rest. The gap is
    that of the problem within the box. If |w_j| < limit at the minimum within the box, that is also
    the minimum without it. The wider the box, the closer to 0 the v_j must be for the same gap. Ω
    must not rise when a weight is set to 0 (`allows_zeros`). Groups count all their columns. `over`
    must set the shape.

    ``columns`` are numbers from 0, limit > 0. Raises ValueError for columns that repeat or are
    beyond those of the data, with their number.
    """

    cdef readonly Regularizer inner
    cdef readonly object columns
    cdef readonly double limit
    cdef readonly object indices
    cdef const Py_ssize_t* index
    cdef Py_ssize_t count

    def __init__(self, Regularizer inner not None, columns, double limit=1000.0):
        if not inner.allows_zeros:
            raise TypeError("columns cannot be left alone by Bounded: give those other bounds")
        if not 0 < limit < INFINITY:
            raise ValueError(f"limit must be positive and finite, got {limit}")
        columns = np.array(columns, ndmin=1)
        if columns.ndim != 1 or columns.size == 0 or columns.dtype.kind not in "iu":
            raise ValueError("unpenalized columns must be a list of whole numbers, at least one")
        found, times = np.unique(columns, return_counts=True)
        if found[0] < 0:
            raise ValueError(f"unpenalized column {found[0]}: columns count from 0")
        if (times > 1).any():
            raise ValueError(f"unpenalized column {found[times > 1][0]} is named twice")
        self.inner, self.columns, self.limit = inner, found.astype(np.intp), limit
        self.modulus, self.linear, self.length = 0, False, -1

    def over(self, shape, *, bint intercept=False):
        features = shape[0] - intercept
        last = self.columns.max()
        if last >= features:
            raise ValueError(
                f"unpenalized column {last} is beyond the {features} columns of the data")
        cdef Unpenalized other = type(self)(
            self.inner.over(shape, intercept=intercept), self.columns, self.limit)
        each = np.arange(shape[0] if len(shape) < 2 else shape[0] * shape[1], dtype=np.intp)
        other.indices = np.ascontiguousarray(each.reshape(shape[0], -1)[self.columns].ravel())
        cdef const Py_ssize_t[::1] array = other.indices
        other.index, other.count, other.length = &array[0], array.shape[0], each.size
        return other

    cdef double* _penalized(self, const double* w, Py_ssize_t n) noexcept nogil:
        # a copy of w with zeros at ``columns``, NULL if memory is short
        cdef double* rest = <double*> malloc(n * sizeof(double))
        cdef Py_ssize_t i
        if rest != NULL:
            memcpy(rest, w, n * sizeof(double))
            for i in range(self.count):
                rest[self.index[i]] = 0
        return rest

    cdef double value(self, const double* w, Py_ssize_t n) noexcept nogil:
        cdef double* rest
        cdef double value
        cdef Py_ssize_t i
        for i in range(self.count):
            if fabs(w[self.index[i]]) > self.limit * (1 + BOUNDARY_ROUNDING):
                return INFINITY
        rest = self._penalized(w, n)
        value = NAN if rest == NULL else self.inner.value(rest, n)
        free(rest)
        return value

    cdef double derivative(self, const double* w, const double* d, Py_ssize_t n) noexcept nogil:
        cdef double* rest
        cdef double* along
        cdef double value
        cdef Py_ssize_t i, j
        for i in range(self.count):
            j = self.index[i]
            if fabs(w[j]) >= self.limit and w[j] * d[j] > 0:
                return INFINITY
        rest, along = self._penalized(w, n), self._penalized(d, n)
        value = NAN if rest == NULL or along == NULL else self.inner.derivative(rest, along, n)
        free(rest)
        free(along)
        return value

    cdef double conjugate(self, const double* v, Py_ssize_t n) noexcept nogil:
        cdef double* rest = self._penalized(v, n)
        cdef double value = NAN if rest == NULL else self.inner.conjugate(rest, n)
        cdef Py_ssize_t i
        free(rest)
        for i in range(self.count):
            value += self.limit * fabs(v[self.index[i]])
        return value

    cdef double dual_scale(self, const double* v, Py_ssize_t n) noexcept nogil:
        cdef double* rest = self._penalized(v, n)
        cdef double scale = NAN if rest == NULL else self.inner.dual_scale(rest, n)
        free(rest)
        return scale

    cdef void prox(self, double* w, double step, Py_ssize_t n) noexcept nogil:
        cdef double* kept = <double*> malloc(self.count * sizeof(double))
        cdef Py_ssize_t i
        if kept == NULL:
            w[0] = NAN
            return
        for i in range(self.count):
            kept[i], w[self.index[i]] = min(max(w[self.index[i]], -self.limit), self.limit), 0
        self.inner.prox(w, step, n)
        for i in range(self.count):
            w[self.index[i]] = kept[i]
        free(kept)
