"""Stochastic dual coordinate ascent on losses of one margin: visits and measuring."""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint64_t, uintptr_t
from libc.string cimport memcpy

from rrmlinear.core.barrier cimport current_processor, flag_t, flags_meet
from rrmlinear.core.schedule cimport (
    schedule_awake, schedule_draw, schedule_note, schedule_t, schedule_wake,
    schedule_wake_above,
)
from rrmlinear.core.sparse cimport row_axpy, row_dot, row_t, rows_get, rows_prefetch
from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.regularizers.base cimport Regularizer
from rrmlinear.solvers._running_average cimport RunningAverage

import numpy as np

from rrmlinear.data.rows import aligned_zeros

cdef enum:
    LOOKAHEAD = 3        # visits between a prefetch and its use
    APART = 64           # doubles between what different threads write

# How far a visit goes: to the maximum, or along the line to −φ'(a), as far as a bound says or
# always the same part of it.
cdef enum:
    MAXIMUM
    BOUND
    FIXED

# A dual variable that moves by less than this part of itself has not moved: it is rounding.
cdef double ROUNDING = 1e-15

cdef struct copy_t:
    double* v             # a copy of v
    int64_t* changed[2]   # examples that its visits changed in this round and in the last,
    double* steps[2]      # by how much: c_i Δα_i,
    Py_ssize_t logged[2]  # and how many
    int64_t moved         # since the pass began, as are the next two
    double gap_rise
    double conjugate_rise
    double apart[APART]


def this_processor():
    """The processor that this thread runs on, or −1 where it cannot be told."""
    return current_processor()


