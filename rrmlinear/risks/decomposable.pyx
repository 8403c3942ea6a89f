"""F(w) = Σ_i c_i φ(x_i'w, y_i) over all examples: its margins, its value and its gradient."""

from rrmlinear.core.sparse cimport row_axpy, row_dot, row_t, rows_get, rows_prefetch
from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport ScalarLoss

import numpy as np

cdef enum:
    LOOKAHEAD = 3        # rows between a prefetch and its use


cdef class ScalarRisk:
    """F of a loss of one margin. Margins, slopes and duals have n entries, weights ``shape``.

    F(w) = value(margins(w)) and ∇F(w) = gradient(slopes(margins(w))). The duals α = −slopes(m) are
    feasible at any margins m; they move the weights by Σ c_i α_i x_i = gradient(−α).
    """

    def __cinit__(self, Rows rows, ScalarLoss loss, const double[::1] y, const double[::1] costs):
        self.rows, self.loss, self.y, self.cost = rows, loss, y, costs
        self.costs = np.asarray(costs)
        self.n = rows.c.n_rows

    @property
    def shape(self):
        """Of the weights."""
        return (self.rows.width,)

    def margins(self, const double[::1] w):
        """X w."""
        result = np.empty(self.n)
        cdef double[::1] out = result
        cdef const double* weights = &w[0] if w.shape[0] else NULL
        cdef Py_ssize_t i
        cdef row_t row
        with nogil:
            for i in range(self.n):
                if i + LOOKAHEAD < self.n:
                    rows_prefetch(&self.rows.c, i + LOOKAHEAD)
                row = rows_get(&self.rows.c, i)
                out[i] = row_dot(&row, weights)
        return result

    def value(self, const double[::1] margins):
        """Σ c_i φ(m_i)."""
        cdef Py_ssize_t i
        cdef double total = 0
        with nogil:
            for i in range(self.n):
                total += self.cost[i] * self.loss.value(self.y[i], margins[i])
        return total

    def slopes(self, const double[::1] margins):
        """φ'(m_i)."""
        result = np.empty(self.n)
        cdef double[::1] out = result
        cdef Py_ssize_t i
        with nogil:
            for i in range(self.n):
                out[i] = self.loss.derivative(self.y[i], margins[i])
        return result

    def gradient(self, const double[::1] slopes):
        """Σ c_i s_i x_i."""
        result = np.zeros(self.rows.width)
        cdef double[::1] out = result
        cdef double* sum = &out[0] if out.shape[0] else NULL
        cdef Py_ssize_t i
        cdef double step
        cdef row_t row
        with nogil:
            for i in range(self.n):
                step = self.cost[i] * slopes[i]
                if step != 0:
                    row = rows_get(&self.rows.c, i)
                    row_axpy(&row, step, sum)
        return result

    def conjugate(self, const double[::1] alphas):
        """Σ (c_i φ)*(−c_i α_i) = Σ c_i φ*(−α_i)."""
        cdef Py_ssize_t i
        cdef double total = 0
        with nogil:
            for i in range(self.n):
                if self.cost[i] > 0:
                    total += self.cost[i] * self.loss.conjugate(self.y[i], alphas[i])
        return total
