"""Stochastic dual coordinate ascent on losses of one margin: visits and measuring."""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint64_t

from rrmlinear.core.schedule cimport (
    schedule_awake, schedule_note, schedule_t, schedule_wake_above,
)
from rrmlinear.core.sparse cimport row_axpy, row_dot, row_t, rows_get, rows_prefetch
from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.regularizers.base cimport Regularizer

import numpy as np

cdef enum:
    LOOKAHEAD = 3        # visits between a prefetch and its use

# A dual variable that moves by less than this part of itself has not moved: it is rounding.
cdef double ROUNDING = 1e-15


cdef class DualAscent:
    """State of the ascent: dual variables α_i, v = z + Σ c_i α_i x_i, and each part of the gap."""

    cdef readonly Rows rows
    cdef public ScalarLoss loss
    cdef readonly Regularizer regularizer
    cdef readonly object dual_vector      # v, as long as the rows are wide
    cdef readonly object alphas           # n
    cdef readonly object gaps             # n: each example's part of the gap when last looked at
    cdef readonly int64_t moved           # visits that changed their dual since the pass began
    cdef Py_ssize_t n
    cdef double[::1] v
    cdef double[::1] alpha
    cdef const double[::1] y
    cdef const double[::1] cost
    cdef const double[::1] curvature
    cdef object memory                    # what the schedule points into
    cdef schedule_t schedule

    def __cinit__(self, Rows rows, ScalarLoss loss, Regularizer regularizer,
                  const double[::1] y, const double[::1] cost, const double[::1] curvature):
        self.rows, self.loss, self.regularizer = rows, loss, regularizer
        self.y, self.cost, self.curvature = y, cost, curvature
        self.n = rows.c.n_rows
        self.dual_vector = np.zeros(max(rows.width, 1))
        self.v = self.dual_vector
        self.alphas = np.zeros(self.n)
        self.alpha = self.alphas
        self.gaps = np.zeros(self.n)
        wake, streak = np.zeros(self.n, dtype=np.int32), np.zeros(self.n, dtype=np.uint8)
        self.memory = self.gaps, wake, streak
        cdef double[::1] gap = self.gaps
        cdef int32_t[::1] wakes = wake
        cdef unsigned char[::1] streaks = streak
        self.schedule = schedule_t(&gap[0], &wakes[0], &streaks[0], self.n)

    def begin_pass(self, int number, uint64_t seed):
        """The examples awake in this pass, shuffled, as an int64 array."""
        order = np.empty(self.n, dtype=np.int64)
        cdef int64_t[::1] out = order
        cdef Py_ssize_t m
        with nogil:
            m = schedule_awake(&self.schedule, &self.cost[0], number, seed, &out[0])
        self.moved = 0
        return order[:m]

    def sweep(self, const int64_t[::1] order, Py_ssize_t begin, Py_ssize_t end, int number,
              double quiet, double calm):
        """Visit order[begin:end]; see schedule_note for what quiet and calm mean."""
        cdef Py_ssize_t at
        with nogil:
            for at in range(begin, end):
                if at + LOOKAHEAD < order.shape[0]:
                    rows_prefetch(&self.rows.c, order[at + LOOKAHEAD])
                self._visit(order[at], number, quiet, calm)

    cdef void _visit(self, Py_ssize_t i, int number, double quiet, double calm) noexcept nogil:
        cdef row_t row = rows_get(&self.rows.c, i)
        cdef double c = self.cost[i], y = self.y[i], alpha = self.alpha[i]
        cdef double margin = self.regularizer.primal_dot(&row, &self.v[0])
        cdef double gap = c * self.loss.gap(y, margin, alpha), new
        if gap > 0:
            new = self.loss.dual_step(y, margin, alpha, c * self.curvature[i])
            if fabs(new - alpha) > ROUNDING * fabs(alpha):
                row_axpy(&row, c * (new - alpha), &self.v[0])
                self.alpha[i] = new
                self.moved += 1
        schedule_note(&self.schedule, i, gap, number, quiet, calm)

    def conjugates(self):
        """Σ (c_i φ)*(−α_i)."""
        cdef Py_ssize_t i
        cdef double total = 0
        with nogil:
            for i in range(self.n):
                total += self.cost[i] * self.loss.conjugate(self.y[i], self.alpha[i])
        return total

    def measure(self, const double[::1] w):
        """Σ c_i φ_i at w = ∇Ω*(v); brings each part of the gap up to date."""
        cdef Py_ssize_t i
        cdef double total = 0, margin, value
        cdef row_t row
        with nogil:
            for i in range(self.n):
                if i + LOOKAHEAD < self.n:
                    rows_prefetch(&self.rows.c, i + LOOKAHEAD)
                row = rows_get(&self.rows.c, i)
                margin = row_dot(&row, &w[0])
                value = self.loss.value(self.y[i], margin)
                total += self.cost[i] * value
                self.schedule.gap[i] = self.cost[i] * (
                    value + self.loss.conjugate(self.y[i], self.alpha[i]) + margin * self.alpha[i])
        return total

    def retune(self, Regularizer regularizer):
        """Go on with v as it is under another regularizer."""
        self.regularizer = regularizer

    def wake_above(self, double quiet):
        """Wake every example whose part of the gap is above this."""
        schedule_wake_above(&self.schedule, quiet)
