"""Ascent on the dual of a linear machine by pairs of duals: the steps, with examples left out."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t

from rrmlinear.core.heap cimport make_heap, pop_heap
from rrmlinear.data.rows cimport Rows
from rrmlinear.simd.row_products cimport row_axpy, row_dot, row_squared_norm
from rrmlinear.simd.rows cimport (
    row_index, row_t, row_value, rows_get, rows_prefetch, rows_prefetch_begin,
)
from rrmlinear.solvers.dual.pairs._pair_duals cimport LOOKAHEAD, PairDuals

import numpy as np

cdef enum:
    PART = 10           # of the examples at hand, one of this number is in a pair


cdef class RowPairs(PairDuals):
    """maximize y'β − ½ ‖Σ β_i x_i‖² over lower ≤ β ≤ upper with the sum of β as it is."""

    cdef readonly Py_ssize_t steps
    cdef int32_t[::1] down                  # examples that fall
    cdef double[::1] down_key

    def __cinit__(self, Rows rows not None, y, lower, upper):
        self.down, self.down_key = np.empty(self.n, dtype=np.int32), np.empty(self.n)

    def ascend(self, double violation, double gap, Py_ssize_t most):
        """Take steps until the violation is at most ``violation``, or the gap at most ``gap``, or
        ``most`` rows have been read. F of the examples at hand is measured after each round.

        Examples at a bound whose F lies beyond those of all others on the right side are left out.
        """
        with nogil:
            self.steps = self.visits = 0
            if gap > 0 and self.gap == INFINITY:
                self._sum_gap(&self.order[0], self.at_hand)
            self._ascend(violation, gap, most)
            if self.at_hand < self.n and self.steps:    # a look at those near before one at all
                self._measure_anew(self.at_hand, gap)
                self._ascend(violation, gap, most)

    cdef void _ascend(self, double violation, double gap, Py_ssize_t most) noexcept nogil:
        cdef Py_ssize_t m = self.at_hand, rises, falls
        while self.violation > violation and self.gap > gap and self.visits < most:
            m = self._keep(m)
            rises, falls = self._candidates(m)
            if self._pairs(min(max(m // PART, 1), min(rises, falls)), rises, falls) == 0:
                break
            self._measure_anew(m, gap)

    cdef Py_ssize_t _keep(self, Py_ssize_t m) noexcept nogil:
        # Leave out examples at the bound where they belong, whatever F of the others is. They come
        # behind the others.
        cdef int32_t* order = &self.order[0]
        cdef const double* F = &self.F[0]
        cdef const double* beta = &self.beta[0]
        cdef const double* lower = &self.lower[0]
        cdef const double* upper = &self.upper[0]
        cdef double most = self.most, least = self.least
        cdef Py_ssize_t t, i, kept = 0
        cdef bint above, below
        for t in range(m):      # computed, not branched on: no processor guesses them
            i = order[t]
            above = (F[i] > most) & (beta[i] >= upper[i])
            below = (F[i] < least) & (beta[i] <= lower[i])
            order[t] = order[kept]
            order[kept] = i
            kept += 1 - (above | below)
        return kept

    cdef (Py_ssize_t, Py_ssize_t) _candidates(self, Py_ssize_t m) noexcept nogil:
        # Heaps of examples that can rise, the largest F first, and that can fall, the least first.
        cdef Py_ssize_t t, i, rises = 0, falls = 0
        for t in range(m):
            i = self.order[t]
            if self.F[i] > self.least and self.beta[i] < self.upper[i]:
                self.up[rises], self.up_key[rises] = i, self.F[i]
                rises += 1
            if self.F[i] < self.most and self.beta[i] > self.lower[i]:
                self.down[falls], self.down_key[falls] = i, -self.F[i]
                falls += 1
        make_heap(&self.up[0], &self.up_key[0], rises)
        make_heap(&self.down[0], &self.down_key[0], falls)
        return rises, falls

    cdef Py_ssize_t _pairs(self, Py_ssize_t count, Py_ssize_t rises,
                           Py_ssize_t falls) noexcept nogil:
        # Steps of this number of pairs, the most violating first; those that moved.
        cdef Py_ssize_t t, moved = 0
        for t in range(count):
            pop_heap(&self.up[0], &self.up_key[0], rises - t)
            pop_heap(&self.down[0], &self.down_key[0], falls - t)
        # The heaps have put those taken behind the others, the first of all last.
        for t in range(1, count + 1):
            if t + LOOKAHEAD <= count:
                rows_prefetch_begin(&self.rows.c, self.up[rises - t - LOOKAHEAD])
                rows_prefetch_begin(&self.rows.c, self.down[falls - t - LOOKAHEAD])
                rows_prefetch(&self.rows.c, self.up[rises - t - LOOKAHEAD // 2])
                rows_prefetch(&self.rows.c, self.down[falls - t - LOOKAHEAD // 2])
            moved += self._step(self.up[rises - t], self.down[falls - t])
        self.visits += 4 * count
        self.steps += moved
        return moved

    cdef bint _step(self, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
        # β_i + β_j stays; whether they moved.
        cdef row_t a = rows_get(&self.rows.c, i), b = rows_get(&self.rows.c, j)
        cdef double F = self.y[i] - row_dot(&a, &self.w[0])
        cdef double G = self.y[j] - row_dot(&b, &self.w[0])
        cdef double step, rise, fall, curvature, sum, first, second
        if F < G:                   # the weights have moved since: the other way round
            i, j, a, b, F, G = j, i, b, a, G, F
        rise, fall = self.upper[i] - self.beta[i], self.beta[j] - self.lower[j]
        if i == j or not (F > G and rise > 0 and fall > 0):
            return False
        sum = row_squared_norm(&a) + row_squared_norm(&b)
        curvature = sum - 2 * _product(&a, &b)
        step = min((F - G) / max(curvature, 1e-14 * sum), min(rise, fall))
        first, second = self.beta[i], self.beta[j]
        self.beta[i] = self.upper[i] if step == rise else first + step
        self.beta[j] = self.lower[j] if step == fall else second - step
        if self.beta[i] == first or self.beta[j] == second:     # rounding
            self.beta[i], self.beta[j] = first, second
            return False
        row_axpy(&a, step, &self.w[0])
        row_axpy(&b, -step, &self.w[0])
        return True


cdef double _product(const row_t* a, const row_t* b) noexcept nogil:
    # a'b of rows with increasing indices.
    cdef Py_ssize_t s = 0, t = 0, i, j
    cdef double sum = 0
    while s < a.length and t < b.length:
        i, j = row_index(a, a.kind, s), row_index(b, b.kind, t)
        if i == j:
            sum += row_value(a, a.kind, s) * row_value(b, b.kind, t)
        s += i <= j
        t += j <= i
    return sum
