"""Averages over the visits of a stochastic ascent, and the momentum of accelerated ones."""

import numpy as np

from rrmlinear.simd.columns cimport momentum_look, momentum_look_t, momentum_step
from rrmlinear.simd.products cimport row_axpy
from rrmlinear.simd.rows cimport row_index


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


# Operations of accelerated ascents on whole vectors, each in one pass through memory.
#
# V are dual vectors, y centers and p the solution before; w = ∇Ω̃*(V) is computed in pieces and
# never stored. Ω is the regularizer of the problem, Ω̃ = Ω + κ/2 ‖·‖² that of the inner problem.
#
# Loops of their own serve Ω = (s/2)‖·‖²: on text, where W is larger than the caches, two thirds of
# the time of looks and steps were calls and sums of one number after the other.

cdef enum:
    PIECE = 512     # entries at a time: few enough for the first-level cache


def look(Regularizer problem not None, Regularizer inner not None, const double[::1] V not None,
         const double[::1] y not None, const double[::1] p not None, double kappa):
    """(‖w − y‖², ‖y‖², (y − w)'(w − p), Ω(w), Ω*(V − κ y))."""
    cdef double w[PIECE]
    cdef double unshifted[PIECE]
    cdef Py_ssize_t begin = 0, j, m, n = V.shape[0]
    cdef double distance = 0, square = 0, uphill = 0, value = 0, conjugate = 0, away
    cdef momentum_look_t found
    if n and problem.linear and inner.linear:
        with nogil:
            found = momentum_look(&V[0], &y[0], &p[0], n, 1 / inner.modulus, kappa)
        value, conjugate = problem.modulus * found.weights / 2, found.own / (2 * problem.modulus)
        return found.distance, found.centre, found.uphill, value, conjugate
    with nogil:
        while begin < n:
            m = min(PIECE, n - begin)
            inner.gradient_of_conjugate(&V[begin], w, m)
            for j in range(m):
                away = y[begin + j] - w[j]
                distance += away * away
                square += y[begin + j] * y[begin + j]
                uphill += away * (w[j] - p[begin + j])
                unshifted[j] = V[begin + j] - kappa * y[begin + j]
            value += problem.value(w, m)
            conjugate += problem.conjugate(unshifted, m)
            begin += m
    return distance, square, uphill, value, conjugate


def step(Regularizer inner not None, double[::1] V not None, double[::1] y not None,
         double[::1] p not None, double kappa, double next_kappa, double beta):
    """y ← w + β (w − p), V ← V + κ' y' − κ y, p ← w, in place."""
    cdef double w[PIECE]
    cdef Py_ssize_t begin = 0, j, m, n = V.shape[0]
    cdef double center
    if n and inner.linear:
        with nogil:
            momentum_step(&V[0], &y[0], &p[0], n, 1 / inner.modulus, kappa, next_kappa, beta)
        return
    with nogil:
        while begin < n:
            m = min(PIECE, n - begin)
            inner.gradient_of_conjugate(&V[begin], w, m)
            for j in range(m):
                center = w[j] + beta * (w[j] - p[begin + j])
                V[begin + j] += next_kappa * center - kappa * y[begin + j]
                y[begin + j] = center
                p[begin + j] = w[j]
            begin += m
