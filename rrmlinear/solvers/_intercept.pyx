"""Sums over all examples that the search for an intercept takes."""

from rrmlinear.core.sparse cimport row_axpy, row_dot, row_t, rows_get, rows_prefetch
from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport ScalarLoss

import numpy as np

cdef enum:
    LOOKAHEAD = 3        # rows between a prefetch and its use


cdef class Examples:
    """Rows x_i, labels y_i and costs c_i under a loss φ."""

    cdef readonly Rows rows
    cdef readonly ScalarLoss loss
    cdef Py_ssize_t n
    cdef const double[::1] y
    cdef const double[::1] cost

    def __cinit__(self, Rows rows, const double[::1] y, const double[::1] cost, ScalarLoss loss):
        self.rows, self.y, self.cost, self.loss = rows, y, cost, loss
        self.n = rows.c.n_rows

    def margins(self, const double[::1] w):
        """x_i'w of every row."""
        cdef Py_ssize_t i
        cdef row_t row
        result = np.empty(self.n)
        cdef double[::1] out = result
        with nogil:
            for i in range(self.n):
                if i + LOOKAHEAD < self.n:
                    rows_prefetch(&self.rows.c, i + LOOKAHEAD)
                row = rows_get(&self.rows.c, i)
                out[i] = row_dot(&row, &w[0])
        return result

    def combination(self, const double[::1] alpha):
        """Σ c_i α_i x_i, as long as the rows are wide."""
        cdef Py_ssize_t i
        cdef row_t row
        result = np.zeros(max(self.rows.width, 1))
        cdef double[::1] out = result
        with nogil:
            for i in range(self.n):
                if i + LOOKAHEAD < self.n:
                    rows_prefetch(&self.rows.c, i + LOOKAHEAD)
                if self.cost[i] * alpha[i] != 0:
                    row = rows_get(&self.rows.c, i)
                    row_axpy(&row, self.cost[i] * alpha[i], &out[0])
        return result

    def losses(self, const double[::1] margin, double b):
        """Σ c_i φ(m_i + b) and its derivative in b."""
        cdef Py_ssize_t i
        cdef double value = 0, slope = 0
        with nogil:
            for i in range(self.n):
                value += self.cost[i] * self.loss.value(self.y[i], margin[i] + b)
                slope += self.cost[i] * self.loss.derivative(self.y[i], margin[i] + b)
        return value, slope

    def conjugates(self, const double[::1] alpha):
        """Σ c_i φ*(−α_i)."""
        cdef Py_ssize_t i
        cdef double total = 0
        with nogil:
            for i in range(self.n):
                if self.cost[i] > 0:
                    total += self.cost[i] * self.loss.conjugate(self.y[i], alpha[i])
        return total

    def responses(self, const double[::1] margin, double b, const double[::1] alpha,
                  const double[::1] curvature, double[::1] out):
        """out_i ← the dual step from α_i at margin m_i + b; returns Σ c_i out_i."""
        cdef Py_ssize_t i
        cdef double total = 0
        with nogil:
            for i in range(self.n):
                out[i] = self.loss.dual_step(self.y[i], margin[i] + b, alpha[i], curvature[i])
                total += self.cost[i] * out[i]
        return total
