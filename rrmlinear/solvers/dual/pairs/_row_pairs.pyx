"""Ascent on the dual of a linear machine by pairs of duals: the steps, with examples left out."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t

from rrmlinear.data.rows cimport Rows
from rrmlinear.simd.products cimport rows_add, rows_times
from rrmlinear.simd.row_products cimport row_axpy, row_dot, row_squared_norm
from rrmlinear.simd.rows cimport (
    row_index, row_t, row_value, rows_get, rows_prefetch, rows_prefetch_begin,
)

import numpy as np

cdef enum:
    PART = 10           # of the examples at hand, one of this number is in a pair
    LOOKAHEAD = 8       # examples between the prefetch of a row and its use
    MOVED_TOGETHER = 256    # examples whose moves are added together, as `rows_add` takes them


def at_threshold(const double[::1] slopes not None, double threshold,
                 const double[::1] lower not None, const double[::1] upper not None):
    """The upper bounds where the slope is above the threshold, and the lower ones elsewhere."""
    cdef Py_ssize_t i
    result = np.empty(slopes.shape[0])
    cdef double[::1] out = result
    cdef const double* begin = &lower[0]
    cdef const double* end = &upper[0]
    with nogil:
        for i in range(out.shape[0]):      # chosen from, not branched on, as in `_measure`
            out[i] = end[i] if slopes[i] > threshold else begin[i]
    return result


cdef class RowPairs:
    """State: β, w = Σ β_i x_i, and F_i = y_i − x_i'w, the dual's derivative by β_i.

    maximize y'β − ½ ‖Σ β_i x_i‖² over lower ≤ β ≤ upper with the sum of β as it is.
    """

    cdef readonly object betas, weights, slopes
    cdef readonly double violation, gap     # of the examples at hand
    cdef readonly double loss               # theirs at this middle, as of the last gap
    cdef readonly double middle             # between the F of the best rise and of the best fall
    cdef readonly Py_ssize_t steps, visits
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
        self.betas, self.slopes = np.zeros((2, self.n))
        self.weights = np.zeros(max(rows.width, 1))
        self.beta, self.w, self.F = self.betas, self.weights, self.slopes
        self.order, self.up, self.down = np.empty((3, self.n), dtype=np.int32)
        self.up_key, self.down_key = np.empty((2, self.n))

    def find_slopes(self, const double[::1] weights=None):
        """F of all examples at these weights, by default w."""
        cdef Py_ssize_t i
        if weights is None:
            weights = self.w
        with nogil:
            rows_times(&self.rows.c, 0, self.n, &weights[0], &self.F[0])
            for i in range(self.n):
                self.F[i] = self.y[i] - self.F[i]

    def look(self, bint with_gap=True):
        """F of all examples, and the violation; the gap too, or it is infinite."""
        cdef Py_ssize_t i
        self.find_slopes()
        with nogil:
            for i in range(self.n):
                self.order[i] = i
            self._measure(self.n)
            if with_gap:
                self._sum_gap(self.n)
            else:
                self.loss = self.gap = INFINITY

    def set_betas(self, betas not None):
        """Set β, and w by the rows whose β is another one."""
        if len(betas) != self.n:
            raise ValueError(f"{len(betas)} duals, but there are {self.n} examples")
        cdef const double[::1] new = betas
        cdef double[MOVED_TOGETHER] ones, moves
        cdef Py_ssize_t i, begin = 0, end
        with nogil:
            for i in range(MOVED_TOGETHER):
                ones[i] = 1
            while begin < self.n:       # moves lie in memory that stays in the cache
                end = min(begin + MOVED_TOGETHER, self.n)
                for i in range(begin, end):
                    moves[i - begin] = new[i] - self.beta[i]
                    self.beta[i] = new[i]
                rows_add(&self.rows.c, begin, end, ones - begin, moves - begin, &self.w[0])
                begin = end

    def renew(self, betas not None):
        """Set β, w and F, and find the violation."""
        self.set_betas(betas)
        self.look(False)

    def ascend(self, double violation, double gap, Py_ssize_t most):
        """Take steps after a look until the violation, the largest F of a dual that can
        rise less the least of one that can fall, is at most ``violation``, or the gap at most
        ``gap``, or ``most`` rows have been read.

        Examples at a bound whose F lies beyond those of all others on the right side are left out.
        """
        cdef Py_ssize_t m = self.n, rises, falls
        with nogil:
            self.steps = self.visits = 0
            if gap > 0 and self.gap == INFINITY:
                self._sum_gap(m)
            while self.violation > violation and self.gap > gap and self.visits < most:
                m = self._keep(m)
                rises, falls = self._candidates(m)
                if self._pairs(min(max(m // PART, 1), min(rises, falls)), rises, falls) == 0:
                    break
                self._scores(m)
                self._measure(m)
                if gap > 0:
                    self._sum_gap(m)

    cdef void _measure(self, Py_ssize_t m) noexcept nogil:
        # The conditions are chosen from, not branched on: no processor guesses them.
        cdef const int32_t* order = &self.order[0]
        cdef const double* F = &self.F[0]
        cdef const double* beta = &self.beta[0]
        cdef const double* lower = &self.lower[0]
        cdef const double* upper = &self.upper[0]
        cdef Py_ssize_t t, i
        cdef double rise, fall, most = -INFINITY, least = INFINITY
        for t in range(m):
            i = order[t]
            rise = F[i] if beta[i] < upper[i] else -INFINITY
            fall = F[i] if beta[i] > lower[i] else INFINITY
            most = rise if rise > most else most
            least = fall if fall < least else least
        self.most, self.least = most, least
        self.violation = most - least
        self.middle = (most + least) / 2

    cdef void _sum_gap(self, Py_ssize_t m) noexcept nogil:
        # An example's loss is the largest product of its residual with a dual. Its end is looked
        # up, not branched on, as conditions are in `_measure`.
        cdef const int32_t* order = &self.order[0]
        cdef const double* F = &self.F[0]
        cdef const double* beta = &self.beta[0]
        cdef (const double*)[2] ends
        cdef Py_ssize_t t, i
        cdef double above, end, middle = self.middle, gap = 0, loss = 0
        ends[0], ends[1] = &self.lower[0], &self.upper[0]
        for t in range(m):
            i = order[t]
            above = F[i] - middle
            end = ends[above > 0][i]
            loss += above * end
            gap += above * (end - beta[i])
        self.loss, self.gap = loss, gap if self.violation > 0 else 0

    cdef Py_ssize_t _keep(self, Py_ssize_t m) noexcept nogil:
        # Leave out examples at the bound where they belong, whatever F of the others is.
        cdef int32_t* order = &self.order[0]
        cdef const double* F = &self.F[0]
        cdef const double* beta = &self.beta[0]
        cdef const double* lower = &self.lower[0]
        cdef const double* upper = &self.upper[0]
        cdef double most = self.most, least = self.least
        cdef Py_ssize_t t, i, kept = 0
        cdef bint above, below
        for t in range(m):      # computed, not branched on, as in `_measure`
            i = order[t]
            above = (F[i] > most) & (beta[i] >= upper[i])
            below = (F[i] < least) & (beta[i] <= lower[i])
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
        _make_heap(&self.up[0], &self.up_key[0], rises)
        _make_heap(&self.down[0], &self.down_key[0], falls)
        return rises, falls

    cdef Py_ssize_t _pairs(self, Py_ssize_t count, Py_ssize_t rises,
                           Py_ssize_t falls) noexcept nogil:
        # Steps of this number of pairs, the most violating first; those that moved.
        cdef Py_ssize_t t, moved = 0
        for t in range(count):
            _pop(&self.up[0], &self.up_key[0], rises - t)
            _pop(&self.down[0], &self.down_key[0], falls - t)
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


cdef void _make_heap(int32_t* item, double* key, Py_ssize_t n) noexcept nogil:
    # The largest key first.
    cdef Py_ssize_t at
    for at in range(n // 2 - 1, -1, -1):
        _sink(item, key, at, n)


cdef void _pop(int32_t* item, double* key, Py_ssize_t n) noexcept nogil:
    # The first of n goes behind the others.
    item[0], item[n - 1] = item[n - 1], item[0]
    key[0], key[n - 1] = key[n - 1], key[0]
    _sink(item, key, 0, n - 1)


cdef void _sink(int32_t* item, double* key, Py_ssize_t at, Py_ssize_t n) noexcept nogil:
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
