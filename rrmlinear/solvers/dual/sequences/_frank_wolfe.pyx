"""Visits of sequences by block-coordinate Frank–Wolfe with pairwise steps."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from rrmlinear.core.schedule cimport (
    schedule_awake, schedule_note, schedule_shuffle, schedule_t, schedule_wake_above,
)
from rrmlinear.simd.rows cimport row_t, rows_get
from rrmlinear.solvers.dual.sequences._labelling_weights cimport LabellingWeights, score_apart
from rrmlinear.solvers.dual.sequences.labelling_store cimport (
    mixture_add, mixture_find, mixture_prune, mixture_t,
)
from rrmlinear.solvers.dual.sequences.mixtures cimport Mixtures

import numpy as np

from rrmlinear.solvers.dual.sequences.mixtures import NO_ROOM


cdef class FrankWolfe(LabellingWeights):
    """Mixtures of labellings of m sequences, and the weights w that they give.

    w = Σ_s c_s Σ_y a_s(y) (f(truth) − f(y)) / modulus, f(y) the features of a labelling.
    """

    cdef readonly object gaps             # of each sequence when last visited, times its cost
    cdef readonly Py_ssize_t moved
    cdef readonly double risen            # the dual, by all steps so far
    cdef readonly Mixtures mixtures
    cdef public bint out_of_memory
    cdef mixture_t* mixture               # those of `mixtures`
    cdef double[::1] gap
    cdef double[::1] values               # of the hinge at the labellings of its mixture
    cdef int32_t[::1] wake                # see schedule_t
    cdef unsigned char[::1] streak
    cdef schedule_t schedule
    cdef object order

    def __cinit__(self, rows, label, starts, k, cost, modulus, edges=None):
        self.mixtures = Mixtures(label, starts)
        self.mixture = self.mixtures.of
        self.gaps = np.zeros(self.m)
        self.gap, self.values = self.gaps, np.zeros(16)
        self.order = np.empty(self.m, dtype=np.int64)
        self.wake, self.streak = np.zeros(self.m, np.int32), np.zeros(self.m, np.uint8)
        self.schedule = schedule_t(&self.wake[0], &self.streak[0], self.m, 1)

    def begin_pass(self, int number, uint64_t seed):
        """The sequences awake in this pass, shuffled."""
        cdef int64_t[::1] out = self.order
        cdef Py_ssize_t n
        self.moved = 0
        with nogil:
            n = schedule_awake(&self.schedule, &self.cost[0], number, 0, self.schedule.n, &out[0])
            schedule_shuffle(number, seed, &out[0], n)
        return self.order[:n]

    def wake_above(self, double quiet):
        """Wake every sequence whose gap is above ``quiet``."""
        schedule_wake_above(&self.schedule, &self.gap[0], 1, quiet)

    def sweep(self, const int64_t[::1] order not None, Py_ssize_t begin, Py_ssize_t end,
              double least, int number, double quiet, double calm):
        """Visit these sequences; those with a gap of at most ``least`` keep their mixture.

        They nap or sleep after pass ``number`` as `schedule_note` says.
        """
        cdef Py_ssize_t at, s
        with nogil:
            for at in range(begin, end):
                s = order[at]
                self._visit(s, least)
                schedule_note(&self.schedule, s, self.gap[s], number, quiet, calm)
        if self.out_of_memory:
            raise MemoryError(NO_ROOM)

    def resweep(self, const int64_t[::1] order not None, Py_ssize_t begin, Py_ssize_t end):
        """Steps of these sequences among the labellings that their mixtures have."""
        cdef Py_ssize_t at
        with nogil:
            for at in range(begin, end):
                self._revisit(order[at])

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

    cdef void _room_for(self, Py_ssize_t n) noexcept nogil:
        if n > self.values.shape[0]:
            with gil:
                self.values = np.zeros(2 * n)

    cdef double _values(self, Py_ssize_t s) noexcept nogil:
        # the value of the hinge at each labelling of the mixture; returns their mean
        cdef mixture_t* mixture = &self.mixture[s]
        cdef Py_ssize_t first = self.starts[s], length = self.starts[s + 1] - first, p
        cdef double truth = self._of(s, &self.label[first]), mean = 0
        self._room_for(mixture.n)
        for p in range(mixture.n):
            self.values[p] = (self._of(s, mixture.labels + p * length) - truth
                              + mixture.distance[p])
            mean += mixture.weight[p] * self.values[p]
        return mean

    cdef void _visit(self, Py_ssize_t s, double least) noexcept nogil:
        # Move weight from the labelling with the least value of the hinge to that with the largest.
        cdef mixture_t* mixture = &self.mixture[s]
        cdef Py_ssize_t first = self.starts[s], length = self.starts[s + 1] - first, to, out
        cdef double hinge = self._score(s)
        self.gap[s] = self.cost[s] * (hinge - self._values(s))
        if not self.gap[s] > least:
            return
        out = self._least(mixture.n)
        to = mixture_find(mixture, &self.found[0], length)
        if to < 0:
            to = mixture_add(mixture, &self.found[0], &self.label[first], length, 0)
        if to < 0:
            self.out_of_memory = True
            return
        self._shift(s, out, to, hinge)
        self.moved += 1

    cdef void _revisit(self, Py_ssize_t s) noexcept nogil:
        # The same step among the labellings of the mixture alone.
        cdef mixture_t* mixture = &self.mixture[s]
        cdef Py_ssize_t p, to = 0, out
        if mixture.n < 2:
            return
        self._values_of_few(s)
        for p in range(1, mixture.n):
            if self.values[p] > self.values[to]:
                to = p
        out = self._least(mixture.n)
        if self.values[to] > self.values[out]:
            self._shift(s, out, to, self.values[to])

    cdef Py_ssize_t _least(self, Py_ssize_t n) noexcept nogil:
        # the first of n labellings with the least value
        cdef Py_ssize_t p, out = 0
        for p in range(n):
            if self.values[p] < self.values[out]:
                out = p
        return out

    cdef void _shift(
        self, Py_ssize_t s, Py_ssize_t out, Py_ssize_t to, double hinge
    ) noexcept nogil:
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
        self.risen += self.cost[s] * part * (rise - square * part / 2)
        self._move(s, y, z, self.cost[s] * part / self.modulus)
        mixture_prune(mixture, length)

    cdef void _values_of_few(self, Py_ssize_t s) noexcept nogil:
        # `_values` from the scores of the labels alone in which labellings differ from the truth
        cdef mixture_t* mixture = &self.mixture[s]
        cdef Py_ssize_t first = self.starts[s], length = self.starts[s + 1] - first, p, t
        cdef const int32_t* truth = &self.label[first]
        cdef const int32_t* y
        cdef row_t row
        cdef double base = self.T.score(s, first, length, truth), total
        self._room_for(mixture.n)
        for p in range(mixture.n):
            y = mixture.labels + p * length
            total = mixture.distance[p]
            if total > 0:
                total += self.T.score(s, first, length, y) - base
                for t in range(length):
                    if y[t] != truth[t]:
                        row = rows_get(&self.rows.c, first + t)
                        total += score_apart(&row, &self.W[0, 0], self.stride, y[t], truth[t])
            self.values[p] = total
