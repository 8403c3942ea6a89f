"""Least squares with an elastic net for one strength after the other, on one Gram matrix."""

from libc.math cimport fabs, fmax

from rrmlinear.simd.columns cimport vector_axpy, vector_dot

import numpy as np

from rrmlinear.solvers.loop.tolerances import COORDINATE_ROUNDING, OBJECTIVE_ROUNDING

cdef enum:
    SWEEPS_IN_USE = 10    # over weights that are not 0, between two over all

# C copies, which loops read.
cdef double WEIGHT_MOVE_ROUNDING = COORDINATE_ROUNDING
cdef double SUM_ROUNDING = OBJECTIVE_ROUNDING


cdef class GramPath:
    """minimize ½ (square − 2 q'w + w'Gw) + l1 ‖w‖₁ + (modulus/2)‖w‖², over w ≥ 0 if ``positive``.

    G is symmetric and positive semidefinite, d × d, and q = X'y where G = X'X, square = y'y.
    ``pulls`` are q − Gw. Each `descend` begins from the weights of the last one. A weight whose
    diagonal of G is 0 never moves.
    """

    cdef readonly object weights     # d
    cdef readonly object pulls       # d
    cdef readonly double primal      # at the weights
    cdef readonly double gap
    cdef readonly double rounding    # of the gap
    cdef object gram
    cdef object linear
    cdef double square
    cdef bint positive
    cdef double l1
    cdef double modulus
    cdef double[::1] w
    cdef double[::1] pull
    cdef const double[::1] q
    cdef const double[:, ::1] matrix

    def __cinit__(self, const double[:, ::1] gram not None, const double[::1] linear not None,
                  double square, bint positive):
        self.matrix, self.q, self.square, self.positive = gram, linear, square, positive
        self.gram, self.linear = np.asarray(gram), np.asarray(linear)
        self.weights, self.pulls = np.zeros(len(self.linear)), self.linear.copy()
        self.w, self.pull = self.weights, self.pulls

    def set(self, weights):
        """Set all weights."""
        self.weights[:] = weights
        self.pulls[:] = self.linear - self.gram @ self.weights

    def descend(self, double l1, double modulus, double tolerance, Py_ssize_t most):
        """Minimize over one weight at a time until gap ≤ tolerance · primal, in at most this number
        of sweeps over all; whether the gap came there and is not rounding.
        """
        cdef Py_ssize_t _number, _sweep_number
        cdef double decrease
        cdef bint proved = False
        self.l1, self.modulus = l1, modulus
        with nogil:
            for _number in range(most):
                self._sweep(False)
                self._measure()
                proved = self.gap <= tolerance * self.primal
                if proved:
                    break
                decrease = self.gap
                for _sweep_number in range(SWEEPS_IN_USE):
                    if decrease < tolerance * self.primal / SWEEPS_IN_USE:
                        break
                    decrease = self._sweep(True)
        return proved and self.rounding <= tolerance * self.primal

    cdef double _sweep(self, bint in_use) noexcept nogil:
        # over all weights, or over those that are not 0; the decrease
        cdef Py_ssize_t j, d = self.w.shape[0]
        cdef double curvature, total, best, move, decrease = 0
        for j in range(d):
            curvature = self.matrix[j, j]
            if curvature <= 0 or (in_use and self.w[j] == 0):
                continue
            total = self.pull[j] + curvature * self.w[j]
            best = fmax((total if self.positive else fabs(total)) - self.l1, 0)
            best /= curvature + self.modulus
            best = best if total > 0 else -best
            move = best - self.w[j]
            if fabs(move) > WEIGHT_MOVE_ROUNDING * fabs(best):
                vector_axpy(&self.pull[0], -move, &self.matrix[j, 0], d)
                self.w[j] = best
                decrease += (curvature + self.modulus) * move * move / 2
        return decrease

    cdef void _measure(self) noexcept nogil:
        # The better of two dual points: the residual, whose part beyond l1 the modulus pays for,
        # and that of (X, √modulus I), (y, 0) times a factor that takes all pulls within l1.
        cdef Py_ssize_t j, d = self.w.shape[0]
        cdef double w, pull, beyond, penalty = 0, size = 0, weights = 0, excess = 0, longest = 0
        cdef double fitted = vector_dot(&self.q[0], &self.w[0], d)
        cdef double left = vector_dot(&self.pull[0], &self.w[0], d)
        cdef double residual, product, length, factor, dual
        for j in range(d):
            w, pull = self.w[j], self.pull[j]
            size += fabs(w)
            weights += w * w
            penalty += fabs(self.q[j] * w) + fabs(pull * w)
            beyond = fmax((pull if self.positive else fabs(pull)) - self.l1, 0)
            excess += beyond * beyond
            pull -= self.modulus * w
            longest = fmax(longest, pull if self.positive else fabs(pull))
        residual, product = self.square - fitted - left, self.square - fitted
        length = residual + self.modulus * weights
        self.primal = length / 2 + self.l1 * size
        factor = fmax(product, 0) / length if length > 0 else 0
        if factor * longest > self.l1:
            factor = self.l1 / longest
        dual = factor * (product - factor / 2 * length)
        if self.modulus > 0:
            dual = fmax(dual, product - residual / 2 - excess / (2 * self.modulus))
        self.gap = self.primal - dual
        self.rounding = SUM_ROUNDING * (self.square + penalty)
