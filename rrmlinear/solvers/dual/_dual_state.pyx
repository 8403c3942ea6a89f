"""The state of stochastic dual coordinate ascent on a loss of one score, and its measuring."""

from libc.math cimport NAN
from libc.stdint cimport int64_t

from rrmlinear.core.schedule cimport (
    schedule_rest_below, schedule_t, schedule_wake, schedule_wake_above,
)
from rrmlinear.core.vector_copies cimport vector_copies_t
from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.regularizers.base cimport Regularizer
from rrmlinear.simd.barrier cimport flag_t
from rrmlinear.simd.row_products cimport row_axpy, row_dot
from rrmlinear.simd.rows cimport row_t, rows_get, rows_prefetch
from rrmlinear.solvers.dual._example cimport (
    example_count, example_t, progress_begin, progress_take,
)
from rrmlinear.solvers.dual._running_average cimport RunningAverage
from rrmlinear.solvers.dual._step_length cimport BOUND, FIXED, MAXIMUM

import numpy as np

from rrmlinear.data.rows import aligned_zeros

cdef enum:
    FIRST_SLEEP = 2         # passes that an example skips after a first visit without a gap
    DOUBLES_APART = 64      # between the memory of two threads: cores fetch ahead
    NEAR_ENTRIES = 1024     # most entries of v that copies exchange after each round

# The types of example_t and progress_t.
EXAMPLE = np.dtype([(name, np.float64) for name in (
    "alpha", "y", "cost", "curvature", "gap", "conjugate", "before", "first")])
PROGRESS = np.dtype([("moved", np.int64), ("gap_rise", np.float64), ("conjugate_rise", np.float64),
                     ("size_rise", np.float64), ("support_rise", np.int64),
                     ("bound_rise", np.int64), ("padding", np.int64, 2)])


