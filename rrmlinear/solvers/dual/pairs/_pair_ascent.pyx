"""Ascent on the dual of a kernel machine by pairs of duals, or one at a time: the steps."""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int64_t

from rrmlinear.simd.columns cimport columns_add
from rrmlinear.simd.pairs cimport pairs_partner, pairs_single, pairs_update

import numpy as np

from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS

# A C copy, which steps read.
cdef double MOVE_ROUNDING = FEW_ROUNDINGS


def add_rows(const double[:, ::1] store not None, const int64_t[::1] slots not None,
             const double[::1] weights not None, double[::1] out not None):
    """out += Σ weights_t store[slots_t]."""
    cdef Py_ssize_t t
    with nogil:
        for t in range(slots.shape[0]):
            columns_add(&store[slots[t], 0], 1, out.shape[0], &weights[t], &out[0])


def square_of(const double[:, ::1] store not None, const int64_t[::1] slots not None,
              const int64_t[::1] columns not None):
    """store[slots] at these columns, m × m."""
    cdef Py_ssize_t s, t, m = columns.shape[0]
    result = np.empty((m, m))
    cdef double[:, ::1] out = result
    cdef const double* row
    with nogil:
        for s in range(m):
            row = &store[slots[s], 0]
            for t in range(m):
                out[s, t] = row[columns[t]]
    return result


cdef class PairSteps:
    """State: β, and F = y − Kβ − (curvature of the losses) β, the dual's derivative by β but for
    the term ε |β|.

    maximize y'β − ε ‖β‖₁ − ½ β'(K + diag(extra))β over lower ≤ β ≤ upper and, with ``balanced``,
    Σ β = 0. Without it K counts with ``shift`` added to every entry, the square of an appended
    value. Steps begin at ``betas`` and ``slopes``, β and F, copied.
    """

    cdef readonly object betas
    cdef readonly object slopes         # F
    cdef double[::1] beta, F
    cdef double[::1] up, down           # what a rise of β_i adds to F_i, and a fall
    cdef const double[::1] lower, upper, extra
    cdef const double[::1] diagonal     # of K + diag(extra)
    cdef double epsilon, shift
    cdef bint balanced
    cdef const double[:, ::1] K
    cdef Py_ssize_t n

    def __cinit__(self, betas, slopes, lower, upper, double epsilon, extra, K, bint balanced,
                  double shift=0):
        cdef Py_ssize_t i
        self.n = len(betas)
        self.betas, self.slopes = np.array(betas), np.array(slopes)
        self.beta, self.F = self.betas, self.slopes
        self.lower, self.upper, self.extra, self.epsilon = lower, upper, extra, epsilon
        self.diagonal = np.diagonal(K) + extra
        self.K = K
        self.balanced, self.shift = balanced, shift
        self.up, self.down = np.zeros(self.n), np.zeros(self.n)
        for i in range(self.n):
            self._mark(i)

    cdef void _mark(self, Py_ssize_t i) noexcept nogil:
        # What a rise and a fall of β_i add to F_i.
        cdef double beta = self.beta[i]
        self.up[i] = -self.epsilon if beta >= 0 else self.epsilon
        self.down[i] = self.epsilon if beta <= 0 else -self.epsilon
        if not beta < self.upper[i]:
            self.up[i] = -INFINITY
        if not beta > self.lower[i]:
            self.down[i] = INFINITY

    cdef double _rise(self, Py_ssize_t i) noexcept nogil:
        # How far β_i can rise on the line on which it is.
        if self.epsilon > 0 and self.beta[i] < 0:
            return -self.beta[i]
        return self.upper[i] - self.beta[i]

    cdef double _fall(self, Py_ssize_t i) noexcept nogil:
        if self.epsilon > 0 and self.beta[i] > 0:
            return self.beta[i]
        return self.beta[i] - self.lower[i]

    cdef void _move(self, Py_ssize_t i, double step, bint to_the_end) noexcept nogil:
        # β_i moves by ``step``, ``to_the_end`` of its line: there it is exactly 0 or at its bound.
        cdef double beta = self.beta[i]
        cdef bint crosses = self.epsilon > 0 and beta != 0 and (beta > 0) == (step < 0)
        if to_the_end:
            self.beta[i] = 0 if crosses else self.upper[i] if step > 0 else self.lower[i]
        else:
            self.beta[i] = min(max(beta + step, self.lower[i]), self.upper[i])
        self.F[i] -= self.extra[i] * (self.beta[i] - beta)
        self._mark(i)

    def ascend(self, Py_ssize_t limit, double violation=0):
        """Take up to ``limit`` steps; their number.

        It ends where the largest derivative of a rise is at most ``violation`` above the least one
        of a fall, without ``balanced`` above 0, and where nothing moves any more.
        """
        cdef Py_ssize_t taken
        with nogil:
            if self.balanced:
                taken = self._pairs(limit, violation)
            else:
                taken = self._singles(limit, violation)
        return taken

    cdef Py_ssize_t _pairs(self, Py_ssize_t limit, double violation) noexcept nogil:
        cdef Py_ssize_t i, j, taken = 0
        cdef double most, least, step, curvature, sum, rise, fall
        cdef const double* a
        # A row of K that exists, with factors of 0: find the first example.
        i = pairs_update(&self.F[0], &self.diagonal[0], 0, &self.diagonal[0], 0, &self.up[0],
                         self.n, &most)
        while taken < limit and most > -INFINITY:
            a = &self.K[i, 0]
            j = pairs_partner(&self.F[0], &self.down[0], a, &self.diagonal[0], self.diagonal[i],
                              most, self.n, &least)
            if j < 0 or most - least <= violation:
                break
            sum = self.diagonal[i] + self.diagonal[j]
            curvature = sum - 2 * a[j]
            rise, fall = self._rise(i), self._fall(j)
            step = (most - (self.F[j] + self.down[j])) / max(curvature, 1e-14 * sum)
            step = min(step, min(rise, fall))
            if (step < rise and step < fall
                    and not step > MOVE_ROUNDING * max(fabs(self.beta[i]), fabs(self.beta[j]))):
                break
            self._move(i, step, step == rise)
            self._move(j, -step, step == fall)
            i = pairs_update(&self.F[0], a, step, &self.K[j, 0], -step, &self.up[0], self.n, &most)
            taken += 1
        return taken

    cdef Py_ssize_t _singles(self, Py_ssize_t limit, double violation) noexcept nogil:
        cdef Py_ssize_t i, taken = 0
        cdef double most, step, rise, fall, length, before
        cdef bint up
        i = pairs_single(&self.F[0], &self.diagonal[0], 0, self.shift, &self.up[0], &self.down[0],
                         &self.diagonal[0], self.n, &most)
        while taken < limit and i >= 0:
            rise, fall = self.F[i] + self.up[i], -self.F[i] - self.down[i]
            if max(rise, fall) <= violation:
                break
            up = rise > fall
            length = self._rise(i) if up else self._fall(i)
            step = min(max(rise, fall) / max(self.diagonal[i] + self.shift, 1e-300), length)
            before = self.beta[i]
            if step < length and not step > MOVE_ROUNDING * fabs(before):
                break
            self._move(i, step if up else -step, step == length)
            step = self.beta[i] - before
            i = pairs_single(&self.F[0], &self.K[i, 0], step, self.shift, &self.up[0],
                             &self.down[0], &self.diagonal[0], self.n, &most)
            taken += 1
        return taken
