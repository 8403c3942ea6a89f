"""Losses of the residual r = y − a. All are of one form, with conjugate

    φ*(−α) = −y α + ε |α| + (γ/2) α²   on   l ≤ α ≤ u:

    squared ½ r²                              ε = 0, γ = 1, no bounds
    absolute |r|                              ε = 0, γ = 0, ±1
    ε-insensitive max(0, |r| − ε)             γ = 0, ±1
    squared ε-insensitive max(0, |r| − ε)²    γ = ½, no bounds
    Huber: ½ r² up to |r| ≤ δ, linear beyond  ε = 0, γ = 1, ±δ
    quantile a: max(a r, (a − 1) r)           ε = 0, γ = 0, a − 1 and a

The losses with γ = 0 take γ as an argument, which smooths them. Source: Shalev-Shwartz and Zhang,
Accelerated proximal stochastic dual coordinate ascent, section 5; the printed ‖x‖²/(2λn) there is
‖x‖²/(λn).
"""

from libc.math cimport INFINITY, fabs

from rrmlinear.losses.clipped cimport ClippedLoss
from rrmlinear.simd.clipped_arrays cimport clipped_t

import numpy as np


cdef class ResidualLoss(ClippedLoss):
    """max over l ≤ α ≤ u of r α − ε |α| − (γ/2) α², l ≤ 0 ≤ u, γ being ``smoothing``."""

    cdef double epsilon
    cdef double lower
    cdef double upper

    cdef clipped_t _clipped(self) noexcept nogil:
        cdef clipped_t form
        form.lower, form.upper, form.epsilon = self.lower, self.upper, self.epsilon
        form.smoothing, form.by_sign = self.smoothing, 0
        return form

    cdef double _best(self, double r, double s) noexcept nogil:
        # the α that attains the maximum for a curvature s
        cdef double pull = r - self.epsilon if r > self.epsilon else \
            r + self.epsilon if r < -self.epsilon else 0
        if pull == 0:
            return 0
        if s == 0:
            return self.upper if pull > 0 else self.lower
        pull /= s
        return self.lower if pull < self.lower else self.upper if pull > self.upper else pull

    cdef double value(self, double y, double score) noexcept nogil:
        cdef double r = y - score, alpha = self._best(r, self.smoothing)
        return alpha * (r - self.smoothing / 2 * alpha) - self.epsilon * fabs(alpha)

    cdef double derivative(self, double y, double score) noexcept nogil:
        return -self._best(y - score, self.smoothing)

    cdef double second_derivative(self, double y, double score) noexcept nogil:
        # |r| − ε, cut by the bound on its side
        cdef double r = y - score, pull = fabs(r) - self.epsilon
        cdef double bound = self.upper if r > 0 else -self.lower
        if pull < 0 or pull == 0 < self.epsilon:
            return 0
        return 1 / self.smoothing if pull < bound * self.smoothing else 0

    cdef double conjugate(self, double y, double alpha) noexcept nogil:
        if alpha < self.lower or alpha > self.upper:
            return INFINITY
        return alpha * (self.smoothing / 2 * alpha - y) + self.epsilon * fabs(alpha)

    cdef bint admits(self, double y, double alpha) noexcept nogil:
        return self.lower <= alpha <= self.upper

    cdef double dual_step(self, double y, double score, double alpha,
                          double curvature) noexcept nogil:
        return self._best(curvature * alpha + y - score, curvature + self.smoothing)

    def box(self, y):
        return np.full(len(y), self.lower), np.full(len(y), self.upper), self.epsilon

    cdef int _form(self, double epsilon, double smoothing, double lower,
                   double upper) except -1:
        if not 0 <= smoothing < INFINITY:
            raise ValueError(f"smoothing must be at least 0 and finite, got {smoothing}")
        self.epsilon, self.smoothing = epsilon, smoothing
        self.lower, self.upper, self.lipschitz = lower, upper, max(-lower, upper)
        return 0


cdef class Squared(ResidualLoss):
    """½ r²."""

    def __init__(self):
        self._form(0, 1, -INFINITY, INFINITY)


cdef class Absolute(ResidualLoss):
    """|r|."""

    def __init__(self, double smoothing=0.0):
        self._form(0, smoothing, -1, 1)

    def _smoothed(self, smoothing):
        return Absolute(smoothing)


cdef class EpsilonInsensitive(ResidualLoss):
    """max(0, |r| − ε)."""

    def __init__(self, double epsilon=0.1, double smoothing=0.0):
        self._form(checked_epsilon(epsilon), smoothing, -1, 1)

    def _smoothed(self, smoothing):
        return EpsilonInsensitive(self.epsilon, smoothing)


cdef class SquaredEpsilonInsensitive(ResidualLoss):
    """max(0, |r| − ε)²."""

    def __init__(self, double epsilon=0.1):
        self._form(checked_epsilon(epsilon), 0.5, -INFINITY, INFINITY)


cdef class Huber(ResidualLoss):
    """½ r²/γ where |r| ≤ γ δ, δ (|r| − γ δ/2) beyond; γ is 1 unless it is smoothed further."""

    def __init__(self, double delta=1.0, double smoothing=1.0):
        if not 0 < delta < INFINITY:
            raise ValueError(f"delta must be positive and finite, got {delta}")
        self._form(0, smoothing, -delta, delta)

    def _smoothed(self, smoothing):
        return Huber(self.upper, smoothing)


cdef class Quantile(ResidualLoss):
    """max(a r, (a − 1) r), 0 < a < 1: least at the a-quantile."""

    def __init__(self, double quantile=0.5, double smoothing=0.0):
        if not 0 < quantile < 1:
            raise ValueError(f"quantile must lie between 0 and 1, got {quantile}")
        self._form(0, smoothing, quantile - 1, quantile)

    def _smoothed(self, smoothing):
        return Quantile(self.upper, smoothing)


cdef double checked_epsilon(double epsilon) except -1:
    if not 0 <= epsilon < INFINITY:
        raise ValueError(f"epsilon must be at least 0 and finite, got {epsilon}")
    return epsilon
