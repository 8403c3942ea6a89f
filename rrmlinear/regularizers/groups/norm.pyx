"""Norms as regularizers: the conjugate is 0 in the dual ball and infinite outside."""

from libc.math cimport INFINITY, NAN
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

from rrmlinear.regularizers.base cimport Regularizer

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
