"""Block coordinate ascent on the dual of a multiclass loss: visits and measuring."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

from rrmlinear.simd.barrier cimport current_processor, flag_t, flags_meet
from rrmlinear.core.block_store cimport block_store_load, block_store_pack, block_store_unpack
from rrmlinear.simd.blocks cimport (
    add_squares, block_change, block_change_t, block_margins, block_pack_steps, block_scores,
    block_scores_some, block_stride, block_update, block_update_some,
)
from rrmlinear.core.schedule cimport (
    schedule_above, schedule_awake, schedule_note, schedule_shuffle, schedule_t,
    schedule_wake_above,
)
from rrmlinear.simd.rows cimport ROW_DENSE, row_index, row_part, row_t, rows_get, rows_prefetch
from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.block_base cimport BlockLoss
from rrmlinear.regularizers.base cimport Regularizer
from rrmlinear.solvers.dual.blocks._block_duals cimport BlockDuals, gradient_range
from rrmlinear.solvers.dual.blocks._block_memory cimport scratch_lay, scratch_size, scratch_t

import numpy as np

from rrmlinear.data.rows import aligned_zeros
from rrmlinear.solvers.loop.tolerances import BLOCK_ROUNDING

# A C copy, which visits read.
cdef double BLOCK_MOVE_ROUNDING = BLOCK_ROUNDING


def this_processor():
    """The processor that this thread runs on, or −1 where it cannot be told."""
    return current_processor()


cdef class BlockDescent:
    """State of the ascent: V = Z + the duals' combination of the rows, W = ∇Ω*(V), the duals, and
    the gap that the last visit of each example found. Where ∇Ω* is linear only V is kept, and W is
    ``scale`` times V.

    A visit takes all classes of an example, or only its face: the classes whose dual is not zero.
    A team of threads shares a visit, a full one by classes, one of a face by features: each thread
    adds up scores over its own and updates their weights, and all solve the same block. Scores of a
    face are always added up in the same parts, so that any team gets the same bits.
    """

    def __cinit__(self, Rows rows not None, BlockLoss loss not None,
                  Regularizer regularizer not None, const int32_t[::1] label not None,
                  Py_ssize_t n_classes, const double[::1] cost not None,
                  const double[::1] curvature not None, Py_ssize_t n_threads):
        self.rows, self.loss, self.regularizer, self.label = rows, loss, regularizer, label
        self.cost, self.curvature, self.duals = cost, curvature, BlockDuals(cost)
        self.n, self.k, self.k8 = rows.c.n_rows, n_classes, (n_classes + 7) // 8 * 8
        self.stride = block_stride(n_classes)
        self.n_threads = n_threads
        self.panel_stride = self.stride
        if n_threads > 1:
            self.panel_stride = (self.stride // 8 + n_threads - 1) // n_threads * 8
        self.panel_size = rows.width * self.panel_stride
        shape = n_threads, rows.width, self.panel_stride
        self.panels = aligned_zeros(n_threads * rows.width, self.panel_stride).reshape(shape)
        self.primal_panels, self.scale = self.panels, 1 / regularizer.modulus
        if not regularizer.linear:
            primal = aligned_zeros(n_threads * rows.width, self.panel_stride)
            self.primal_panels, self.scale = primal.reshape(shape), 1.0
        self.V, self.W = self.panels, self.primal_panels
        self.gaps, self.conjugates = np.zeros(self.n), np.zeros(self.n)
        self.rises = np.zeros(self.n)
        self.gap, self.conjugate, self.rise = self.gaps, self.conjugates, self.rises
        self.wake = self.wakes = np.zeros(self.n, np.int32)
        self.streak = np.zeros(self.n, np.uint8)
        self.schedule = schedule_t(&self.wake[0], &self.streak[0], self.n, 1)
        cuts = rows.feature_cuts(FEATURE_PARTS)
        for i in range(FEATURE_PARTS + 1):
            self.cut[i] = cuts[i]
        self._take_memory()

    def _take_memory(self):
        cdef Py_ssize_t t, k8 = max(self.k8, self.n_threads * self.panel_stride)
        self.flags = aligned_zeros(self.n_threads, sizeof(flag_t) // sizeof(double))
        self.scores = aligned_zeros(2, FEATURE_PARTS * k8)
        self.scratch = aligned_zeros(self.n_threads, scratch_size(k8, self.loss.workspace(k8)))
        for t in range(self.n_threads):
            scratch_lay(&self.scratch[t, 0], k8)

    cdef scratch_t* _scratch(self, int thread) noexcept nogil:
        return <scratch_t*> &self.scratch[thread, 0]

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
        elif n:     # few changed classes: touch those alone
            for p in range(first, last):
                m += block_pack_steps(mine.steps + p * self.panel_stride, self.panel_stride,
                                      p * self.panel_size, mine.places + m, mine.packed + m)
            block_update_some(&row, &self.V[0, 0, 0], self.panel_stride, mine.places, mine.packed,
                              m)
        if n and not self.regularizer.linear:
            self._refresh(&row, 0, first, last)
        if held:
            memset(mine.block, 0, self.k8 * sizeof(double))

    cdef void _score(self, const row_t* row, Py_ssize_t first, Py_ssize_t last,
                     double* scores) noexcept nogil:
        # The scores of a row by panels first … last − 1.
        cdef Py_ssize_t p
        for p in range(first, last):
            block_scores(row, &self.W[p, 0, 0], self.panel_stride, self.stride,
                         scores + p * self.panel_stride)

    cdef void _update(self, const row_t* row, Py_ssize_t first, Py_ssize_t last,
                      const double* steps, double* vector) noexcept nogil:
        # Add steps times a row to panels first … last − 1 of V or of another vector like it.
        cdef Py_ssize_t p
        for p in range(first, last):
            block_update(row, vector + p * self.panel_size, self.panel_stride,
                         steps + p * self.panel_stride)

    cdef void _refresh(self, const row_t* row, Py_ssize_t base, Py_ssize_t first,
                       Py_ssize_t last) noexcept nogil:
        # W = ∇Ω*(V) at the features of a row, counted from `base`, in panels first … last − 1.
        cdef Py_ssize_t t, p, at, n = row.length + (row.bias != 0)
        for t in range(n):
            at = base + (row_index(row, row.kind, t) if t < row.length else row.bias_index)
            for p in range(first, last):
                self.regularizer.gradient_of_conjugate(&self.V[p, at, 0], &self.W[p, at, 0],
                                                       self.panel_stride)

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
                        self._refresh(&part, self._base(&row, p), 0, self.n_threads)
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

    def measure(self, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t thread, double[::1] sums=None,
                double[::1] ranges=None):
        """Σ C_i φ_i over rows begin … end − 1 at the present W.

        Updates the gaps of these examples, and adds their duals' combination to ``sums``, in the
        layout of V; then one thread calls it. Writes `gradient_range` of each to ``ranges``.
        """
        cdef bint adds = sums is not None, looks = ranges is not None
        cdef Py_ssize_t i
        cdef bint held
        cdef double loss = 0
        cdef scratch_t* mine = self._scratch(thread)
        cdef row_t row
        with nogil:
            for i in range(begin, end):
                if i + ROW_LOOKAHEAD < self.n:
                    rows_prefetch(&self.rows.c, i + ROW_LOOKAHEAD)
                row = rows_get(&self.rows.c, i)
                self._score(&row, 0, self.n_threads, mine.packed)
                block_margins(mine.packed, self.k, self.k8, self.label[i], self.loss.cost,
                              self.scale, mine.margins)
                held = block_store_unpack(&self.duals.store, i, self.cost[i], mine.block) > 0
                loss += self.cost[i] * self.loss.value(mine.margins, self.k8)
                self.conjugate[i] = self.loss.conjugate(mine.block, self.cost[i], self.k8)
                self.gap[i] = self.loss.gap(mine.margins, mine.block, self.cost[i], self.k8)
                if looks:
                    ranges[i] = gradient_range(mine.margins, mine.block, self.cost[i], self.k)
                if adds and held:
                    self._add_row(i, mine, &sums[0])
                memset(mine.block, 0, self.k8 * sizeof(double))
        return loss

    def conjugate_of_regularizer(self):
        """Ω*(V), added up in the same order for any number of panels."""
        if not self.regularizer.linear:
            return self.regularizer.conjugate_of(self.vector.ravel())
        sums = np.zeros(self.n_threads * self.panel_stride)
        cdef double[::1] squares = sums
        cdef Py_ssize_t p, width = self.rows.width
        with nogil:
            for p in range(self.n_threads):
                add_squares(&self.V[p, 0, 0], width, self.panel_stride,
                            &squares[p * self.panel_stride])
        return float(sums[:self.k].sum()) * self.scale / 2

    def retune(self, Regularizer regularizer not None):
        """Recompute W after a change of V or of the regularizer; ∇Ω* stays linear or not linear."""
        cdef Py_ssize_t size = self.n_threads * self.panel_size
        self.regularizer = regularizer
        if self.regularizer.linear:
            self.scale = 1 / regularizer.modulus
        else:
            with nogil:
                regularizer.gradient_of_conjugate(&self.V[0, 0, 0], &self.W[0, 0, 0], size)

    def wake_above(self, double quiet):
        """Wake every example whose gap is above ``quiet``."""
        schedule_wake_above(&self.schedule, &self.gap[0], 1, quiet)

    @property
    def weights(self):
        """W, d × k, in memory of its own."""
        return self._matrix(self.primal_panels, self.scale)

    @property
    def vector(self):
        """V, d × k, in memory of its own."""
        return self._matrix(self.panels, 1.0)

    def _matrix(self, panels, double factor):
        d, columns = panels.shape[1], self.n_threads * self.panel_stride
        by_feature = panels.transpose(1, 0, 2).reshape(d, columns)
        return np.multiply(by_feature[:, :self.k], factor, order="C")

    cdef void _add_row(self, Py_ssize_t i, scratch_t* mine, double* vector) noexcept nogil:
        # Add the part of example i, whose duals lie at mine.block, to V or another vector like it.
        cdef row_t row = rows_get(&self.rows.c, i)
        cdef double total = 0
        cdef Py_ssize_t j
        for j in range(self.k8):
            mine.steps[j] = -mine.block[j]
            total += mine.block[j]
        mine.steps[self.label[i]] = total
        self._update(&row, 0, self.n_threads, mine.steps, vector)

    def rebuild(self, z):
        """Add up V = Z + the duals' combination of the rows anew; call `retune` then."""
        cdef scratch_t* mine = self._scratch(0)
        cdef Py_ssize_t i, begin, end
        self.panels[...] = z.reshape(self.panels.shape)
        for begin, end in self.rows.spans():
            with nogil:
                for i in range(begin, end):
                    if block_store_unpack(&self.duals.store, i, self.cost[i], mine.block):
                        self._add_row(i, mine, &self.V[0, 0, 0])
                        memset(mine.block, 0, self.k8 * sizeof(double))

    def in_order(self, vector):
        """A vector in the layout of the panels as one panel, from memory of its own if need be."""
        if self.n_threads == 1:
            return vector
        panels = vector.reshape(self.panels.shape).transpose(1, 0, 2)
        return np.ascontiguousarray(panels.reshape(self.rows.width, -1)[:, :self.stride]).ravel()

    def replace(self, const int64_t[::1] indptr not None, const int32_t[::1] classes not None,
                const double[::1] values not None):
        """Take these duals, within the domain of the conjugate; V stays as it is."""
        cdef scratch_t* mine = self._scratch(0)
        cdef Py_ssize_t i, t
        for i in range(self.n):
            for t in range(indptr[i], indptr[i + 1]):
                mine.block[classes[t]] = values[t]
            self.conjugate[i] = self.loss.conjugate(mine.block, self.cost[i], self.k8)
            if not block_store_pack(&self.duals.store, i, self.cost[i], mine.block, NULL, self.k8,
                                    mine.integers):
                self.out_of_memory = True
            memset(mine.block, 0, self.k8 * sizeof(double))

    def start_from(self, const int64_t[::1] indptr not None, const int32_t[::1] classes not None,
                   const double[::1] values not None):
        """Start from these duals, cut to the domain of the conjugate, and from their weights."""
        cdef scratch_t* mine = self._scratch(0)
        cdef Py_ssize_t i, t, begin, end
        for begin, end in self.rows.spans():
            for i in range(begin, end):
                if indptr[i + 1] == indptr[i]:
                    continue
                for t in range(indptr[i], indptr[i + 1]):
                    mine.block[classes[t]] = values[t]     # a class given twice counts once
                self.loss.confine(mine.block, self.cost[i], self.k8)
                self._add_row(i, mine, &self.V[0, 0, 0])
                self.conjugate[i] = self.loss.conjugate(mine.block, self.cost[i], self.k8)
                if not block_store_pack(&self.duals.store, i, self.cost[i], mine.block, NULL,
                                        self.k8, mine.integers):
                    self.out_of_memory = True
                memset(mine.block, 0, self.k8 * sizeof(double))
        self.retune(self.regularizer)
