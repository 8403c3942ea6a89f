"""Block coordinate ascent on the dual of a multiclass loss: passes and visits, repeated visits of
some examples, and blocks given to them.
"""

from libc.float cimport DBL_MAX
from libc.math cimport INFINITY, fabs, fmin, log, sqrt
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint64_t
from libc.string cimport memcpy, memset

from rrmlinear.simd.barrier cimport current_processor, flag_t, flags_meet
from rrmlinear.core.block_store cimport block_store_load, block_store_pack, block_store_unpack
from rrmlinear.simd.blocks cimport (
    block_change, block_change_t, block_margins, block_pack_steps, block_scores_some,
    block_update_some,
)
from rrmlinear.core.schedule cimport (
    schedule_above, schedule_active, schedule_note, schedule_shuffle, schedule_activate_above,
)
from rrmlinear.simd.rows cimport ROW_DENSE, row_part, row_t, rows_get
from rrmlinear.solvers.dual.blocks._block_state cimport (
    FEATURE_PARTS, BlockState, gradient_range, next_example, scratch_t,
)

import numpy as np

from rrmlinear.core.deadline import check_time
from rrmlinear.solvers.dual.dual_descent import SKIP_GAP, SHRINK_GAP
from rrmlinear.solvers.loop.rounding import ROUNDING
from rrmlinear.solvers.loop.tolerances import (
    MANY_ROUNDINGS, MIN_DIVISOR, SUM_ROUNDING, FEW_ROUNDINGS,
)

cdef enum:
    CHECKED_VISITS = 1024   # visits between two looks at the clock

# C copies, which loops read.
cdef double BLOCK_MOVE_ROUNDING = MANY_ROUNDINGS, SCORE_ROUNDING = ROUNDING
cdef double VALUE_ROUNDING = FEW_ROUNDINGS, NEGATIVE = SUM_ROUNDING, LEAST = MIN_DIVISOR
cdef double SKIPPING = SKIP_GAP, SHRINKING = SHRINK_GAP


def this_processor():
    """The processor that this thread runs on, or −1 where it cannot be told."""
    return current_processor()


