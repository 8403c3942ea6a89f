"""Averages of the weights and the duals over the visits of a stochastic ascent."""

from rrmlinear.simd.row_products cimport row_axpy
from rrmlinear.simd.rows cimport row_index, row_t
from rrmlinear.regularizers.base cimport Regularizer

import numpy as np


cdef class RunningAverage:
    """Averages of w = ∇Ω*(v) and α over the states before each visit since the last restart.

    If visit s of T moves a number by Δ_s, the number's average over the T states is its last value
    less Σ (s/T) Δ_s. So a visit adds to that sum only at the coordinates that it moves. Ω must be a
    sum over coordinates. ``longest`` is the largest number of entries of a row.
    """

    def __init__(self, Regularizer regularizer not None, Py_ssize_t n, Py_ssize_t width,
                 Py_ssize_t longest):
        self.regularizer = regularizer
        self.w_moves, self.alpha_moves = np.zeros(width), np.zeros(n)
        self.before, self.after = np.empty(longest), np.empty(longest)

    def restart(self):
        """Forget the states so far."""
        self.w_moves[:] = 0
        self.alpha_moves[:] = 0
        self.visits = 0

    cdef void visit(self) noexcept nogil:
        """Count the visit that begins."""
        self.visits += 1

    cdef void move(self, const row_t* row, Py_ssize_t i, double change, double step,
                   double* v) noexcept nogil:
        """Add ``step`` x_i to v, and note that α_i moves by ``change``."""
        cdef Py_ssize_t t, length
        self.alpha_moves[i] += self.visits * change
        if self.regularizer.linear:
            row_axpy(row, step, v)
            row_axpy(row, self.visits * step / self.regularizer.modulus, &self.w_moves[0])
            return
        self._weights_at(row, v, &self.before[0])
        row_axpy(row, step, v)
        length = self._weights_at(row, v, &self.after[0])
        for t in range(length):
            self.w_moves[feature(row, t)] += self.visits * (self.after[t] - self.before[t])

    cdef Py_ssize_t _weights_at(self, const row_t* row, const double* v,
                                double* weights) noexcept nogil:
        # Writes the weights at the entries of a row; returns how many there are.
        cdef Py_ssize_t t, length = row.length + (row.bias != 0)
        for t in range(length):
            weights[t] = v[feature(row, t)]
        self.regularizer.gradient_of_conjugate(weights, weights, length)
        return length

    def weights(self, v):
        """The average of ∇Ω*(v), given the present v."""
        return self.regularizer.primal_of(v) - np.asarray(self.w_moves) / max(self.visits, 1)

    def duals(self, alphas):
        """The average of α, given the present duals. Rounding may carry it out of bounds."""
        return alphas - np.asarray(self.alpha_moves) / max(self.visits, 1)


cdef inline Py_ssize_t feature(const row_t* row, Py_ssize_t t) noexcept nogil:
    return row.bias_index if t == row.length else row_index(row, row.kind, t)
