"""Weights of nodes and pairs, and what labellings of a sequence have by them."""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from rrmlinear.data.rows cimport Rows
from rrmlinear.risks.layouts.chains._transitions cimport Transitions
from rrmlinear.simd.blocks cimport block_scores, block_stride, block_update_some
from rrmlinear.simd.chains.best cimport chain_best
from rrmlinear.simd.chains.labels cimport chain_change_t
from rrmlinear.simd.rows cimport row_index, row_t, row_value, rows_get

import numpy as np

from rrmlinear.data.rows import aligned_zeros


cdef class LabellingWeights:
    """Weights w by the features f(y) of labellings y of m sequences.

    f(y) are rows of X in the columns of its labels, and counts of its transitions, those of
    features of ``edges`` with their values.
    """

    def __cinit__(self, Rows rows not None, const int32_t[::1] label not None,
                  const int64_t[::1] starts not None, Py_ssize_t k,
                  const double[::1] cost not None, double modulus, Rows edges=None):
        cdef Py_ssize_t pairs = k if edges is None else k * (1 + edges.width)
        self.rows, self.label, self.starts, self.cost = rows, label, starts, cost
        self.m, self.k, self.k8, self.modulus = starts.shape[0] - 1, k, (k + 7) // 8 * 8, modulus
        self.stride = block_stride(k)
        self.longest = int(np.diff(starts).max(initial=1))
        self.nodes = aligned_zeros(max(rows.width, 1), self.stride)
        self.W = self.nodes
        self.pairs = np.zeros((pairs, k))
        self.V = self.pairs
        self.T = Transitions(self.pairs, 1, True, edges, False)
        self.room = np.zeros(self.T.room(self.longest))
        self.S, self.work = np.zeros((self.longest, k)), aligned_zeros(self.longest, self.k8)
        self.line = aligned_zeros(1, self.k8)[0]
        self.found = np.zeros(self.longest, dtype=np.int32)
        self.sums = aligned_zeros(max(rows.width, 1), self.stride)
        self.counts = np.zeros((pairs, k))

    cdef double _score(self, Py_ssize_t s) noexcept nogil:
        # the scores of the nodes, and the hinge, whose labelling goes to `found`
        cdef Py_ssize_t first = self.starts[s], t
        cdef row_t row
        for t in range(self.starts[s + 1] - first):
            row = rows_get(&self.rows.c, first + t)
            block_scores(&row, &self.W[0, 0], self.stride, self.stride, &self.line[0])
            memcpy(&self.S[t, 0], &self.line[0], self.k * sizeof(double))
        return self._hinge(s)

    cdef double _hinge(self, Py_ssize_t s) noexcept nogil:
        cdef Py_ssize_t first = self.starts[s], length = self.starts[s + 1] - first
        cdef const int32_t* truth = &self.label[first]
        cdef chain_change_t change
        change.add, change.scale = 1, 1
        return chain_best(&self.S[0, 0], truth, length, self.k, self.k8,
                          self.T.of(s, first, length, &self.room[0]), change, &self.work[0, 0],
                          &self.found[0]) - self._of(s, truth)

    cdef double _of(self, Py_ssize_t s, const int32_t* y) noexcept nogil:
        # the score of a labelling
        cdef Py_ssize_t first = self.starts[s], length = self.starts[s + 1] - first, t
        cdef double total = self.T.score(s, first, length, y)
        for t in range(length):
            total += self.S[t, y[t]]
        return total

    cdef double _square(self, Py_ssize_t s, const int32_t* y, const int32_t* z) noexcept nogil:
        # ‖f(y) − f(z)‖²
        cdef Py_ssize_t first = self.starts[s], length = self.starts[s + 1] - first, t
        cdef row_t row
        cdef double total
        cdef int64_t places[2]
        cdef double steps[2]
        steps[0], steps[1] = 1, -1
        for t in range(length):
            if y[t] != z[t]:
                row = rows_get(&self.rows.c, first + t)
                places[0], places[1] = y[t], z[t]
                block_update_some(&row, &self.sums[0, 0], self.stride, places, steps, 2)
        self.T.count(s, first, length, y, z, 1, &self.counts[0, 0])
        total = self.T.taken(s, first, length, y, z, &self.counts[0, 0])
        for t in range(length):
            if y[t] != z[t]:
                row = rows_get(&self.rows.c, first + t)
                total += taken(&row, &self.sums[0, y[t]], self.stride)
                total += taken(&row, &self.sums[0, z[t]], self.stride)
        return total

    cdef void _move(self, Py_ssize_t s, const int32_t* y, const int32_t* z,
                    double shift) noexcept nogil:
        # w += shift (f(z) − f(y))
        cdef Py_ssize_t first = self.starts[s], length = self.starts[s + 1] - first, t
        cdef row_t row
        cdef int64_t places[2]
        cdef double steps[2]
        steps[0], steps[1] = -shift, shift
        for t in range(length):
            if y[t] != z[t]:
                row = rows_get(&self.rows.c, first + t)
                places[0], places[1] = y[t], z[t]
                block_update_some(&row, &self.W[0, 0], self.stride, places, steps, 2)
        self.T.count(s, first, length, y, z, -shift, &self.V[0, 0])


cdef double taken(const row_t* row, double* v, Py_ssize_t stride) noexcept nogil:
    # Σ v² over the entries of a row, which become 0
    cdef Py_ssize_t t, j
    cdef double total = 0
    for t in range(row.length + (row.bias != 0)):
        j = row.bias_index if t == row.length else row_index(row, row.kind, t)
        total += v[j * stride] * v[j * stride]
        v[j * stride] = 0
    return total


cdef double score_apart(const row_t* row, const double* W, Py_ssize_t stride, Py_ssize_t y,
                        Py_ssize_t z) noexcept nogil:
    # x'w_y − x'w_z
    cdef Py_ssize_t t, j
    cdef double total = 0
    for t in range(row.length):
        j = row_index(row, row.kind, t) * stride
        total += row_value(row, row.kind, t) * (W[j + y] - W[j + z])
    if row.bias != 0:
        j = row.bias_index * stride
        total += row.bias * (W[j + y] - W[j + z])
    return total
