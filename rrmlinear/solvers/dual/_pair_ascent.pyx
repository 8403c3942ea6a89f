"""Ascent on the dual of a kernel machine by pairs of duals, or one at a time: the steps."""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, int64_t

from rrmlinear.simd.columns cimport columns_add
from rrmlinear.simd.pairs cimport pairs_partner, pairs_single, pairs_update

import numpy as np

from rrmlinear.solvers.loop.tolerances import COORDINATE_ROUNDING

# A C copy, which steps read.
cdef double MOVE_ROUNDING = COORDINATE_ROUNDING


def add_rows(const double[:, ::1] store not None, const int64_t[::1] slots not None,
             const double[::1] weights not None, double[::1] out not None):
    """out += Σ weights_t store[slots_t]."""
    cdef Py_ssize_t t
    with nogil:
        for t in range(slots.shape[0]):
            columns_add(&store[slots[t], 0], 1, out.shape[0], &weights[t], &out[0])


cdef class PairSteps:
    """State: β, and F = y − Kβ − (curvature of the losses) β, the dual's derivative by β but for
    the term ε |β|.

    maximize y'β − ε ‖β‖₁ − ½ β'(K + diag(extra))β over lower ≤ β ≤ upper and, with ``balanced``,
    Σ β = 0. Without it K counts with ``shift`` added to every entry, the square of an appended
    value. Rows of K are read from ``store`` at ``slot[i]``, −1 where the row is missing; ``used``
    is the time of each row's last use.
    """

    cdef readonly object betas
    cdef readonly object slopes         # F
    cdef readonly object ups            # what a rise of β_i adds to F_i
    cdef readonly object downs          # what a fall adds
    cdef readonly object lowers
    cdef readonly object uppers
    cdef readonly int64_t steps         # taken since the start
    cdef double[::1] beta, F, up, down
    cdef const double[::1] lower, upper, extra
    cdef const double[::1] diagonal     # of K + diag(extra)
    cdef double epsilon, shift
    cdef bint balanced
    cdef const double[:, ::1] store
    cdef const int32_t[::1] slot
    cdef int64_t[::1] used
    cdef Py_ssize_t n

    def __cinit__(self, y, lower, upper, double epsilon, extra, diagonal, store, slot, used,
                  bint balanced, double shift=0):
        self.n = y.shape[0]
        self.betas, self.slopes = np.zeros(self.n), np.array(y, dtype=np.float64)
        self.beta, self.F = self.betas, self.slopes
        self.lowers, self.uppers = lower, upper
        self.lower, self.upper, self.extra, self.epsilon = lower, upper, extra, epsilon
        self.diagonal = np.asarray(diagonal) + extra
        self.store, self.slot, self.used = store, slot, used
        self.balanced, self.shift = balanced, shift
        self.ups, self.downs = np.zeros(self.n), np.zeros(self.n)
        self.up, self.down = self.ups, self.downs
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

    def restart(self, betas, slopes):
        """Go on from these β and F."""
        self.betas[:] = betas
        self.slopes[:] = slopes
        for i in range(self.n):
            self._mark(i)

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

    def ascend(self, Py_ssize_t limit):
        """Take up to ``limit`` steps.

        Returns (steps, row): the row of K that is missing for the next, −1 if none; fewer steps
        and −1 where nothing moves any more.
        """
        cdef Py_ssize_t taken, row = -1
        with nogil:
            if self.balanced:
                taken = self._pairs(limit, &row)
            else:
                taken = self._singles(limit, &row)
        self.steps += taken
        return taken, row

    cdef Py_ssize_t _pairs(self, Py_ssize_t limit, Py_ssize_t* missing) noexcept nogil:
        cdef Py_ssize_t i, j, taken = 0
        cdef double most, least, step, curvature, sum, rise, fall
        cdef const double* a
        cdef const double* b
        # A row of K that exists, with factors of 0: find the first example.
        i = pairs_update(&self.F[0], &self.diagonal[0], 0, &self.diagonal[0], 0, &self.up[0],
                         self.n, &most)
        while taken < limit and most > -INFINITY:
            if self.slot[i] < 0:
                missing[0] = i
                break
            a = &self.store[self.slot[i], 0]
            self.used[self.slot[i]] = self.steps + taken
            j = pairs_partner(&self.F[0], &self.down[0], a, &self.diagonal[0], self.diagonal[i],
                              most, self.n, &least)
            if j < 0:
                break
            if self.slot[j] < 0:
                missing[0] = j
                break
            b = &self.store[self.slot[j], 0]
            self.used[self.slot[j]] = self.steps + taken
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
            i = pairs_update(&self.F[0], a, step, b, -step, &self.up[0], self.n, &most)
            taken += 1
        return taken

    cdef Py_ssize_t _singles(self, Py_ssize_t limit, Py_ssize_t* missing) noexcept nogil:
        cdef Py_ssize_t i, taken = 0
        cdef double most, step, rise, fall, length, before
        cdef const double* a
        cdef bint up
        i = pairs_single(&self.F[0], &self.diagonal[0], 0, self.shift, &self.up[0], &self.down[0],
                         &self.diagonal[0], self.n, &most)
        while taken < limit and i >= 0:
            if self.slot[i] < 0:
                missing[0] = i
                break
            a = &self.store[self.slot[i], 0]
            self.used[self.slot[i]] = self.steps + taken
            rise, fall = self.F[i] + self.up[i], -self.F[i] - self.down[i]
            up = rise > fall
            length = self._rise(i) if up else self._fall(i)
            step = min(max(rise, fall) / max(self.diagonal[i] + self.shift, 1e-300), length)
            before = self.beta[i]
            if step < length and not step > MOVE_ROUNDING * fabs(before):
                break
            self._move(i, step if up else -step, step == length)
            step = self.beta[i] - before
            i = pairs_single(&self.F[0], a, step, self.shift, &self.up[0], &self.down[0],
                             &self.diagonal[0], self.n, &most)
            taken += 1
        return taken