cdef class DualAscent:
    """State of the ascent: dual variables α_i, v = z + Σ c_i α_i x_i, and each part of the gap.

    With several copies of v a sweep goes in rounds: each copy is used for some visits, and then
    takes over what the visits of the others have changed. A team of threads shares the copies; a
    smaller team does the same work and gets the same bits.
    """

    cdef readonly Rows rows
    cdef public ScalarLoss loss
    cdef readonly Regularizer regularizer
    cdef readonly object dual_vector      # v, as long as the rows are wide: its first copy
    cdef readonly object alphas           # n
    cdef readonly object gaps             # n: each example's part of the gap when last looked at
    cdef readonly RunningAverage average  # None: nothing is averaged
    cdef readonly int n_copies
    cdef double gap_before                # Σ gaps and Σ (c_i φ)*(−α_i) when the pass began
    cdef double conjugate_before
    cdef Py_ssize_t n, width
    cdef int option
    cdef double[::1] v
    cdef double[::1] alpha
    cdef double[::1] conjugate            # c_i φ*(−α_i)
    cdef const double[::1] y
    cdef const double[::1] cost
    cdef const double[::1] curvature
    cdef object memory                    # what the pointers below point into
    cdef schedule_t schedule
    cdef copy_t* copy
    cdef flag_t* flags

    def __cinit__(self, Rows rows, ScalarLoss loss, Regularizer regularizer,
                  const double[::1] y, const double[::1] cost, const double[::1] curvature,
                  option="maximum", RunningAverage average=None, int n_copies=1,
                  Py_ssize_t longest_round=0):
        self.rows, self.loss, self.regularizer = rows, loss, regularizer
        self.y, self.cost, self.curvature = y, cost, curvature
        self.option = {"maximum": MAXIMUM, "bound": BOUND, "fixed": FIXED}[option]
        self.average, self.n_copies = average, n_copies
        self.n, self.width = rows.c.n_rows, max(rows.width, 1)
        self.alphas, self.gaps, conjugate = np.zeros(self.n), np.zeros(self.n), np.zeros(self.n)
        self.alpha, self.conjugate = self.alphas, conjugate
        wake, streak = np.zeros(self.n, dtype=np.int32), np.zeros(self.n, dtype=np.uint8)
        cdef double[::1] gap = self.gaps
        cdef int32_t[::1] wakes = wake
        cdef unsigned char[::1] streaks = streak
        self.schedule = schedule_t(&gap[0], &wakes[0], &streaks[0], self.n)
        self.memory = [wake, streak]
        self._make_copies(longest_round)
        self._begin(0, self.conjugates())

    cdef int _make_copies(self, Py_ssize_t longest) except -1:
        cdef Py_ssize_t t, side, stride = (self.width + 7) // 8 * 8 + APART
        cdef int64_t[:, :, ::1] changed = np.empty(
            (self.n_copies, 2, longest + APART), dtype=np.int64)
        cdef double[:, :, ::1] steps = np.empty((self.n_copies, 2, longest + APART))
        copies = aligned_zeros(self.n_copies, stride)
        states = aligned_zeros(self.n_copies, sizeof(copy_t) // sizeof(double))
        flags = aligned_zeros(self.n_copies + 1, sizeof(flag_t) // sizeof(double))
        self.memory += [changed, steps, copies, states, flags]
        self.dual_vector = copies[0, :self.width]
        self.v = self.dual_vector
        self.copy = <copy_t*> <uintptr_t> states.ctypes.data
        self.flags = <flag_t*> ((<uintptr_t> flags.ctypes.data + 127) & ~<uintptr_t> 127)
        for t in range(self.n_copies):
            self.copy[t].v = &self.v[0] + t * stride
            for side in range(2):
                self.copy[t].changed[side] = &changed[t, side, 0]
                self.copy[t].steps[side] = &steps[t, side, 0]
        return 0

    def start_from(self, const double[::1] alphas):
        """Take these duals, each within the loss's bounds, and the v that they make."""
        self.alphas[:] = alphas
        self.dual_vector += self.combination(alphas)
        self.resume()

    def combination(self, const double[::1] alphas):
        """Σ c_i α_i x_i."""
        result = np.zeros(self.width)
        cdef double[::1] out = result
        cdef Py_ssize_t i
        cdef row_t row
        with nogil:
            for i in range(self.n):
                if self.cost[i] * alphas[i] != 0:
                    row = rows_get(&self.rows.c, i)
                    row_axpy(&row, self.cost[i] * alphas[i], &out[0])
        return result

    def shift(self, delta):
        """Add delta to z, and so to v; wakes all examples."""
        self.dual_vector += delta
        self.resume()

    def resume(self):
        """Go on from ``alphas`` and ``dual_vector``, which have been changed from outside."""
        self._begin(float(self.gaps.sum()), self.conjugates())
        schedule_wake(&self.schedule)

    cdef int _begin(self, double gap_sum, double conjugate_sum) except -1:
        # Count rises from here.
        cdef Py_ssize_t t
        self.gap_before, self.conjugate_before = gap_sum, conjugate_sum
        for t in range(self.n_copies):
            self.copy[t].moved = 0
            self.copy[t].gap_rise = self.copy[t].conjugate_rise = 0
        return 0

    def level_copies(self):
        """Make all copies of v equal the first, from which rounding has carried them away."""
        cdef Py_ssize_t t
        for t in range(1, self.n_copies):
            memcpy(self.copy[t].v, self.copy[0].v, self.width * sizeof(double))

    def begin_pass(self, int number, uint64_t seed, bint uniform):
        """The examples that this pass visits, in order, as an int64 array: those awake, shuffled,
        or n drawn ``uniform``ly, with replacement.
        """
        order = np.empty(self.n, dtype=np.int64)
        cdef int64_t[::1] out = order
        cdef Py_ssize_t m
        with nogil:
            if uniform:
                m = schedule_draw(&self.schedule, &self.cost[0], number, seed, &out[0])
            else:
                m = schedule_awake(&self.schedule, &self.cost[0], number, seed, &out[0])
        self._begin(self.gap_sum, self.conjugate_sum)
        return order[:m]

    def sweep(self, const int64_t[::1] order, Py_ssize_t begin, Py_ssize_t end, int number,
              double quiet, double calm, int copies=1, Py_ssize_t length=0, int team=1,
              int thread=0):
        """Visit order[begin:end]; see schedule_note for what quiet and calm mean.

        With several ``copies`` of v, level before, each is used for ``length`` visits in a round;
        threads 0 … team − 1 call this, else with the same arguments.
        """
        cdef Py_ssize_t at = begin, t
        cdef int side = 0
        with nogil:
            if copies == 1:
                self._visits(0, -1, &order[0], begin, end, number, quiet, calm)
                at = end
            while at < end:
                for t in range(copies):
                    if t % team == thread:
                        self._visits(t, side, &order[0], min(at + t * length, end),
                                     min(at + (t + 1) * length, end), number, quiet, calm)
                if team > 1:
                    flags_meet(self.flags, team, thread)
                for t in range(copies):
                    if t % team == thread:
                        self._catch_up(t, copies, side)
                # Logs are written on two sides in turn: a thread that goes on to the next round
                # leaves those alone that another still reads.
                side = 1 - side
                at += copies * length

    cdef void _visits(self, Py_ssize_t t, int side, const int64_t* order, Py_ssize_t begin,
                      Py_ssize_t end, int number, double quiet, double calm) noexcept nogil:
        # Visit order[begin:end] with copy t of v; log on this side, if it is one, what changes.
        cdef copy_t* copy = &self.copy[t]
        cdef Py_ssize_t at, i
        cdef double step
        if side >= 0:
            copy.logged[side] = 0
        for at in range(begin, end):
            if at + LOOKAHEAD < end:
                rows_prefetch(&self.rows.c, order[at + LOOKAHEAD])
            i = order[at]
            step = self._visit(copy, i, number, quiet, calm)
            if step != 0 and side >= 0:
                copy.changed[side][copy.logged[side]] = i
                copy.steps[side][copy.logged[side]] = step
                copy.logged[side] += 1

    cdef double _visit(self, copy_t* copy, Py_ssize_t i, int number, double quiet,
                       double calm) noexcept nogil:
        # Moves α_i and v, and returns c_i Δα_i.
        cdef row_t row = rows_get(&self.rows.c, i)
        cdef double c = self.cost[i], y = self.y[i], alpha = self.alpha[i]
        cdef double margin = self.regularizer.primal_dot(&row, copy.v)
        cdef double gap = self.loss.gap(y, margin, alpha), new = alpha, step = 0, conjugate
        if self.average is not None:
            self.average.visit()
        if gap > 0:
            new = self._improved(y, margin, alpha, c * self.curvature[i], gap)
        if fabs(new - alpha) > ROUNDING * fabs(alpha):
            step = c * (new - alpha)
            if self.average is not None:
                self.average.move(&row, i, new - alpha, step, copy.v)
            else:
                row_axpy(&row, step, copy.v)
            self.alpha[i] = new
            conjugate = c * self.loss.conjugate(y, new)
            copy.conjugate_rise += conjugate - self.conjugate[i]
            self.conjugate[i] = conjugate
            copy.moved += 1
        copy.gap_rise += c * gap - self.schedule.gap[i]
        schedule_note(&self.schedule, i, c * gap, number, quiet, calm)
        return step

    cdef double _improved(self, double y, double margin, double alpha, double curvature,
                          double gap) noexcept nogil:
        # α after a visit. The maximum lies between α and −φ'(a), so that the best point of that
        # line, option II, is the maximum itself.
        cdef double end, line, part, gamma = self.loss.smoothing
        if self.option == MAXIMUM:
            return self.loss.dual_step(y, margin, alpha, curvature)
        end = -self.loss.derivative(y, margin)
        line = end - alpha
        if line == 0:
            return alpha
        part = gamma / (gamma + curvature)
        if self.option == BOUND:
            part = (gap / (line * line) + gamma / 2) / (gamma + curvature)
        if part >= 1:
            return end
        alpha += part * line
        # Rounding must not carry it beyond the end, and so perhaps out of bounds.
        return min(alpha, end) if line > 0 else max(alpha, end)

    cdef void _catch_up(self, Py_ssize_t t, int copies, int side) noexcept nogil:
        # Make in copy t the changes that the visits with the others made.
        cdef Py_ssize_t other, at, n
        cdef const int64_t* changed
        cdef row_t row
        for other in range(copies):
            if other == t:
                continue
            n, changed = self.copy[other].logged[side], self.copy[other].changed[side]
            for at in range(n):
                if at + LOOKAHEAD < n:
                    rows_prefetch(&self.rows.c, changed[at + LOOKAHEAD])
                row = rows_get(&self.rows.c, changed[at])
                row_axpy(&row, self.copy[other].steps[side][at], self.copy[t].v)

    @property
    def moved(self):
        """Visits that changed their dual since the pass began."""
        return sum([self.copy[t].moved for t in range(self.n_copies)])

    @property
    def gap_sum(self):
        """Σ gaps."""
        return self.gap_before + sum([self.copy[t].gap_rise for t in range(self.n_copies)])

    @property
    def conjugate_sum(self):
        """Σ (c_i φ)*(−α_i), as the visits have changed it."""
        rises = [self.copy[t].conjugate_rise for t in range(self.n_copies)]
        return self.conjugate_before + sum(rises)

    def conjugates(self):
        """Σ (c_i φ)*(−α_i), afresh."""
        cdef Py_ssize_t i
        cdef double total = 0
        with nogil:
            for i in range(self.n):
                self.conjugate[i] = self.cost[i] * self.loss.conjugate(self.y[i], self.alpha[i])
                total += self.conjugate[i]
        return total

    def measure(self, const double[::1] w, Py_ssize_t begin=0, Py_ssize_t end=-1):
        """Σ c_i φ_i over rows begin … end − 1 at w = ∇Ω*(v); brings their parts of the gap up to
        date.
        """
        cdef Py_ssize_t i, stop = self.n if end < 0 else end
        cdef double total = 0, margin, value
        cdef row_t row
        with nogil:
            for i in range(begin, stop):
                if i + LOOKAHEAD < stop:
                    rows_prefetch(&self.rows.c, i + LOOKAHEAD)
                row = rows_get(&self.rows.c, i)
                margin = row_dot(&row, &w[0])
                value = self.loss.value(self.y[i], margin)
                total += self.cost[i] * value
                self.conjugate[i] = self.cost[i] * self.loss.conjugate(self.y[i], self.alpha[i])
                self.schedule.gap[i] = (
                    self.cost[i] * (value + margin * self.alpha[i]) + self.conjugate[i])
        return total

    def retune(self, Regularizer regularizer):
        """Go on with v as it is under another regularizer."""
        self.regularizer = regularizer

    def add_up(self):
        """Take the sums afresh, of what `measure` has left behind."""
        self._begin(float(self.gaps.sum()), float(np.asarray(self.conjugate).sum()))

    def wake_above(self, double quiet):
        """Wake every example whose part of the gap is above this."""
        schedule_wake_above(&self.schedule, quiet)
