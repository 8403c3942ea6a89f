"""The largest entries of a `BlockHessian` of sparse rows, in little memory."""

from libc.stdint cimport int32_t, int64_t

from rrmlinear.simd.rows cimport row_index, row_t, row_value, rows_get
from rrmlinear.data.rows cimport Rows

import numpy as np

from rrmlinear.core.deadline import check_time

# Examples between two looks at the clock.
cdef Py_ssize_t SLICE = 8192


cdef class Couplings:
    """A part of S (D + H) S, H = Σ_a x_a x_a' ⊗ M_a a `BlockHessian` and D a positive diagonal.

    S is the diagonal matrix ``scale`` that makes the diagonal of the whole 1. The part holds U of
    the d·k weights, ``some``: those whose diagonal entry of H is at least ``least`` times that of
    D. An example adds to the entries off the diagonal only in the classes where its own largest
    entry is as large too. `product` takes and gives vectors of length U.

    A pair is an example with one of its classes. It has a list of places in these vectors, one for
    each of its weights, and a list of values times S in single precision. All pairs store at most
    ``most`` values; ``is_small`` is False if that is too few: then there is no product.

    ``inverse`` is 1 over the diagonal of D + H, for all d·k weights.
    """

    cdef Rows rows
    cdef readonly object some
    cdef readonly object scale
    cdef readonly object inverse
    cdef readonly bint is_small
    cdef int64_t[::1] first              # for each example, the number of its first pair
    cdef int64_t[::1] entry              # for each pair, where its values begin
    cdef double[::1] rate                # of each pair
    cdef double[::1] share               # of each pair
    cdef int32_t[::1] place              # the lists of all pairs, one after the other
    cdef float[::1] value
    cdef object rest                     # the diagonal, 1, less the part that the pairs add to it

    def __init__(self, hessian, diagonal, double least, Py_ssize_t most):
        self.rows, own = hessian.rows, hessian.diagonal()
        begin, classes, rates, shares = (
            hessian.begin, hessian.classes, hessian.rates, hessian.shares,
        )
        cdef Py_ssize_t d = self.rows.width, k = hessian.k
        self.some = np.flatnonzero(own >= least * diagonal)
        places = np.full(d * k, -1, dtype=np.int32)
        places[self.some] = np.arange(len(self.some), dtype=np.int32)
        kept, n_pairs = self._choose(hessian.active, begin, rates, shares,
                                     diagonal.reshape(d, k).min(axis=1), least)
        self.rate, self.share = np.empty(n_pairs), np.empty(n_pairs)
        self.entry = np.empty(n_pairs + 1, dtype=np.int64)
        self.place, self.value = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.float32)
        shown = np.zeros(len(self.some))
        self.inverse = 1 / (own + diagonal)
        self.scale = np.sqrt(self.inverse[self.some])
        self.is_small = self._fill(hessian.active, begin, classes, rates, shares, kept, places,
                                   self.scale, k, shown)
        self.rest = 1 - shown

    def _choose(self, const int64_t[::1] active not None, const int64_t[::1] begin not None,
                const double[::1] rates not None, const double[::1] shares not None,
                const double[::1] diagonal not None, double least):
        # for each class of an example, whether its largest entry is large enough; how many are
        cdef Py_ssize_t a, j, t, m, n_pairs = 0
        cdef double reach, x
        cdef row_t row
        result = np.zeros(rates.shape[0], dtype=np.uint8)
        cdef unsigned char[::1] kept = result
        with nogil:
            for a in range(active.shape[0]):
                row = rows_get(&self.rows.c, active[a])
                reach = 0
                for t in range(row.length):
                    x = row_value(&row, row.kind, t)
                    reach = max(reach, x * x / diagonal[row_index(&row, row.kind, t)])
                if row.bias != 0:
                    reach = max(reach, row.bias * row.bias / diagonal[row.bias_index])
                m = 0
                for j in range(begin[a], begin[a + 1]):
                    if rates[j] * (1 - shares[j]) * reach >= least:
                        kept[j] = 1
                        m += 1
                n_pairs += m
        return result, n_pairs

    cdef bint _fill(self, const int64_t[::1] active, const int64_t[::1] begin,
                    const int32_t[::1] classes, const double[::1] rates, const double[::1] shares,
                    const unsigned char[::1] kept, const int32_t[::1] places,
                    const double[::1] scale, Py_ssize_t k, double[::1] shown) except -1:
        # the lists of pairs; shown = the diagonal of their part. False if the lists are too long
        cdef Py_ssize_t start, a, j, t, pair = 0, entries = 0, most = self.place.shape[0]
        cdef int32_t place
        cdef double x, h
        cdef row_t row
        self.first = np.empty(active.shape[0] + 1, dtype=np.int64)
        for start in range(0, active.shape[0], SLICE):
            check_time()
            with nogil:
                for a in range(start, min(start + SLICE, active.shape[0])):
                    self.first[a] = pair
                    row = rows_get(&self.rows.c, active[a])
                    for j in range(begin[a], begin[a + 1]):
                        if not kept[j]:
                            continue
                        if entries + row.length + 1 > most:
                            return False
                        self.entry[pair] = entries
                        self.rate[pair], self.share[pair] = rates[j], shares[j]
                        h = rates[j] * (1 - shares[j])
                        pair += 1
                        for t in range(row.length):
                            place = places[row_index(&row, row.kind, t) * k + classes[j]]
                            if place >= 0:
                                x = row_value(&row, row.kind, t) * scale[place]
                                self.place[entries], self.value[entries] = place, <float> x
                                shown[place] += h * x * x
                                entries += 1
                        if row.bias != 0:
                            place = places[row.bias_index * k + classes[j]]
                            if place >= 0:
                                x = row.bias * scale[place]
                                self.place[entries], self.value[entries] = place, <float> x
                                shown[place] += h * x * x
                                entries += 1
        self.first[active.shape[0]], self.entry[pair] = pair, entries
        return True

    def product(self, v):
        """This matrix times v."""
        result = self.rest * v
        self._add(v, result, np.empty(len(self.rate)))
        return result

    def _add(self, const double[::1] v not None, double[::1] out not None,
             double[::1] u not None):
        cdef Py_ssize_t a, j, t, first, last
        cdef double dot, sum
        with nogil:
            for a in range(self.first.shape[0] - 1):
                first, last = self.first[a], self.first[a + 1]
                dot = 0
                for j in range(first, last):
                    u[j] = self.rate[j] * self._dot(j, &v[0])
                    dot += u[j]
                for j in range(first, last):
                    sum = u[j] - self.share[j] * dot
                    for t in range(self.entry[j], self.entry[j + 1]):
                        out[self.place[t]] += sum * self.value[t]

    cdef double _dot(self, Py_ssize_t pair, const double* v) noexcept nogil:
        # the values of a pair times v, by four sums that need not wait for each other
        cdef Py_ssize_t t, begin = self.entry[pair], end = self.entry[pair + 1]
        cdef const float* value = &self.value[0]
        cdef const int32_t* place = &self.place[0]
        cdef double a = 0, b = 0, c = 0, d = 0
        for t in range(begin, end - 3, 4):
            a += value[t] * v[place[t]]
            b += value[t + 1] * v[place[t + 1]]
            c += value[t + 2] * v[place[t + 2]]
            d += value[t + 3] * v[place[t + 3]]
        for t in range(end - (end - begin) % 4, end):
            a += value[t] * v[place[t]]
        return a + b + c + d