cdef class BlockDescent(BlockState):
    """Passes over a state.

    A visit takes all classes of an example, or only its face: the classes whose dual is not zero.
    A team of threads shares a visit, a full one by classes, one of a face by features: each thread
    adds up scores over its own and updates their weights, and all solve the same block. Scores of a
    face are always added up in the same parts, so that any team gets the same bits.
    """

    # of `ascend`: its passes, the next after which the rate is looked at, and the last
    cdef readonly int passes
    cdef int due, last
    cdef Py_ssize_t visits, visits_before
    cdef readonly double primal, dual     # after the last pass, estimated unless it was measured
    cdef readonly bint is_measured, has_ended
    cdef double omega, gap_before, last_gap
    cdef double widest                    # range of a gradient in the pass; infinity: not looked at
    cdef readonly list rows_of_passes     # (primal, dual, whether they were measured) of each pass
    cdef int64_t[::1] places

    def __cinit__(self, *_, **__):
        self.widest = INFINITY

    def begin_pass(self, int number, uint64_t seed, bint face, double quiet, spans=None,
                   double least=-1):
        """The examples to visit in this pass, shuffled, as an int64 array: those of ``spans``,
        (begin, end) of examples, or of all, that are active, or have a gap above ``least`` ≥ 0; for
        a pass over faces, those with nonzero duals and a last gap above ``quiet``.
        """
        cdef Py_ssize_t i, m = 0, begin, end
        cdef scratch_t* mine = self._scratch(0)
        if spans is None:
            spans = ((0, self.n),)
        order = np.empty(sum([end - begin for begin, end in spans]), dtype=np.int64)
        cdef int64_t[::1] out = order
        for begin, end in spans:
            with nogil:
                if face:
                    for i in range(begin, end):
                        if self.gap[i] > quiet and self.duals.store.blocks[i] != NULL:
                            out[m] = i
                            m += 1
                elif least >= 0:
                    m += schedule_above(&self.cost[0], &self.gap[0], 1, least, begin, end, &out[m])
                else:
                    m += schedule_active(&self.schedule, &self.cost[0], number, begin, end, &out[m])
        schedule_shuffle(number, seed, &out[0], m)
        mine.norm_change = mine.moved = 0
        return order[:m]

    def since_begin(self):
        """(rise of Ω*(V), visits that changed their block) since the pass began.

        The rise is right to first order only where ∇Ω* is not linear.
        """
        return self._scratch(0).norm_change, self._scratch(0).moved

    def sweep(self, const int64_t[::1] order not None, Py_ssize_t begin, Py_ssize_t end, int number,
              bint face, double quiet, double calm, int team, int thread):
        """Visit order[begin:end]. Threads 0 … team − 1 call this, else with the same arguments.

        After a visit of all its classes, an example skips a few passes if its gap is at most
        ``calm``; if it is at most ``quiet``, a number of passes that doubles each time.
        """
        cdef Py_ssize_t at, i
        with nogil:
            for at in range(begin, end):
                i = next_example(self, &order[0], order.shape[0], at)
                if face:
                    self._visit_face(i, at & 1, team, thread)
                else:
                    self._visit(i, at & 1, team, thread)
                    if thread == 0:
                        schedule_note(&self.schedule, i, self.gap[i], number, quiet, calm)

    def activate_above(self, double quiet):
        """Activate every example whose gap is above ``quiet``."""
        schedule_activate_above(&self.schedule, &self.gap[0], 1, quiet)

    def ascend(self, int least, int most, uint64_t seed, double tolerance, double bound,
               double lipschitz, double visit, double alone, int pause):
        """Passes from duals of 0 until the gap is at most ``tolerance`` times the primal and the
        range of each example's gradient at most ``bound`` (infinity: no rule, and rounding must not
        hide the gap), or ``most`` of them. From ``least`` passes on they also end where the time
        spent and that still needed, guessed by the last fall of the gap, are above ``alone`` in the
        geometric mean; each ``visit`` takes as long. A gap that does not fall is guessed to do so
        as in all passes, or to take as long as ``alone``.
        ``lipschitz`` is the constant of a loss with kinks, 0 of others; ∇Ω* must be linear. Returns
        whether they have ended; after pass ``pause`` it returns, and goes on when it is called
        again. Raises TimeIsUpError after the deadline, between visits, and MemoryError.
        """
        cdef bint seems
        cdef double gap, goal, rate, left, violation
        bound = fmin(bound, DBL_MAX)
        if self.rows_of_passes is None:
            self.rows_of_passes, self.places = [], np.empty(self.n, np.int64)
            self.due, self.gap_before = least, INFINITY
        while self.passes < most and not self.has_ended:
            if self.passes >= pause:
                return False
            gap = self.primal - self.dual if self.passes > 1 else 0   # those of the first are old
            goal = tolerance * fabs(self.primal) if self.passes > 1 else 0
            # where it may be the last one it takes all examples, and finds ranges before visits
            seems = self.passes > 1 and gap * fmin(gap / self.last_gap, 1) <= goal
            self.widest, self.last_gap = 0 if seems else INFINITY, gap
            self._whole_pass(seed, SHRINKING * goal / self.n, SKIPPING * gap / self.n, bound)
            gap, goal = self.primal - self.dual, tolerance * fabs(self.primal)
            if self.widest <= bound or self.passes == most:
                self._measure_all()
                gap, goal = self.primal - self.dual, tolerance * fabs(self.primal)
                if self.widest <= bound and -NEGATIVE * fabs(self.primal) <= gap <= goal:
                    self.has_ended = bound < DBL_MAX or gap + self._hidden(lipschitz) <= goal
                schedule_activate_above(&self.schedule, &self.gap[0], 1, SHRINKING * goal / self.n)
            self.rows_of_passes.append((self.primal, self.dual, self.is_measured))
            if self.has_ended or self.passes < self.due:
                continue
            gap, left, first = max(gap, LEAST), alone, self.rows_of_passes[0]
            rate = log(self.gap_before / gap) / (self.passes - self.last) if self.last else 0
            if not rate > 0:
                rate = log((first[0] - first[1]) / gap) / self.passes
            if rate > 0 and goal > 0:
                violation = self.widest / bound if self.widest < INFINITY else 1
                left = max(1, log(gap / min(goal, gap) * max(violation, 1)) / rate) * visit
                left *= (self.visits - self.visits_before) / <double> (self.passes - self.last)
            if left * self.visits * visit > alone * alone:
                break
            self.gap_before, self.last, self.visits_before = gap, self.passes, self.visits
            self.due = 2 * self.last
        return True

    cdef int _whole_pass(self, uint64_t seed, double quiet, double calm, double bound) except -1:
        # A pass over all classes by one thread, with estimates of primal and dual. While the widest
        # range is within the bound it takes the examples that rest, too.
        cdef Py_ssize_t at, i, m
        cdef scratch_t* mine = self._scratch(0)
        cdef int64_t* order = &self.places[0]
        cdef double conjugates = 0, gaps = 0
        self.passes += 1
        self.is_measured = False
        mine.norm_change = mine.moved = 0
        with nogil:
            m = schedule_active(&self.schedule, &self.cost[0],
                                self.passes if self.widest > bound else INT32_MAX, 0, self.n, order)
            schedule_shuffle(self.passes, seed, order, m)
            for at in range(m):
                if at % CHECKED_VISITS == 0:
                    with gil:
                        check_time()
                i = next_example(self, order, m, at)
                if self.active[i] > self.passes and self.widest > bound:
                    continue
                self.visits += 1
                self._visit(i, at & 1, 1, 0)
                schedule_note(&self.schedule, i, self.gap[i], self.passes, quiet, calm)
            for i in range(self.n):
                conjugates += self.conjugate[i]
                gaps += self.gap[i]
        if self.out_of_memory:
            raise MemoryError("no memory for the dual variables")
        self.omega += mine.norm_change
        self.dual = -conjugates - self.omega
        self.primal = self.dual + gaps
        return 0

    def stop(self):
        """Measure after a last pass that has not."""
        self._measure_all()
        self.rows_of_passes[self.passes - 1] = self.primal, self.dual, True

    cdef int _measure_all(self) except -1:
        ranges, self.omega = np.zeros(self.n), self.conjugate_of_regularizer()
        losses = self.measure(0, self.n, 0, ranges)
        self.widest = ranges.max(initial=0.0)
        self.primal, self.dual = losses + self.omega, -self.conjugates.sum() - self.omega
        self.is_measured = True
        return 0

    cdef double _hidden(self, double lipschitz) except -1:
        # A bound of what rounding of the scores moves primal and dual by.
        shares = np.maximum(2 * self.duals.sizes()[0], lipschitz * np.asarray(self.cost))
        squares = shares @ np.asarray(self.curvature) / self.scale
        return (VALUE_ROUNDING * max(fabs(self.primal), fabs(self.dual))
                + SCORE_ROUNDING * sqrt(shares.sum() * squares * 2 * self.scale * self.omega))

    cdef void _visit(self, Py_ssize_t i, int parity, int team, int thread) noexcept nogil:
        # All classes of example i: this thread's panel of W, or all where it is alone.
        cdef scratch_t* mine = self._scratch(thread)
        cdef Py_ssize_t first = thread if team > 1 else 0
        cdef Py_ssize_t last = thread + 1 if team > 1 else self.n_threads
        cdef Py_ssize_t held, n, m = 0, p
        cdef double* scores = &self.scores[parity, 0]
        cdef row_t row = rows_get(&self.rows.c, i)
        # single numbers are written some time before they are read as vectors
        held = block_store_unpack(&self.duals.store, i, self.cost[i], mine.block)
        self._score(&row, first, last, scores)
        if team > 1:
            flags_meet(<flag_t*> &self.flags[0, 0], team, thread)
        block_margins(scores, self.k, self.k8, self.label[i], self.loss.cost,
                      self.scale, mine.margins)
        n = self._solve(i, mine, self.label[i], self.k8, NULL, thread == 0)
        if n and (self.stride <= 16 or n > self.k8 // 8):
            self._update(&row, first, last, mine.steps, &self.V[0, 0, 0])
            if not self.regularizer.linear:
                self._refresh(&row, first, last)
        elif n:     # few changed classes: touch those alone
            for p in range(first, last):
                m += block_pack_steps(mine.steps + p * self.panel_stride, self.panel_stride,
                                      p * self.panel_size, mine.places + m, mine.packed + m)
            block_update_some(&row, &self.V[0, 0, 0], self.panel_stride, mine.places, mine.packed,
                              m)
            if not self.regularizer.linear:
                self._refresh_some(&row, 0, mine.places, m)
        if held:
            memset(mine.block, 0, self.k8 * sizeof(double))

    cdef void _visit_face(self, Py_ssize_t i, int parity, int team, int thread) noexcept nogil:
        # The classes of example i whose duals are not zero, then its own class, then padding.
        cdef scratch_t* mine = self._scratch(thread)
        cdef int32_t* classes = mine.integers + 2 * self.k8
        cdef double* scores = &self.scores[parity, 0]
        cdef Py_ssize_t n = block_store_load(&self.duals.store, i, self.cost[i], mine.block,
                                             classes)
        cdef Py_ssize_t n8 = (n + 8) // 8 * 8, c, p
        cdef row_t row = rows_get(&self.rows.c, i), part
        for c in range(n, n8):
            classes[c] = self.label[i]
        for c in range(n8):
            p = classes[c] // self.panel_stride
            mine.places[c] = p * self.panel_size + classes[c] - p * self.panel_stride
        for p in range(FEATURE_PARTS):
            if p % team == thread:
                part = row_part(row, self.cut[p], self.cut[p + 1])
                block_scores_some(&part, &self.W[0, self._base(&row, p), 0],
                                  self.panel_stride, mine.places, n8, scores + p * n8)
        if team > 1:
            flags_meet(<flag_t*> &self.flags[0, 0], team, thread)
        for c in range(n8):
            mine.margins[c] = ((scores[c] + scores[n8 + c])
                               + (scores[2 * n8 + c] + scores[3 * n8 + c]))
        block_margins(mine.margins, n, n8, n, self.loss.cost, self.scale, mine.margins)
        if self._solve(i, mine, n, n8, classes, thread == 0):
            for p in range(FEATURE_PARTS):
                if p % team == thread:
                    part = row_part(row, self.cut[p], self.cut[p + 1])
                    block_update_some(&part, &self.V[0, self._base(&row, p), 0],
                                      self.panel_stride, mine.places, mine.steps, n + 1)
                    if not self.regularizer.linear:
                        self._refresh_some(&part, self._base(&row, p), mine.places, n + 1)
        memset(mine.block, 0, n8 * sizeof(double))

    cdef Py_ssize_t _base(self, const row_t* row, Py_ssize_t p) noexcept nogil:
        # A dense row's part p counts its features from the part's first.
        return self.cut[p] if row.kind & ROW_DENSE else 0

    cdef Py_ssize_t _solve(self, Py_ssize_t i, scratch_t* mine, Py_ssize_t label, Py_ssize_t n8,
                           const int32_t* classes, bint record) noexcept nogil:
        # Solve the block of example i at mine.margins: returns the number of entries that move;
        # mine.steps are the moves of the weights. One thread of a team records the new block.
        cdef double upper = self.cost[i], q = self.curvature[i]
        cdef double gap = self.loss.gap(mine.margins, mine.block, upper, n8)
        cdef double total
        cdef block_change_t change
        change.n = 0
        if gap > 0:
            if self.widest < INFINITY:
                self.widest = max(self.widest, gradient_range(mine.margins, mine.block, upper, n8))
            total = self.loss.solve_block(mine.margins, mine.block, q, upper, mine.new_block,
                                          mine.work, n8)
            change = block_change(mine.margins, self.loss.cost, mine.block, mine.new_block, n8,
                                  label, BLOCK_MOVE_ROUNDING * total, mine.steps)
        if not record:
            return change.n
        self.gap[i], self.rise[i] = gap, 0
        if change.n:
            mine.moved += 1
            self.conjugate[i] = self.loss.conjugate(mine.new_block, upper, n8)
            self.rise[i] = q / 2 * (change.squared + change.sum * change.sum)
            mine.norm_change += change.linear + self.rise[i]
            if not block_store_pack(&self.duals.store, i, upper, mine.new_block, classes, n8,
                                    mine.integers):
                self.out_of_memory = True
        return change.n


def repeat(BlockDescent state not None, const int64_t[::1] order not None, Py_ssize_t passes):
    """Visit these examples in this order some times, on one thread; returns Σ of their rises."""
    cdef Py_ssize_t at, _
    cdef double total = 0
    with nogil:
        for _ in range(passes):
            for at in range(order.shape[0]):
                state._visit(order[at], at & 1, 1, 0)
        for at in range(order.shape[0]):
            total += state.rise[order[at]]
    return total


def blocks(BlockDescent state not None, const int64_t[::1] order not None):
    """The blocks of these examples, a row each, with the padding of classes."""
    cdef Py_ssize_t at
    result = np.zeros((order.shape[0], state.k8))
    cdef double[:, ::1] out = result
    with nogil:
        for at in range(order.shape[0]):
            block_store_unpack(&state.duals.store, order[at], state.cost[order[at]], &out[at, 0])
    return result


def put(BlockDescent state not None, const int64_t[::1] order not None,
        const double[:, ::1] given not None):
    """Give these examples these blocks, cut to their domain, where ∇Ω* is linear; returns the rise
    of the dual.
    """
    cdef Py_ssize_t at
    cdef double rise = 0
    with nogil:
        for at in range(order.shape[0]):
            rise += put_one(state, order[at], &given[at, 0])
    return rise


cdef double put_one(BlockDescent state, Py_ssize_t i, const double* block) noexcept nogil:
    cdef scratch_t* mine = state._scratch(0)
    cdef double upper = state.cost[i], rise = state.conjugate[i]
    cdef block_change_t change
    cdef row_t row = rows_get(&state.rows.c, i)
    state._look(&row, i, mine)
    memcpy(mine.new_block, block, state.k8 * sizeof(double))
    state.loss.confine(mine.new_block, upper, state.k8)
    change = block_change(mine.margins, state.loss.cost, mine.block, mine.new_block, state.k8,
                          state.label[i], 0, mine.steps)
    state.conjugate[i] = state.loss.conjugate(mine.new_block, upper, state.k8)
    rise -= state.conjugate[i]
    change.linear += state.curvature[i] / 2 * (change.squared + change.sum * change.sum)
    mine.norm_change += change.linear
    state._update(&row, 0, state.n_threads, mine.steps, &state.V[0, 0, 0])
    if not block_store_pack(&state.duals.store, i, upper, mine.new_block, NULL, state.k8,
                            mine.integers):
        state.out_of_memory = True
    memset(mine.block, 0, state.k8 * sizeof(double))
    return rise - change.linear
