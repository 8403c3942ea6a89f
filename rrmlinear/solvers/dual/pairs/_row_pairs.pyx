"""Duals of the examples of a linear machine whose sum is given, and visits of pairs of them."""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t

import numpy as np

from rrmlinear.data.rows cimport Rows
from rrmlinear.simd.pairs cimport pairs_ends, pairs_gap, pairs_range
from rrmlinear.simd.products cimport row_axpy, row_dot, row_squared_norm, rows_add, rows_times
from rrmlinear.simd.rows cimport (
    row_index, row_t, row_value, rows_get, rows_prefetch, rows_prefetch_begin,
)

# Heaps of items by their keys, the largest key first. Items and keys are two arrays of n entries.
cdef inline void sift_down(int32_t* item, double* key, Py_ssize_t at, Py_ssize_t n) noexcept nogil:
    """Restore the heap where the entry at this place may be too small."""
    cdef Py_ssize_t child
    while 2 * at + 1 < n:
        child = 2 * at + 1
        if child + 1 < n and key[child + 1] > key[child]:
            child += 1
        if not key[child] > key[at]:
            break
        item[at], item[child] = item[child], item[at]
        key[at], key[child] = key[child], key[at]
        at = child


cdef inline void make_heap(int32_t* item, double* key, Py_ssize_t n) noexcept nogil:
    """Make a heap of n entries in any order."""
    cdef Py_ssize_t at
    for at in range(n // 2 - 1, -1, -1):
        sift_down(item, key, at, n)


cdef inline void pop_heap(int32_t* item, double* key, Py_ssize_t n) noexcept nogil:
    """Move the first of n entries behind the others, which remain a heap."""
    item[0], item[n - 1] = item[n - 1], item[0]
    key[0], key[n - 1] = key[n - 1], key[0]
    sift_down(item, key, 0, n - 1)


cdef enum:
    LOOKAHEAD = 8       # examples between the prefetch of a row and its use
    TOGETHER = 256      # examples whose rows stay in the cache; `rows_add` takes as many
    PART = 10           # of the examples at hand, one of this number is in a pair


def at_threshold(const double[::1] slopes not None, double threshold,
                 const double[::1] lower not None, const double[::1] upper not None):
    """The upper bounds where the slope is above the threshold, and the lower ones elsewhere."""
    result = np.empty(slopes.shape[0])
    cdef double[::1] out = result
    with nogil:
        pairs_ends(&slopes[0], threshold, &lower[0], &upper[0], out.shape[0], &out[0])
    return result


cdef class RowPairs:
    """Ascent by pairs of duals β, w = Σ β_i x_i; F_i = y_i − x_i'w is the dual's derivative by β_i.

    The dual is y'β − ½ ‖Σ β_i x_i‖² over lower ≤ β ≤ upper with the sum of β as it is. The
    violation is the largest F of a dual that can rise less the least of one that can fall.
    """

    cdef readonly object betas, weights, slopes
    cdef readonly double violation, gap     # of the examples at hand
    cdef readonly double loss               # theirs at this middle, as of the last gap
    cdef readonly double middle             # between the F of the best rise and of the best fall
    cdef readonly Py_ssize_t visits         # reads of rows of the examples at hand
    cdef readonly Py_ssize_t steps
    cdef Rows rows
    cdef const double[::1] y, lower, upper
    cdef double[::1] beta, w, F
    cdef int32_t[::1] order, up, down       # examples at hand; those that rise, and that fall
    cdef double[::1] up_key, down_key
    cdef Py_ssize_t n
    cdef double most, least                 # F of the best rise, and of the best fall

    def __cinit__(self, Rows rows not None, y, lower, upper):
        self.rows, self.n = rows, rows.c.n_rows
        if self.n >= 1 << 31:
            raise ValueError(f"{self.n} examples are too many for ascent on pairs of duals")
        self.y, self.lower, self.upper = y, lower, upper
        self.betas, self.weights = np.zeros(self.n), np.zeros(max(rows.width, 1))
        self.slopes = np.empty(self.n)
        self.beta, self.w, self.F = self.betas, self.weights, self.slopes
        self.up_key, self.down_key = np.empty(self.n), np.empty(self.n)
        self.order, self.up, self.down = [np.empty(self.n, dtype=np.int32) for _ in range(3)]

    def find_slopes(self):
        """F of all examples."""
        with nogil:
            self._find_slopes(0, self.n, &self.w[0])

    cdef void _find_slopes(self, Py_ssize_t begin, Py_ssize_t end,
                           const double* weights) noexcept nogil:
        cdef const double* y = &self.y[0]
        cdef double* F = &self.F[0]
        cdef Py_ssize_t i
        rows_times(&self.rows.c, begin, end, weights, F)
        for i in range(begin, end):
            F[i] = y[i] - F[i]

    def look(self, bint with_gap=True):
        """F of all examples, and the violation; the gap too, or it is infinite."""
        cdef Py_ssize_t i, begin, end = 0
        with nogil:
            for i in range(self.n):
                self.order[i] = i
            self.most, self.least = -INFINITY, INFINITY
            while end < self.n:
                begin, end = end, min(end + TOGETHER, self.n)
                self._find_slopes(begin, end, &self.w[0])
                pairs_range(&self.F[begin], &self.beta[begin], &self.lower[begin],
                            &self.upper[begin], NULL, end - begin, &self.most, &self.least)
            self._find_violation()
            if with_gap:
                self._sum_gap(NULL, self.n)
            else:
                self.loss = self.gap = INFINITY

    cdef void _measure_anew(self, Py_ssize_t m, double gap) noexcept nogil:
        # F of the first examples at hand and what follows from it, the gap if one is aimed at.
        self._scores(m)
        self.most, self.least = -INFINITY, INFINITY
        pairs_range(&self.F[0], &self.beta[0], &self.lower[0], &self.upper[0], &self.order[0], m,
                    &self.most, &self.least)
        self._find_violation()
        if gap > 0:
            self._sum_gap(&self.order[0], m)

    cdef void _find_violation(self) noexcept nogil:
        self.violation = self.most - self.least
        self.middle = (self.most + self.least) / 2

    cdef void _sum_gap(self, const int32_t* order, Py_ssize_t m) noexcept nogil:
        cdef double gap = pairs_gap(&self.F[0], &self.beta[0], &self.lower[0], &self.upper[0],
                                    order, m, self.middle, &self.loss)
        self.gap = gap if self.violation > 0 else 0

    cdef void _scores(self, Py_ssize_t m) noexcept nogil:
        # F of the examples at hand.
        cdef Py_ssize_t t, i
        cdef row_t row
        for t in range(m):
            if t + LOOKAHEAD < m:
                rows_prefetch_begin(&self.rows.c, self.order[t + LOOKAHEAD])
                rows_prefetch(&self.rows.c, self.order[t + LOOKAHEAD // 2])
            i = self.order[t]
            row = rows_get(&self.rows.c, i)
            self.F[i] = self.y[i] - row_dot(&row, &self.w[0])
        self.visits += m

    def set_betas(self, betas not None):
        """Set β, and w by the rows whose β is another one."""
        if len(betas) != self.n:
            raise ValueError(f"{len(betas)} duals, but there are {self.n} examples")
        cdef const double[::1] new = betas
        cdef Py_ssize_t begin, end = 0
        with nogil:
            while end < self.n:
                begin, end = end, min(end + TOGETHER, self.n)
                self._set_betas(begin, end, &new[begin])

    cdef void _set_betas(self, Py_ssize_t begin, Py_ssize_t end, const double* new) noexcept nogil:
        cdef double[TOGETHER] ones, moves       # they stay in the cache
        cdef double* beta = &self.beta[begin]
        cdef Py_ssize_t i
        for i in range(end - begin):
            ones[i] = 1
            moves[i] = new[i] - beta[i]
            beta[i] = new[i]
        rows_add(&self.rows.c, begin, end, ones - begin, moves - begin, &self.w[0])

    def set_by(self, const double[::1] weights not None, double threshold):
        """F of all examples at these weights, and β at the bound of the side of the threshold on
        which F lies. Rows are read once for both.
        """
        cdef double[TOGETHER] new
        cdef Py_ssize_t begin, end = 0
        with nogil:
            while end < self.n:
                begin, end = end, min(end + TOGETHER, self.n)
                self._find_slopes(begin, end, &weights[0])
                pairs_ends(&self.F[begin], threshold, &self.lower[begin], &self.upper[begin],
                           end - begin, new)
                self._set_betas(begin, end, new)

    def settle(self, double threshold, double missing):
        """Move β of examples at a bound, those nearest to the threshold first, until its sum has
        grown by ``missing``, and w with it; whether that was possible.
        """
        cdef const double* F = &self.F[0]
        cdef double* beta = &self.beta[0]
        cdef const double* end
        cdef Py_ssize_t i, count = 0
        cdef double sign = 1 if missing > 0 else -1, move, room
        cdef row_t row
        with nogil:
            end = &self.upper[0] if missing > 0 else &self.lower[0]
            for i in range(self.n):
                self.up[count], self.up_key[count] = i, sign * F[i]
                count += beta[i] != end[i]
            make_heap(&self.up[0], &self.up_key[0], count)
            while missing != 0 and count > 0:
                i = self.up[0]
                pop_heap(&self.up[0], &self.up_key[0], count)
                count -= 1
                room = end[i] - beta[i]
                move = room if fabs(room) <= fabs(missing) else missing
                missing -= move
                beta[i] = end[i] if move == room else beta[i] + move
                row = rows_get(&self.rows.c, i)
                row_axpy(&row, move, &self.w[0])
        return missing == 0

    def ascend(self, double violation, double gap, Py_ssize_t most):
        """Take steps until the violation is at most ``violation``, or the gap at most ``gap``, or
        ``most`` rows have been read. F of the examples at hand is measured after each round.

        Examples at a bound whose F lies beyond those of all others on the right side are left out.
        """
        with nogil:
            self.steps = self.visits = 0
            if gap > 0 and self.gap == INFINITY:
                self._sum_gap(NULL, self.n)
            self._ascend(violation, gap, most)

    cdef void _ascend(self, double violation, double gap, Py_ssize_t most) noexcept nogil:
        cdef Py_ssize_t m = self.n, rises, falls
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
