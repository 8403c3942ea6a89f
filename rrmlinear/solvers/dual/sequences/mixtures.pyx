"""Mixtures of labellings, one for each sequence, as arrays and from them."""

from libc.stdlib cimport calloc

import numpy as np

NO_ROOM = "the mixtures of labellings do not fit in memory"


cdef class Mixtures:
    """Distributions a_s over labellings of m sequences; each begins as the true one.

    ``label`` are the true labels of all positions, those of sequence s from ``starts[s]`` on.
    """

    def __cinit__(self, const int32_t[::1] label not None, const int64_t[::1] starts not None):
        cdef Py_ssize_t s
        self.label, self.starts, self.m = label, starts, starts.shape[0] - 1
        self.of = <mixture_t*> calloc(max(self.m, 1), sizeof(mixture_t))
        if self.of == NULL:
            raise MemoryError(NO_ROOM)
        for s in range(self.m):
            if mixture_add(&self.of[s], &label[starts[s]], &label[starts[s]],
                           starts[s + 1] - starts[s], 1) < 0:
                raise MemoryError(NO_ROOM)

    def __dealloc__(self):
        cdef Py_ssize_t s
        if self.of != NULL:
            for s in range(self.m):
                mixture_free(&self.of[s])
            free(self.of)

    def distance(self, const double[::1] cost not None):
        """Σ_s c_s Σ_y a_s(y) distance(y)."""
        cdef Py_ssize_t s, p
        cdef double total = 0
        for s in range(self.m):
            for p in range(self.of[s].n):
                total += cost[s] * self.of[s].weight[p] * self.of[s].distance[p]
        return total

    @property
    def numbers(self):
        """How many labellings each sequence has."""
        return np.array([self.of[s].n for s in range(self.m)], dtype=np.int64)

    def arrays(self):
        """(`numbers`, the weights of all labellings, their labels end to end)."""
        numbers = self.numbers
        cdef Py_ssize_t s, p, t, length, at = 0, place = 0
        all_weights = np.empty(int(numbers.sum()))
        all_labels = np.empty(int(numbers @ np.diff(self.starts)), dtype=np.int32)
        cdef double[::1] weights = all_weights
        cdef int32_t[::1] labels = all_labels
        for s in range(self.m):
            length = self.starts[s + 1] - self.starts[s]
            for p in range(self.of[s].n):
                weights[at], at = self.of[s].weight[p], at + 1
                for t in range(length):
                    labels[place + t] = self.of[s].labels[p * length + t]
                place += length
        return numbers, all_weights, all_labels

    def replace(self, numbers, const double[::1] weights not None,
                const int32_t[::1] labels not None):
        """Take the mixtures that `arrays` has returned."""
        cdef Py_ssize_t s, at = 0, place = 0, length
        for s in range(self.m):
            length = self.starts[s + 1] - self.starts[s]
            self.of[s].n = 0
            for _ in range(numbers[s]):
                if mixture_add(&self.of[s], &labels[place], &self.label[self.starts[s]], length,
                               weights[at]) < 0:
                    raise MemoryError(NO_ROOM)
                at, place = at + 1, place + length
