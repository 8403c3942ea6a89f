"""Coordinate descent on a Gram matrix: the products with all features stay at hand."""

from libc.math cimport fabs, fmax

from rrmlinear.simd.columns cimport vector_axpy

import numpy as np

from rrmlinear.solvers.loop.tolerances import COORDINATE_ROUNDING

# A C copy, which visits read.
cdef double WEIGHT_MOVE_ROUNDING = COORDINATE_ROUNDING


cdef class GramSweeps:
    """minimize ½ (w − w₀)'G(w − w₀) − b'(w − w₀) + l1 ‖w‖₁ + (modulus/2)‖w‖² from w₀.

    G is symmetric and positive semidefinite, k × k, and ``linear`` is b. ``pulls`` are
    b − G (w − w₀). A weight whose diagonal of G is 0 never moves.
    """

    cdef readonly object weights     # k
    cdef readonly object pulls       # k
    cdef readonly object gram
    cdef object begin
    cdef object linear
    cdef double l1
    cdef double modulus
    cdef double[::1] w
    cdef double[::1] pull
    cdef const double[:, ::1] matrix

    def __cinit__(self, const double[:, ::1] gram not None, const double[::1] linear not None,
                  const double[::1] begin not None, double l1, double modulus):
        self.l1, self.modulus, self.matrix = l1, modulus, gram
        self.gram, self.linear, self.begin = np.asarray(gram), np.asarray(linear), np.asarray(begin)
        self.weights, self.pulls = self.begin.copy(), self.linear.copy()
        self.w, self.pull = self.weights, self.pulls

    def sweep(self, double total, double accuracy, Py_ssize_t most):
        """Minimize over each weight in turn, all others fixed, ``most`` times; ends after a sweep
        whose decrease is at most ``accuracy`` times all of it, ``total`` from before included.

        Returns (all of the decrease, at least; that of the last sweep; sweeps).
        """
        cdef double decrease = 0
        cdef Py_ssize_t count = 0
        with nogil:
            while count < most:
                decrease = self._sweep()
                total += decrease
                count += 1
                if decrease <= accuracy * total:
                    break
        return total, decrease, count

    cdef double _sweep(self) noexcept nogil:
        cdef Py_ssize_t j, k = self.w.shape[0]
        cdef double curvature, total, best, move, decrease = 0
        for j in range(k):
            curvature = self.matrix[j, j]
            if curvature <= 0:
                continue
            total = self.pull[j] + curvature * self.w[j]
            best = fmax(fabs(total) - self.l1, 0) / (curvature + self.modulus)
            best = best if total > 0 else -best
            move = best - self.w[j]
            if fabs(move) > WEIGHT_MOVE_ROUNDING * fabs(best):
                vector_axpy(&self.pull[0], -move, &self.matrix[j, 0], k)
                self.w[j] = best
                decrease += (curvature + self.modulus) * move * move / 2
        return decrease

    def set(self, weights):
        """Set all weights."""
        self.weights[:] = weights
        self.pulls[:] = self.linear - self.gram @ (weights - self.begin)

    def value(self):
        """The objective."""
        move = self.weights - self.begin
        quadratic = -float(move @ (self.linear + self.pulls)) / 2
        size = float(np.abs(self.weights).sum())
        return quadratic + self.l1 * size \
            + self.modulus / 2 * float(self.weights @ self.weights)
