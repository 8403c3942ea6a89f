"""Visits of sequences by block-coordinate Frank–Wolfe with pairwise steps, and their weights."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from rrmlinear.core.schedule cimport (
    schedule_active, schedule_note, schedule_shuffle, schedule_t, schedule_activate_above,
)
from rrmlinear.data.rows cimport Rows
from rrmlinear.data.rows import aligned_zeros
from rrmlinear.risks.layouts.chains._transitions cimport Transitions
from rrmlinear.simd.blocks cimport block_scores, block_stride, block_update_some
from rrmlinear.simd.chains.labels cimport chain_best, chain_change_t
from rrmlinear.simd.rows cimport row_index, row_t, rows_get
from rrmlinear.solvers.dual.sequences.mixtures cimport (
    Mixtures, mixture_add, mixture_find, mixture_prune, mixture_t,
)
from rrmlinear.solvers.dual.sequences.mixtures import NO_ROOM


cdef class LabellingWeights:
    """Weights w by the features f(y) of labellings y of m sequences.

    f(y) are rows of X in the columns of its labels, and counts of its transitions, those of
    features of ``edges`` with their values.
    """

    cdef readonly Rows rows
    cdef readonly Py_ssize_t m, k
    cdef readonly object nodes            # the weights of nodes, d × stride
    cdef readonly object pairs            # those of pairs: k × k, and for each feature of edges
    cdef double modulus
    cdef Py_ssize_t k8, stride, longest
    cdef const int32_t[::1] label
    cdef const int64_t[::1] starts
    cdef const double[::1] cost
    cdef double[:, ::1] W
    cdef double[:, ::1] V                 # `pairs`
    cdef Transitions T
    cdef double[::1] room                 # for those of the sequence visited
    cdef double[:, ::1] S                 # scores of the nodes of the sequence visited
    cdef double[:, ::1] work
    cdef double[::1] line
    cdef int32_t[::1] found               # the labelling with the largest value of the hinge
    cdef double[:, ::1] sums              # zeros: room for a difference of features, as W is
    cdef double[:, ::1] counts            # and for that of pairs

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


# Visits of sequences by block-coordinate Frank–Wolfe with pairwise steps.

cdef class FrankWolfe(LabellingWeights):
    """Mixtures of labellings of m sequences, and the weights w that they give.

    w = Σ_s c_s Σ_y a_s(y) (f(truth) − f(y)) / modulus, f(y) the features of a labelling.
    """

    cdef readonly object gaps             # of each sequence when last visited, times its cost
    cdef readonly Py_ssize_t moved
    cdef readonly Mixtures mixtures
    cdef public bint out_of_memory
    cdef mixture_t* mixture               # those of `mixtures`
    cdef double[::1] gap
    cdef double[::1] values               # of the hinge at the labellings of its mixture
    cdef int32_t[::1] active                # see schedule_t
    cdef unsigned char[::1] streak
    cdef schedule_t schedule
    cdef object order

    def __cinit__(self, rows, label, starts, k, cost, modulus, edges=None):
        self.mixtures = Mixtures(label, starts)
        self.mixture = self.mixtures.of
        self.gaps = np.zeros(self.m)
        self.gap, self.values = self.gaps, np.zeros(16)
        self.order = np.empty(self.m, dtype=np.int64)
        self.active, self.streak = np.zeros(self.m, np.int32), np.zeros(self.m, np.uint8)
        self.schedule = schedule_t(&self.active[0], &self.streak[0], self.m, 1)

    def begin_pass(self, int number, uint64_t seed):
        """The active sequences of this pass, shuffled."""
        cdef int64_t[::1] out = self.order
        cdef Py_ssize_t n
        self.moved = 0
        with nogil:
            n = schedule_active(&self.schedule, &self.cost[0], number, 0, self.schedule.n, &out[0])
            schedule_shuffle(number, seed, &out[0], n)
        return self.order[:n]

    def activate_above(self, double quiet):
        """Activate every sequence whose gap is above ``quiet``."""
        schedule_activate_above(&self.schedule, &self.gap[0], 1, quiet)

    def sweep(self, const int64_t[::1] order not None, Py_ssize_t begin, Py_ssize_t end,
              double least, int number, double quiet, double calm):
        """Visit these sequences; those with a gap of at most ``least`` keep their mixture.

        Shrinking leaves them out after pass ``number`` as `schedule_note` says.
        """
        cdef Py_ssize_t at, s
        with nogil:
            for at in range(begin, end):
                s = order[at]
                self._visit(s, least)
                schedule_note(&self.schedule, s, self.gap[s], number, quiet, calm)
        if self.out_of_memory:
            raise MemoryError(NO_ROOM)

    def measure(self, Py_ssize_t begin, Py_ssize_t end):
        """Σ of the costs times the hinges of sequences begin … end − 1; updates their gaps."""
        cdef Py_ssize_t s
        cdef double total = 0, hinge
        with nogil:
            for s in range(begin, end):
                hinge = self._score(s)
                total += self.cost[s] * hinge
                self.gap[s] = self.cost[s] * (hinge - self._values(s))
        return total

    def minus_conjugate(self):
        """Σ_s c_s Σ_y a_s(y) distance(y)."""
        return self.mixtures.distance(self.cost)

    def combination(self):
        """Σ_s c_s Σ_y a_s(y) (f(truth) − f(y)): over scores of nodes, n × k, and as `pairs`."""
        cdef Py_ssize_t s, p, t, first, length
        cdef double a
        cdef const int32_t* y
        of_nodes = np.zeros((self.label.shape[0], self.k))
        of_pairs = np.zeros_like(self.pairs)
        cdef double[:, ::1] nodes = of_nodes
        cdef double[:, ::1] pairs = of_pairs
        with nogil:
            for s in range(self.m):
                first, length = self.starts[s], self.starts[s + 1] - self.starts[s]
                for p in range(self.mixture[s].n):
                    a = self.cost[s] * self.mixture[s].weight[p]
                    y = self.mixture[s].labels + p * length
                    for t in range(length):
                        nodes[first + t, self.label[first + t]] += a
                        nodes[first + t, y[t]] -= a
                    self.T.count(s, first, length, &self.label[first], y, a, &pairs[0, 0])
        return of_nodes, of_pairs

    cdef double _values(self, Py_ssize_t s) noexcept nogil:
        # the value of the hinge at each labelling of the mixture; returns their mean
        cdef mixture_t* mixture = &self.mixture[s]
        cdef Py_ssize_t first = self.starts[s], length = self.starts[s + 1] - first, p
        cdef double truth = self._of(s, &self.label[first]), mean = 0
        if mixture.n > self.values.shape[0]:
            with gil:
                self.values = np.zeros(2 * mixture.n)
        for p in range(mixture.n):
            self.values[p] = (self._of(s, mixture.labels + p * length) - truth
                              + mixture.distance[p])
            mean += mixture.weight[p] * self.values[p]
        return mean

    cdef void _visit(self, Py_ssize_t s, double least) noexcept nogil:
        # Move weight from the labelling with the least value of the hinge to that with the largest.
        cdef mixture_t* mixture = &self.mixture[s]
        cdef Py_ssize_t first = self.starts[s], length = self.starts[s + 1] - first, p, to, out = 0
        cdef double hinge = self._score(s)
        self.gap[s] = self.cost[s] * (hinge - self._values(s))
        if not self.gap[s] > least:
            return
        for p in range(mixture.n):
            if self.values[p] < self.values[out]:
                out = p
        to = mixture_find(mixture, &self.found[0], length)
        if to < 0:
            to = mixture_add(mixture, &self.found[0], &self.label[first], length, 0)
        if to < 0:
            self.out_of_memory = True
            return
        self._shift(s, out, to, hinge)
        self.moved += 1

    cdef void _shift(self, Py_ssize_t s, Py_ssize_t out, Py_ssize_t to,
                     double hinge) noexcept nogil:
        # move weight between labellings of a mixture, as far as the dual rises
        cdef mixture_t* mixture = &self.mixture[s]
        cdef Py_ssize_t length = self.starts[s + 1] - self.starts[s]
        cdef const int32_t* y = mixture.labels + to * length
        cdef const int32_t* z = mixture.labels + out * length
        cdef double rise = hinge - self.values[out], part = mixture.weight[out]
        cdef double square = self.cost[s] * self._square(s, y, z) / self.modulus
        if square * part > rise:
            part = rise / square
            mixture.weight[out] -= part
        else:
            mixture.weight[out] = 0
        mixture.weight[to] += part
        self._move(s, y, z, self.cost[s] * part / self.modulus)
        mixture_prune(mixture, length)
