"""Stochastic dual coordinate ascent on losses of one score: its state, passes and visits."""

from libc.math cimport NAN, fabs
from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from rrmlinear.core.schedule cimport (
    schedule_above, schedule_active, schedule_draw, schedule_note, schedule_shrink_below,
    schedule_shuffle, schedule_t, schedule_activate, schedule_activate_above,
)
from rrmlinear.core.vector_copies cimport copies_exchange, copies_level, vector_copies_t
from rrmlinear.data.rows cimport Rows
from rrmlinear.data.rows import aligned_zeros
from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.regularizers.base cimport Regularizer
from rrmlinear.simd.barrier cimport flag_t
from rrmlinear.simd.products cimport row_axpy, row_dot
from rrmlinear.simd.rows cimport prefetch, row_t, rows_get, rows_prefetch, rows_prefetch_begin
from rrmlinear.solvers.dual._example cimport (
    example_count, example_move, example_t, progress_begin, progress_t, progress_take,
)
from rrmlinear.solvers.dual._momentum cimport RunningAverage
from rrmlinear.solvers.dual._step_length cimport BOUND, FIXED, MAXIMUM, step_end
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS

cdef enum:
    ROW_LOOKAHEAD = 5       # visits between the prefetch of a row and its use


# The state of stochastic dual coordinate ascent on a loss of one score, and its measuring.

cdef enum:
    FIRST_SKIPPED = 2         # passes that an example skips after a first visit without a gap
    DOUBLES_APART = 64      # between the memory of two threads: cores fetch ahead
    NEAR_ENTRIES = 1024     # most entries of v that copies exchange after each round

# The types of example_t and progress_t.
EXAMPLE = np.dtype([(name, np.float64) for name in (
    "alpha", "y", "cost", "curvature", "gap", "conjugate", "before", "padding")])
PROGRESS = np.dtype([("moved", np.int64), ("gap_rise", np.float64), ("conjugate_rise", np.float64),
                     ("size_rise", np.float64), ("support_rise", np.int64),
                     ("bound_rise", np.int64), ("padding", np.int64, 2)])