cdef class DualState:
    """Duals α_i, v = z + Σ c_i α_i x_i, the gap of each example, and the sums of these.

    There may be several copies of v; all are equal except during a sweep.
    """

    def __cinit__(self, Rows rows not None, ScalarLoss loss not None,
                  Regularizer regularizer not None, y, const double[::1] cost not None, curvature,
                  option="maximum", RunningAverage average=None, int n_copies=1):
        self.rows, self.loss, self.regularizer = rows, loss, regularizer
        self.cost = cost
        self.first_modulus, self.curvature_scale = regularizer.modulus, 1
        self.bound = NAN
        self.option = {"maximum": MAXIMUM, "bound": BOUND, "fixed": FIXED}[option]
        self.average, self.n_copies = average, n_copies
        self.n, self.width = rows.c.n_rows, max(rows.width, 1)
        examples = aligned_zeros(self.n, sizeof(example_t) // sizeof(double)).view(EXAMPLE)[:, 0]
        examples["y"], examples["cost"], examples["curvature"] = y, cost, curvature
        self.alphas, self.gaps, self.example = examples["alpha"], examples["gap"], examples
        self.curvatures, self.first = examples["curvature"], examples["first"]
        self.wake = self.wakes = np.zeros(self.n, np.int32)
        self.streak = np.zeros(self.n, np.uint8)
        first = FIRST_SLEEP if n_copies == 1 else 1    # copies overshoot, and visits mend it
        self.schedule = schedule_t(&self.wake[0], &self.streak[0], self.n, first)
        self._make_copies()
        self.resume()

    def _make_copies(self):
        vectors = aligned_zeros(self.n_copies, (self.width + 7) // 8 * 8 + DOUBLES_APART)
        self.v, self.dual_vector = vectors, vectors[0, :self.width]
        self.progress = aligned_zeros(self.n_copies, DOUBLES_APART).view(PROGRESS)
        if self.n_copies == 1:
            return
        cdef const int64_t[::1] near = self.rows.frequent_features(NEAR_ENTRIES)
        cdef Py_ssize_t n_near = near.shape[0]
        cdef double[:, ::1] common = aligned_zeros(1, self.width + DOUBLES_APART)
        cdef double[:, ::1] seen = aligned_zeros(self.n_copies, n_near + DOUBLES_APART)
        cdef double[:, ::1] moves = aligned_zeros(2 * self.n_copies, n_near + DOUBLES_APART)
        cdef double[:, ::1] flags = aligned_zeros(self.n_copies, sizeof(flag_t) // sizeof(double))
        self.memory = near, common, seen, moves, flags
        self.copies = vector_copies_t(
            &common[0, 0], &self.v[0, 0], &seen[0, 0], &moves[0, 0], &near[0],
            <flag_t*> &flags[0, 0], self.width, self.v.shape[1], n_near, seen.shape[1],
            self.n_copies)

    def start_from(self, const double[::1] alphas not None):
        """Start from these duals, each within the loss's bounds."""
        self.alphas[:] = alphas
        self.dual_vector += self.combination(alphas)
        self.resume()

    def combination(self, const double[::1] alphas not None):
        """Σ c_i α_i x_i."""
        result = np.zeros(self.width)
        cdef double[::1] out = result
        cdef Py_ssize_t i, begin, end
        cdef row_t row
        for begin, end in self.rows.spans():
            with nogil:
                for i in range(begin, end):
                    if self.cost[i] * alphas[i] != 0:
                        row = rows_get(&self.rows.c, i)
                        row_axpy(&row, self.cost[i] * alphas[i], &out[0])
        return result

    def resume(self):
        """Go on after ``alphas`` and ``dual_vector`` have been changed from outside."""
        self._begin(self.gap_sum, self.conjugates())
        self.bound = NAN
        schedule_wake(&self.schedule)

    cdef int _begin(self, double gap_sum, double conjugate_sum) except -1:
        # Count rises from here.
        cdef Py_ssize_t t
        self.gap_before, self.conjugate_before = gap_sum, conjugate_sum
        for t in range(self.n_copies):
            progress_take(&self.before, &self.progress[t, 0])
        return 0

    @property
    def moved(self):
        """Visits that changed their dual since the pass began."""
        return sum([self.progress[t, 0].moved for t in range(self.n_copies)])

    @property
    def gap_sum(self):
        """Σ gaps."""
        return self.gap_before + sum([self.progress[t, 0].gap_rise for t in range(self.n_copies)])

    @property
    def conjugate_sum(self):
        """Σ (c_i φ)*(−α_i), updated by the visits."""
        rises = [self.progress[t, 0].conjugate_rise for t in range(self.n_copies)]
        return self.conjugate_before + sum(rises)

    def conjugates(self):
        """Σ (c_i φ)*(−α_i), summed from the duals."""
        cdef Py_ssize_t i
        cdef example_t* at
        cdef double total = 0
        with nogil:
            for i in range(self.n):
                at = &self.example[i]
                at.conjugate = self.loss.conjugate(at.y, at.alpha)
                total += at.cost * at.conjugate
        return total

    def measure(self, const double[::1] w not None, double[::1] scores=None, Py_ssize_t begin=0,
                Py_ssize_t end=-1, bint knows=False):
        """Σ c_i φ_i over rows begin … end − 1 at w = ∇Ω*(v); updates the gaps of these
        examples, and writes their scores where these are asked for. One that ``knows`` them
        reads the ``scores`` in place of w.
        """
        cdef bint keeps = scores is not None
        cdef Py_ssize_t i, stop = self.n if end < 0 else end
        cdef double losses = 0, score, loss
        cdef example_t* at
        cdef row_t row
        if knows and (scores is None or len(scores) < stop):
            raise ValueError(f"the scores of {stop} rows are needed")
        with nogil:
            for i in range(begin, stop):
                at = &self.example[i]
                row = rows_get(&self.rows.c, i)
                if knows:
                    score = scores[i]
                else:
                    if i + ROW_LOOKAHEAD < stop:
                        rows_prefetch(&self.rows.c, i + ROW_LOOKAHEAD)
                    score = row_dot(&row, &w[0])
                    if keeps:
                        scores[i] = score
                loss = at.cost * self.loss.value(at.y, score)
                at.conjugate = self.loss.conjugate(at.y, at.alpha)
                at.gap = loss + at.cost * (at.conjugate + score * at.alpha)
                losses += loss
        return losses

    def retune(self, Regularizer regularizer not None):
        """Go on with the same v under another regularizer."""
        self.curvature_scale = self.first_modulus / regularizer.modulus
        self.regularizer = regularizer

    def sizes(self, double bound):
        """(Σ ‖x_i‖² c_i |α_i|, duals that are not zero, those of at least ``bound`` in size), from
        the visits; over all examples where duals were set or the bound is another.
        """
        cdef Py_ssize_t i
        self._begin(self.gap_sum, self.conjugate_sum)
        if self.bound != bound:
            self.bound = bound
            progress_begin(&self.before)
            for i in range(self.n):
                example_count(&self.example[i], &self.before, 1, bound)
        return (self.before.size_rise * self.first_modulus, self.before.support_rise,
                self.before.bound_rise)

    def add_up(self):
        """Recompute the sums from the state after `measure`."""
        cdef Py_ssize_t i
        cdef double gaps = 0, conjugates = 0
        for i in range(self.n):
            gaps += self.example[i].gap
            conjugates += self.example[i].cost * self.example[i].conjugate
        self._begin(gaps, conjugates)

    def wake_above(self, double quiet):
        """Wake every example whose gap is above ``quiet``."""
        cdef Py_ssize_t step = sizeof(example_t) // sizeof(double)
        schedule_wake_above(&self.schedule, &self.example[0].gap, step, quiet)

    def rest_below(self, double quiet, int number):
        """Let examples with a measured gap of at most ``quiet`` sleep on after pass ``number``."""
        schedule_rest_below(&self.schedule, &self.example[0].gap,
                            sizeof(example_t) // sizeof(double), quiet, number)
