"""The second derivative of F(w) = Σ_i c_i φ(x_i'w, y_i), as a matrix or by its products."""

from rrmlinear.simd.gram cimport row_outer
from rrmlinear.simd.rows cimport (
    row_axpy, row_dot, row_index, row_t, row_value, rows_get, rows_prefetch,
)
from rrmlinear.data.rows cimport Rows

import numpy as np

cdef enum:
    LOOKAHEAD = 3        # rows between a prefetch and its use
    CHUNK = 4096         # dense rows that are scaled in a copy at once


cdef class Hessian:
    """Σ_i h_i x_i x_i' less Σ_v u_v u_v' / m_v, u_v = Σ h_i v_i x_i, m_v = Σ h_i v_i².

    h ≥ 0 has n entries; only rows with h_i > 0 are read. ``free`` are the v, n numbers each and
    orthogonal to each other (Σ h_i v_i v'_i = 0): with them it is the second derivative of the
    minimum over numbers b_v of Σ c_i φ(x_i'w + Σ_v b_v v_i, y_i), as with v = 1 over an intercept.
    """

    cdef readonly Rows rows
    cdef readonly object active        # the rows with h_i > 0
    cdef object weights
    cdef const double[::1] h
    cdef const Py_ssize_t[::1] row_of
    cdef object lines                  # the u_v / √m_v

    def __init__(self, Rows rows, h, free=()):
        self.rows, self.weights, self.h = rows, h, h
        self.active = np.flatnonzero(h)
        self.row_of = self.active
        masses = [float(h @ (v * v)) for v in free]
        self.lines = [self._sum(h * v) / np.sqrt(mass) for v, mass in zip(free, masses) if mass > 0]

    def matrix(self):
        """All of it, d × d."""
        if self.rows.is_dense and self.rows.bias < 0:
            result = self._dense_matrix()
        else:
            result = self._sparse_matrix()
        for line in self.lines:
            result -= np.outer(line, line)
        return result

    def _dense_matrix(self):
        d = self.rows.width
        result = np.zeros((d, d))
        for begin in range(0, len(self.active), CHUNK):
            part = self.active[begin:begin + CHUNK]
            x = self.rows.values[part] * np.sqrt(self.weights[part])[:, np.newaxis]
            result += x.T @ x
        return result

    def _sparse_matrix(self):
        cdef Py_ssize_t a, d = self.rows.width
        cdef row_t row
        result = np.zeros((d, d))
        cdef double[:, ::1] out = result
        if d:
            with nogil:
                for a in range(self.row_of.shape[0]):
                    row = rows_get(&self.rows.c, self.row_of[a])
                    row_outer(&row, self.h[self.row_of[a]], &out[0, 0], d)
        return result + np.tril(result, -1).T

    def product(self, const double[::1] p):
        """This matrix times p, in one pass over the rows."""
        result = np.zeros(self.rows.width)
        cdef double[::1] out = result
        cdef Py_ssize_t a, i, n = self.row_of.shape[0]
        cdef row_t row
        if self.rows.width:
            with nogil:
                for a in range(n):
                    if a + LOOKAHEAD < n:
                        rows_prefetch(&self.rows.c, self.row_of[a + LOOKAHEAD])
                    i = self.row_of[a]
                    row = rows_get(&self.rows.c, i)
                    row_axpy(&row, self.h[i] * row_dot(&row, &p[0]), &out[0])
        for line in self.lines:
            result -= float(line @ np.asarray(p)) * line
        return result

    def diagonal(self):
        """Its diagonal."""
        result = np.zeros(self.rows.width)
        cdef double[::1] out = result
        cdef Py_ssize_t a, i, t
        cdef double x
        cdef row_t row
        with nogil:
            for a in range(self.row_of.shape[0]):
                i = self.row_of[a]
                row = rows_get(&self.rows.c, i)
                for t in range(row.length):
                    x = row_value(&row, row.kind, t)
                    out[row_index(&row, row.kind, t)] += self.h[i] * x * x
                if row.bias != 0:
                    out[row.bias_index] += self.h[i] * row.bias * row.bias
        for line in self.lines:
            result -= line * line
        return result

    def _sum(self, const double[::1] factors):
        # Σ f_i x_i of rows with h_i > 0
        result = np.zeros(self.rows.width)
        cdef double[::1] out = result
        cdef Py_ssize_t a, i
        cdef row_t row
        if self.rows.width:
            with nogil:
                for a in range(self.row_of.shape[0]):
                    i = self.row_of[a]
                    row = rows_get(&self.rows.c, i)
                    row_axpy(&row, factors[i], &out[0])
        return result
