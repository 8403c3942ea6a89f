"""Losses with kinks under logarithms of the distances of duals to their bounds: smooth ones.

A loss is a sum of terms max over l ≤ α ≤ u of α x. With h = (u − l)/2 and β = α − (l + u)/2 a term
becomes max of α x + μ log(1 − β²/h²), smooth in x at any scale. The duals that attain it lie inside
their bounds, and the term is at most 2 μ + μ log 2 R/μ, R² = μ² + h² x², below the loss.

Newton's method alone takes these losses: value, derivative and second derivative are all they have.
Source: Nesterov and Nemirovskii, Interior-point polynomial algorithms in convex programming, 1994.
"""

from libc.math cimport hypot, log

from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.losses.block_base cimport RIGID, BlockLoss

import numpy as np

cdef enum:
    MAX_TERMS = 3

cdef enum:
    MAX_STEPS = 100

# The sum of shares is 1 to this accuracy.
cdef double SHARE_ACCURACY = 1e-15

# Margins below this are those of the true class and of padding.
cdef double EXCLUDED = -1e200


cdef struct term_t:
    double place
    double lower
    double upper


cdef inline double _dual(double x, double lower, double upper, double mu) noexcept nogil:
    # the α of a term at x, by its distance to the bound on its side
    cdef double h = (upper - lower) / 2, R = hypot(mu, h * x)
    cdef double size = h * (h * (x if x > 0 else -x) / (mu + R))
    cdef double left = h * h * (2 * mu / (mu + R)) / (h + size)
    return upper - left if x > 0 else lower + left


cdef inline double _value(double x, double lower, double upper, double mu) noexcept nogil:
    cdef double R = hypot(mu, (upper - lower) / 2 * x)
    return _dual(x, lower, upper, mu) * x + mu * log(2 * mu / (mu + R))


cdef inline double _curvature(double x, double lower, double upper, double mu) noexcept nogil:
    cdef double h = (upper - lower) / 2, R = hypot(mu, h * x)
    return h / (mu + R) * (h * (mu / R))


cdef class PiecesInside(ScalarLoss):
    """A loss of one score with `ScalarLoss.pieces` and kinks, under μ log."""

    cdef term_t terms[MAX_TERMS]
    cdef int count
    cdef bint by_sign
    cdef double mu
    cdef readonly object loss

    def __init__(self, loss, double mu):
        self.loss, self.mu, self.lipschitz, self.count = loss, mu, loss.lipschitz, 0
        cdef double widest = 0
        for t, _, lower, upper in loss.pieces(np.array([1.0, -1.0])):
            place, lower, upper = (np.broadcast_to(each, 2) for each in (t, lower, upper))
            # of a margin the signs of label and dual go together
            self.by_sign = self.by_sign or lower[0] != lower[1] or upper[0] != upper[1]
            if upper[0] > lower[0]:
                self.terms[self.count].place = place[0]
                self.terms[self.count].lower, self.terms[self.count].upper = lower[0], upper[0]
                self.count += 1
                widest = max(widest, upper[0] - lower[0])
        self.smoothing = 8 * mu / (widest * widest) if widest else 1.0

    def box(self, y):
        # `pieces` tells of no lines: these duals are on curves between the bounds
        lower = sum(self.terms[p].lower for p in range(self.count))
        upper = sum(self.terms[p].upper for p in range(self.count))
        y = np.asarray(y)
        if not self.by_sign:
            return np.full(len(y), lower), np.full(len(y), upper), 0.0
        return np.where(y > 0, lower, -upper), np.where(y > 0, upper, -lower), 0.0

    def pieces(self, y):
        return None

    cdef inline double _x(self, int p, double y, double score) noexcept nogil:
        return self.terms[p].place - (y * score if self.by_sign else 1 - (y - score))

    cdef double value(self, double y, double score) noexcept nogil:
        cdef double total = 0
        cdef int p
        for p in range(self.count):
            total += _value(self._x(p, y, score), self.terms[p].lower, self.terms[p].upper, self.mu)
        return total

    cdef double derivative(self, double y, double score) noexcept nogil:
        cdef double total = 0
        cdef int p
        for p in range(self.count):
            total += _dual(self._x(p, y, score), self.terms[p].lower, self.terms[p].upper, self.mu)
        return -y * total if self.by_sign else -total

    cdef double second_derivative(self, double y, double score) noexcept nogil:
        cdef double total = 0
        cdef int p
        for p in range(self.count):
            total += _curvature(self._x(p, y, score), self.terms[p].lower, self.terms[p].upper,
                                self.mu)
        return total * y * y if self.by_sign else total