cdef class DualState:
    """Duals α_i, v = z + Σ c_i α_i x_i, the gap of each example, and the sums of these.

    There may be several copies of v; all are equal except during a sweep.
    """

    cdef public Rows rows                 # some may be empty for a while
    cdef public ScalarLoss loss
    cdef readonly Regularizer regularizer
    cdef readonly object dual_vector      # v, as long as the rows are wide: its first copy
    cdef readonly object alphas           # n, a view of the examples
    cdef readonly object gaps             # n, likewise: each example's gap when last computed
    cdef readonly object curvatures       # n, likewise: ‖x_i‖² over the first Ω's modulus
    cdef readonly object active_from        # n: the pass from which each is visited again
    cdef readonly RunningAverage average  # None: no averaging
    cdef readonly int n_copies
    cdef double gap_before, conjugate_before  # Σ gaps, Σ (c_i φ)*(−α_i) when the pass began
    cdef double first_modulus, curvature_scale    # that of the first Ω, and over the present one's
    cdef progress_t before                # sizes of the duals when the pass began
    cdef double bound                     # of the sizes; NaN until they have been counted
    cdef Py_ssize_t n, width
    cdef int option                       # of the length of a step; see step_end
    cdef const double[::1] cost
    cdef example_t[::1] example
    cdef int32_t[::1] active                # see schedule_t
    cdef unsigned char[::1] streak
    cdef schedule_t schedule
    cdef double[:, ::1] v                 # copies of v, each with room behind it
    cdef progress_t[:, ::1] progress      # of each copy, the first of a line
    cdef vector_copies_t copies
    cdef object memory                    # of the copies' exchange

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
        self.curvatures = examples["curvature"]
        self.active = self.active_from = np.zeros(self.n, np.int32)
        self.streak = np.zeros(self.n, np.uint8)
        first = FIRST_SKIPPED if n_copies == 1 else 1    # copies overshoot, and visits mend it
        self.schedule = schedule_t(&self.active[0], &self.streak[0], self.n, first)
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
        schedule_activate(&self.schedule)

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

    def activate_above(self, double quiet):
        """Activate every example whose gap is above ``quiet``."""
        cdef Py_ssize_t step = sizeof(example_t) // sizeof(double)
        schedule_activate_above(&self.schedule, &self.example[0].gap, step, quiet)

    def shrink_below(self, double quiet, int number):
        """Leave out examples with a measured gap of at most ``quiet`` after pass ``number``."""
        schedule_shrink_below(&self.schedule, &self.example[0].gap,
                              sizeof(example_t) // sizeof(double), quiet, number)


# Stochastic dual coordinate ascent on losses of one score: passes and visits.

cdef enum:
    BEGIN_LOOKAHEAD = 12    # visits between the prefetch of a row's place in memory and its use

# A C copy, which visits read.
cdef double MOVE_ROUNDING = FEW_ROUNDINGS


# The limits of gaps by which shrinking leaves an example out.
ctypedef struct limits_t:
    int number
    double quiet
    double calm


cdef class DualAscent(DualState):
    """Passes over a state.

    With several copies of v a sweep goes in rounds: each copy serves some visits, then takes over
    the changes made with the other copies, those of rare features after several rounds alone. A
    team of threads shares the copies; any team gets the same bits.
    """

    cdef object order                     # of the pass

    def __cinit__(self, *_, **__):
        self.order = np.empty(0, dtype=np.int64)

    def begin_pass(self, int number, uint64_t seed, bint uniform, spans=None, double least=-1):
        """The examples that this pass visits, in order: those of ``spans``, (begin, end), or all,
        that are active, or have a gap above ``least`` ≥ 0, shuffled; or n drawn ``uniform``ly.
        """
        cdef Py_ssize_t m = 0, begin, end, step = sizeof(example_t) // sizeof(double)
        spans = ((0, self.n),) if spans is None else spans
        most = sum([end - begin for begin, end in spans])
        if len(self.order) < most:
            self.order = np.empty(most, dtype=np.int64)
        cdef int64_t[::1] out = self.order
        for begin, end in spans:
            with nogil:
                if least >= 0:
                    m += schedule_above(&self.cost[0], &self.example[0].gap, step, least, begin,
                                        end, &out[m])
                elif not uniform:
                    m += schedule_active(&self.schedule, &self.cost[0], number, begin, end, &out[m])
        with nogil:
            if uniform:
                m = schedule_draw(&self.schedule, &self.cost[0], number, seed, &out[0])
            else:
                schedule_shuffle(number, seed, &out[0], m)
        self._begin(self.gap_sum, self.conjugate_sum)
        return self.order[:m]

    def sweep(self, const int64_t[::1] order not None, Py_ssize_t begin, Py_ssize_t end,
              double least=0, int number=-1, double quiet=0, double calm=0, int copies=1,
              Py_ssize_t length=0, int rounds=0, int team=1, int thread=0):
        """Visit order[begin:end] of the order made by `begin_pass`.

        A visit leaves the dual unchanged if its example's gap is at most ``least``. After a visit
        in pass ``number`` ≥ 0 shrinking leaves the example out; see schedule_note.
        With several ``copies`` of v each is used for ``length`` visits in a round, and takes over
        all changes after this number of ``rounds`` and at the end; threads 0 … team − 1 call this,
        else with the same arguments.
        """
        cdef Py_ssize_t at = begin, t
        cdef int exchanges = 0
        cdef limits_t limits = limits_t(number, quiet, calm)
        cdef vector_copies_t these = self.copies
        these.n_copies = copies
        if thread >= copies:    # fewer copies than at first
            return
        team = min(team, copies)
        with nogil:
            if copies == 1:
                self._visits(0, &order[0], begin, end, end, 0, least, &limits)
                at = end
            else:
                copies_level(&these, team, thread)
            while at < end:
                t = thread
                while t < copies:
                    self._visits(t, &order[0], min(at + t * length, end),
                                 min(at + (t + 1) * length, end), end, (copies - 1) * length,
                                 least, &limits)
                    t += team
                at += copies * length
                exchanges += 1
                copies_exchange(&these, exchanges & 1, at >= end or exchanges % rounds == 0, team,
                                thread)

    cdef void _visits(self, Py_ssize_t t, const int64_t* order, Py_ssize_t begin, Py_ssize_t end,
                      Py_ssize_t last, Py_ssize_t skip, double least,
                      const limits_t* limits) noexcept nogil:
        # Visit order[begin:end] with copy t of v. The copy's next visits begin ``skip`` after the
        # end, and go up to ``last``.
        cdef progress_t* progress = &self.progress[t, 0]
        cdef Py_ssize_t at, i, ahead
        for at in range(begin, end):
            ahead = at + BEGIN_LOOKAHEAD + (skip if at + BEGIN_LOOKAHEAD >= end else 0)
            if ahead < last:
                prefetch(&self.example[order[ahead]], 1, 3)
                rows_prefetch_begin(&self.rows.c, order[ahead])
            ahead = at + ROW_LOOKAHEAD + (skip if at + ROW_LOOKAHEAD >= end else 0)
            if ahead < last:
                rows_prefetch(&self.rows.c, order[ahead])
            i = order[at]
            self._visit(&self.v[t, 0], progress, i, least)
            if limits.number >= 0:
                schedule_note(&self.schedule, i, self.example[i].gap, limits.number, limits.quiet,
                              limits.calm)

    cdef void _visit(self, double* v, progress_t* progress, Py_ssize_t i,
                     double least) noexcept nogil:
        # Moves α_i and v.
        cdef row_t row = rows_get(&self.rows.c, i)
        cdef example_t* at = &self.example[i]
        cdef double y = at.y, alpha = at.alpha, new = alpha, step = 0
        cdef double score = self.regularizer.primal_dot(&row, v)
        cdef double gap = self.loss.value(y, score) + at.conjugate + score * alpha
        at.before = alpha
        progress.gap_rise += at.cost * gap - at.gap
        at.gap = at.cost * gap
        if self.average is not None:
            self.average.visit()
        if at.gap > least:
            new = step_end(self.loss, self.option, y, score, alpha,
                           at.cost * at.curvature * self.curvature_scale, gap)
        if fabs(new - alpha) > MOVE_ROUNDING * fabs(alpha):
            step = at.cost * (new - alpha)
            if self.average is not None:
                self.average.move(&row, i, new - alpha, step, v)
            else:
                row_axpy(&row, step, v)
            example_move(at, progress, new, self.loss.conjugate(y, new), self.bound)

    def undo(self, const int64_t[::1] order not None, v):
        """Take back the visits of a pass in this order that began at v."""
        cdef Py_ssize_t at
        for at in range(order.shape[0]):
            self.example[order[at]].alpha = self.example[order[at]].before
        self.dual_vector[:] = v
        self.resume()
