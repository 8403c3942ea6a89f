"""Block coordinate ascent on the dual of a multiclass loss: passes and visits."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

from rrmlinear.simd.barrier cimport current_processor, flag_t, flags_meet
from rrmlinear.core.block_store cimport block_store_load, block_store_pack, block_store_unpack
from rrmlinear.simd.blocks cimport (
    block_change, block_change_t, block_margins, block_pack_steps, block_scores_some,
    block_update_some,
)
from rrmlinear.core.schedule cimport (
    schedule_above, schedule_awake, schedule_note, schedule_shuffle, schedule_wake_above,
)
from rrmlinear.simd.rows cimport ROW_DENSE, row_part, row_t, rows_get
from rrmlinear.solvers.dual.blocks._block_memory cimport scratch_t
from rrmlinear.solvers.dual.blocks._block_state cimport BlockState, FEATURE_PARTS, next_example

import numpy as np

from rrmlinear.solvers.loop.tolerances import BLOCK_ROUNDING

# A C copy, which visits read.
cdef double BLOCK_MOVE_ROUNDING = BLOCK_ROUNDING


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

    def begin_pass(self, int number, uint64_t seed, bint face, double quiet, spans=None,
                   double least=-1):
        """The examples to visit in this pass, shuffled, as an int64 array: those of ``spans``,
        (begin, end) of examples, or of all, that are awake, or have a gap above ``least`` ≥ 0; for
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
                    m += schedule_awake(&self.schedule, &self.cost[0], number, begin, end, &out[m])
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

        After a visit of all its classes, an example naps if its gap is at most ``calm``; if it is
        at most ``quiet``, it sleeps for a number of passes that doubles each time.
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

    def wake_above(self, double quiet):
        """Wake every example whose gap is above ``quiet``."""
        schedule_wake_above(&self.schedule, &self.gap[0], 1, quiet)

    cdef void _visit(self, Py_ssize_t i, int parity, int team, int thread) noexcept nogil:
        # All classes of example i: this thread's panel of W, or all where it is alone.
        cdef scratch_t* mine = self._scratch(thread)
        cdef Py_ssize_t first = thread if team > 1 else 0
        cdef Py_ssize_t last = thread + 1 if team > 1 else self.n_threads
        cdef Py_ssize_t held, n, m = 0, p
        cdef double* scores = &self.scores[parity, 0]
        cdef row_t row = rows_get(&self.rows.c, i)
        self._score(&row, first, last, scores)
        held = block_store_unpack(&self.duals.store, i, self.cost[i], mine.block)
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