cdef class WestonWatkinsInside(BlockLoss):
    """The Weston–Watkins loss under μ log: max over 0 ≤ b ≤ 1 of b m for each other class."""

    cdef double mu

    def __init__(self, double mu):
        self.cost, self.mu, self.smoothing = 1.0, mu, 8 * mu

    def lipschitz(self, Py_ssize_t k):
        return max(0, k - 1) ** 0.5

    cdef double value(self, const double* margins, Py_ssize_t k) noexcept nogil:
        cdef double total = 0
        cdef Py_ssize_t j
        for j in range(k):
            if margins[j] > EXCLUDED:
                total += _value(margins[j], 0, 1, self.mu)
        return total

    cdef void derivative(self, const double* margins, double* block, Py_ssize_t k) noexcept nogil:
        cdef Py_ssize_t j
        for j in range(k):
            block[j] = _dual(margins[j], 0, 1, self.mu) if margins[j] > EXCLUDED else 0

    cdef double rates(self, const double* block, double curvature, double* e,
                      Py_ssize_t k) noexcept nogil:
        # by m = 2 μ β / (h² − β²), β = b − ½
        cdef double b, inside
        cdef Py_ssize_t j
        for j in range(k):
            b = block[j]
            inside = b * (1 - b)
            e[j] = inside * inside / (2 * self.mu * (b * b - b + 0.5))
        return RIGID


cdef class CrammerSingerInside(BlockLoss):
    """The Crammer–Singer loss under μ log: max over b ≥ 0 with Σ b ≤ 1 of b'm + μ Σ log(k b).

    The sum has the k − 1 entries of other classes and the true class's 1 − Σ b, with margin 0.
    Entries are μ/(θ − m), θ by their sum of 1.
    """

    cdef double mu

    def __init__(self, double mu):
        self.cost, self.mu, self.smoothing = 1.0, mu, 4 * mu

    def lipschitz(self, Py_ssize_t k):
        return 1.0

    cdef double _away(self, const double* margins, double top, Py_ssize_t k) noexcept nogil:
        # θ less the largest margin; Newton's method on 1/sum, which is concave, from below
        cdef double away = self.mu, share, total, slope
        cdef Py_ssize_t j
        cdef int _step
        for _step in range(MAX_STEPS):
            share = self.mu / (top + away)
            total, slope = share, share / (top + away)
            for j in range(k):
                if margins[j] > EXCLUDED:
                    share = self.mu / (top - margins[j] + away)
                    total += share
                    slope += share / (top - margins[j] + away)
            if total - 1 <= SHARE_ACCURACY * k:
                break
            away += total * (total - 1) / slope
        return away

    cdef double value(self, const double* margins, Py_ssize_t k) noexcept nogil:
        cdef double top = _top(margins, k), away = self._away(margins, top, k), total = 0, share
        cdef Py_ssize_t j, count = 1
        share = self.mu / (top + away)
        total = self.mu * log(share)
        for j in range(k):
            if margins[j] > EXCLUDED:
                share = self.mu / (top - margins[j] + away)
                total += share * margins[j] + self.mu * log(share)
                count += 1
        return total + self.mu * count * log(count)

    cdef void derivative(self, const double* margins, double* block, Py_ssize_t k) noexcept nogil:
        cdef double top = _top(margins, k), away = self._away(margins, top, k)
        cdef Py_ssize_t j
        for j in range(k):
            block[j] = 0
            if margins[j] > EXCLUDED:
                block[j] = self.mu / (top - margins[j] + away)

    cdef double rates(self, const double* block, double curvature, double* e,
                      Py_ssize_t k) noexcept nogil:
        cdef double own = 1
        cdef Py_ssize_t j
        for j in range(k):
            e[j] = block[j] * block[j] / (self.mu + curvature * block[j] * block[j])
            own -= block[j]
        own = max(0, own)
        return own * own / (self.mu + curvature * own * own)


cdef inline double _top(const double* margins, Py_ssize_t k) noexcept nogil:
    cdef double top = 0
    cdef Py_ssize_t j
    for j in range(k):
        if margins[j] > top:
            top = margins[j]
    return top
