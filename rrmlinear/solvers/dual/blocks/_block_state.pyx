"""The dual blocks of all examples, kept by their nonzeros, and the state of ascents on them."""

from libc.string cimport memset

import numpy as np

from rrmlinear.core.block_store cimport (
    block_store_begins, block_store_free, block_store_load, block_store_pack, block_store_start,
    block_store_unpack,
)
from rrmlinear.data.rows import aligned_zeros
from rrmlinear.simd.barrier cimport flag_t
from rrmlinear.simd.blocks cimport (
    add_squares, block_margins, block_scores, block_stride, block_update,
)
from rrmlinear.simd.rows cimport row_index, rows_get


cdef class BlockDuals:
    """One block an example, all zero at first; entries lie in 0 … ``cost`` of their example."""

    def __cinit__(self, const double[::1] cost not None):
        cdef double[::1] sums
        self.cost = cost
        self.sums = sums = np.zeros(cost.shape[0] + 1)
        if not block_store_start(&self.store, cost.shape[0], &sums[0]):
            raise MemoryError(f"no memory for {cost.shape[0]} dual blocks")

    def __dealloc__(self):
        block_store_free(&self.store)

    def arrays(self):
        """The duals as CSR arrays (indptr, classes, values), one row an example."""
        cdef Py_ssize_t i, t, n = self.cost.shape[0]
        indptr = np.empty(n + 1, dtype=np.int64)
        cdef int64_t[::1] begins = indptr
        block_store_begins(&self.store, &begins[0])
        classes, values = np.empty(begins[n], dtype=np.int32), np.empty(begins[n])
        cdef int32_t[::1] to_classes = classes
        cdef double[::1] to_values = values
        for i in range(n):
            if begins[i + 1] > begins[i]:
                t = begins[i]
                block_store_load(&self.store, i, self.cost[i], &to_values[t], &to_classes[t])
        return indptr, classes, values

    def count(self):
        """(examples with duals, duals above 0, of these at the upper bound)."""
        begins = np.empty(self.cost.shape[0] + 1, dtype=np.int64)
        cdef int64_t[::1] out = begins
        cdef int64_t upper = block_store_begins(&self.store, &out[0])
        cdef Py_ssize_t i, n = self.cost.shape[0], examples = 0
        for i in range(n):
            examples += out[i + 1] > out[i]
        return examples, int(out[n]), upper

    def sizes(self):
        """(Σ of each block, duals above 0, of these at the upper bound), as they are kept."""
        return self.sums[: self.cost.shape[0]], self.store.n_duals, self.store.n_upper


# The state of block coordinate ascent on the dual of a multiclass loss, and its measuring.

cdef class BlockState:
    """State of the ascent: V = Z + the duals' combination of the rows, W = ∇Ω*(V), the duals, and
    the gap that the last visit of each example found. Where ∇Ω* is linear only V is kept, and W is
    ``scale`` times V.
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
        self.active = self.active_from = np.zeros(self.n, np.int32)
        self.streak = np.zeros(self.n, np.uint8)
        self.schedule = schedule_t(&self.active[0], &self.streak[0], self.n, 1)
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

    cdef void _refresh(self, const row_t* row, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
        # W = ∇Ω*(V) at the features of a row, in panels first … last − 1.
        cdef Py_ssize_t t, p, at, n = row.length + (row.bias != 0)
        for t in range(n):
            at = row_index(row, row.kind, t) if t < row.length else row.bias_index
            for p in range(first, last):
                self.regularizer.gradient_of_conjugate(&self.V[p, at, 0], &self.W[p, at, 0],
                                                       self.panel_stride)

    cdef void _refresh_some(self, const row_t* row, Py_ssize_t base, const int64_t* places,
                            Py_ssize_t count) noexcept nogil:
        # Renews the weights of some classes; ``places`` are their columns in a row of V.
        cdef Py_ssize_t t, c, at, n = row.length + (row.bias != 0)
        cdef double* v
        cdef double* w
        for t in range(n):
            at = base + (row_index(row, row.kind, t) if t < row.length else row.bias_index)
            v, w = &self.V[0, at, 0], &self.W[0, at, 0]
            for c in range(count):
                self.regularizer.gradient_of_conjugate(v + places[c], w + places[c], 1)

    cdef Py_ssize_t _look(self, const row_t* row, Py_ssize_t i, scratch_t* mine) noexcept nogil:
        # Margins at the present W and the block of example i, with its row; the nonzero duals.
        self._score(row, 0, self.n_threads, mine.packed)
        block_margins(mine.packed, self.k, self.k8, self.label[i], self.loss.cost, self.scale,
                      mine.margins)
        return block_store_unpack(&self.duals.store, i, self.cost[i], mine.block)

    def measure(self, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t thread,
                double[::1] ranges=None):
        """Σ C_i φ_i over rows begin … end − 1 at the present W.

        Updates the gaps of these examples, and writes `gradient_range` of each to ``ranges``.
        """
        cdef bint looks = ranges is not None
        cdef Py_ssize_t i
        cdef double loss = 0
        cdef scratch_t* mine = self._scratch(thread)
        cdef row_t row
        with nogil:
            for i in range(begin, end):
                if i + ROW_LOOKAHEAD < self.n:
                    rows_prefetch(&self.rows.c, i + ROW_LOOKAHEAD)
                row = rows_get(&self.rows.c, i)
                self._look(&row, i, mine)
                loss += self.cost[i] * self.loss.value(mine.margins, self.k8)
                self.conjugate[i] = self.loss.conjugate(mine.block, self.cost[i], self.k8)
                self.gap[i] = self.loss.gap(mine.margins, mine.block, self.cost[i], self.k8)
                if looks:
                    ranges[i] = gradient_range(mine.margins, mine.block, self.cost[i], self.k)
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
