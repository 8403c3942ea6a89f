"""The largest loss plus change of scores over labellings, and sums over all of them and over pairs.

Δ is a `Ratio`: concave in c. low and high are scores of positive examples, rising, and of negative
ones, falling: of all labellings with b and c wrong labels the b lowest and the c highest count.
"""

from math import comb

from libc.math cimport INFINITY, exp, ldexp, log
from libc.stdint cimport int32_t
from libc.string cimport memcpy

import numpy as np

from rrmlinear.core.deadline import check_time

cdef enum:
    DROPPED = 60    # cells below e^-60 of the largest are left out
    BLOCK = 16      # cells with one exponent: they span less than n^16
    SHIFT = 64      # an exponent grows by this where its block grows beyond 2^64
    KEPT = 32       # rows kept on the way forth, at least
    LEAF = 32       # examples whose rows are made again together, at least
    AT_ONCE = 512   # examples between two looks at the clock


cdef struct Table:
    double n, p, q, r, t, u


cdef Table table_of(double n, ratio):
    return Table(n, ratio.p, ratio.q, ratio.r, ratio.t, ratio.u)


cdef double loss_of(const Table* m, Py_ssize_t b, Py_ssize_t c) noexcept nogil:
    # n Δ(b, c)
    cdef double size = m.r + m.t * b + m.u * c
    return m.n * (m.p * b + m.q * c) / size if size > 0 else 0.0


cdef double rise_of(const Table* m, Py_ssize_t b, Py_ssize_t c) noexcept nogil:
    # n (Δ(b, c + 1) − Δ(b, c)), without a difference of near numbers
    cdef double least = m.r + m.t * b, size = least + m.u * c
    if size <= 0:
        return loss_of(m, b, c + 1)
    return m.n * (m.q * least - m.u * m.p * b) / (size * (size + m.u))


def most_violated(const double[::1] low not None, const double[::1] high not None, ratio):
    """(value, b, c): the largest n Δ(b, c) − Σ (b lowest of low) + Σ (c highest of high)."""
    cdef Py_ssize_t P = low.shape[0], N = high.shape[0], b, c, least, most, k = ratio.k
    cdef Table m = table_of(P + N, ratio)
    cdef double best = -INFINITY, value, lost = 0
    cdef Py_ssize_t best_b = 0, best_c = 0
    cdef double[::1] gained = np.concatenate(([0.0], np.cumsum(high)))
    if k >= 0:
        best = 0  # the true labelling
    with nogil:
        for b in range(P + 1):
            if b > 0:
                lost += low[b - 1]
            if k >= 0:
                c = k - P + b
                if c < 0 or c > N:
                    continue
            else:
                # Δ(b, ·) plus the gain is concave: the first c from which it does not rise
                c, most = 0, N
                while c < most:
                    least = (c + most) // 2
                    if rise_of(&m, b, least) + high[least] > 0:
                        c = least + 1
                    else:
                        most = least
            value = loss_of(&m, b, c) - lost + gained[c]
            if value > best:
                best, best_b, best_c = value, b, c
    return best, best_b, best_c


def loss_at(ratio, Py_ssize_t n, Py_ssize_t b, Py_ssize_t c):
    """n Δ(b, c)."""
    cdef Table m = table_of(n, ratio)
    return loss_of(&m, b, c)


def law_of_counts(const double[::1] lost not None, const double[::1] gained not None, ratio,
                  Py_ssize_t P, Py_ssize_t N, double mu):
    """(law of b, law of c, log Z, mean of n Δ) of weights e^(n Δ(b, c)/μ + lost_b + gained_c)/Z.

    ``lost`` and ``gained`` are logarithms, concave in b and in c, of the first counts; the others
    are negligible. With k ≠ P the true labelling, which is none of these, counts with weight 1.
    """
    cdef Py_ssize_t b, c, least, most, k = ratio.k, B = lost.shape[0], C = gained.shape[0]
    cdef int down
    cdef Table m = table_of(P + N, ratio)
    cdef double top, weight, total = 0, mean = 0, floor
    law_b, law_c, peaks = np.zeros(B), np.zeros(C), np.zeros(B, dtype=np.int64)
    cdef double[::1] of_b = law_b
    cdef double[::1] of_c = law_c
    cdef long long[::1] peak = peaks
    with nogil:
        top = 0 if k >= 0 and k != P else -INFINITY
        for b in range(B):
            if k >= 0:
                c = k - P + b
                peak[b] = c if 0 <= c < C else -1
                if peak[b] < 0:
                    continue
            else:
                c, most = 0, C - 1
                while c < most:
                    least = (c + most) // 2
                    if rise_of(&m, b, least) / mu + gained[least + 1] - gained[least] > 0:
                        c = least + 1
                    else:
                        most = least
                peak[b] = c
            top = max(top, loss_of(&m, b, c) / mu + lost[b] + gained[c])
        floor = top - DROPPED
        if k >= 0 and k != P:
            total = exp(-top)
        for b in range(B):
            if peak[b] < 0:
                continue
            for down in range(2):  # from the peak on, then from below it
                c = peak[b] - down
                while 0 <= c < C:
                    weight = loss_of(&m, b, c) / mu + lost[b] + gained[c]
                    if weight < floor:
                        break
                    weight = exp(weight - top)
                    of_b[b] += weight
                    of_c[c] += weight
                    mean += weight * loss_of(&m, b, c)
                    if k >= 0:  # the only c of this b
                        break
                    c += 1 - 2 * down
                if k >= 0:
                    break
        for b in range(B):
            total += of_b[b]
    return law_b / total, law_c / total, top + log(total), mean / total


def pair_sums(const double[::1] positive not None, const double[::1] negative not None, double mu):
    """(Σ φ(1 − p + q), sums of φ' for each p), φ(t) = t²/(2 μ), t − μ/2 from t = μ on, 0 up to 0.

    Both arrays rise: the pairs of a positive and a negative example take O(n).
    """
    cdef Py_ssize_t i, j = 0, full = 0, N = negative.shape[0]
    cdef double total = 0, first = 0, second = 0, rate = 1 / mu if mu > 0 else 0, t, down
    sums = np.empty(positive.shape[0])
    cdef double[::1] out = sums
    cdef double[::1] above = np.concatenate((np.cumsum(np.asarray(negative)[::-1])[::-1], [0.0]))
    with nogil:
        # first and second: the sums of t and t² over the negatives j … full − 1, of t in (0, μ)
        for i in range(positive.shape[0]):
            if i > 0 and j < full:
                down = positive[i] - positive[i - 1]
                second += down * ((full - j) * down - 2 * first)
                first -= (full - j) * down
            while full < N:
                t = 1 - positive[i] + negative[full]
                if t > 0 and t >= mu:
                    break
                first += t
                second += t * t
                full += 1
            while j < full and 1 - positive[i] + negative[j] <= 0:
                t = 1 - positive[i] + negative[j]
                first -= t
                second -= t * t
                j += 1
            if j == full:
                first = second = 0
            out[i] = (N - full) + max(first, 0.0) * rate
            total += max(second, 0.0) * rate / 2
            total += (N - full) * (1 - positive[i] - mu / 2) + above[full]
    return total, sums


cdef double BIG = ldexp(1.0, SHIFT)


cdef class _WayBack:
    # what the way back over the examples carries, and room for the rows of a leaf
    cdef double[::1] out, back
    cdef int32_t[::1] scale
    cdef double[:, ::1] rows
    cdef int32_t[:, ::1] scales

    def __cinit__(self, Py_ssize_t count, Py_ssize_t n_blocks):
        self.rows = np.empty((count, n_blocks * BLOCK))
        self.scales = np.empty((count, n_blocks), dtype=np.int32)


cdef class FlipCounts:
    """The number of wrong labels among examples with log odds ``x``, falling, up to ``cap``.

    e_v = Σ over v of the examples of Π r_i, r_i = e^x_i. With R_v = r_1 … r_v the ratio a_v =
    e_v/R_v is at least 1, and neighbours differ at most by the factor n. So cells of one block
    share an exponent and nothing overflows or is lost. Rows are a_k = a over the first k examples:
    a_k(v) = a_{k−1}(v) + (r_k/r_v) a_{k−1}(v − 1). Source: Zhang, Saha and Vishwanathan,
    Regularized Risk Minimization by Nesterov's Accelerated Gradient Methods, (63) and algorithms 5
    and 6.

    `KEPT` rows of ``cap`` are kept, or n / 2 cap if that is more, and `LEAF` or as many again are
    made at a time: memory is O(n). Rows between are made again from the nearest kept, each up to r
    times if n / LEAF ≤ C(KEPT − 1 + r, r): r is 1 for n up to 1 000, 2 up to 16 000, 3 up to
    190 000 and 4 up to 1.6 million. Source of the places: Griewank and Walther, Algorithm 799:
    revolve, 2000.
    """

    cdef readonly Py_ssize_t n, cap
    #: Rows in memory.
    cdef readonly Py_ssize_t rows
    cdef Py_ssize_t n_blocks, slots, leaf
    cdef const double[::1] x
    cdef double[::1] step, last
    cdef double[:, ::1] kept
    cdef int32_t[:, ::1] kept_scales
    cdef double[::1] row
    cdef int32_t[::1] scale
    cdef list places        # of the rows kept by the last run over all examples

    def __cinit__(self, const double[::1] x not None, Py_ssize_t cap):
        self.x, self.n, self.cap = x, x.shape[0], min(cap, x.shape[0])
        self.n_blocks = self.cap // BLOCK + 1
        cells = self.n_blocks * BLOCK
        # x of the last count of each block, and e^(that − x_v)
        ends = np.minimum(np.arange(1, self.n_blocks + 1) * BLOCK - 1, self.cap)
        values = np.concatenate((np.asarray(x)[:1], np.asarray(x)[:self.cap]))
        last = values[ends] if self.n else np.zeros(self.n_blocks)
        step = np.zeros(cells)
        step[1:self.cap + 1] = np.exp(np.repeat(last, BLOCK)[1:self.cap + 1] - values[1:])
        self.last, self.step = last, step
        more = self.n // (2 * self.cap + 2)
        self.leaf = max(LEAF, more)
        self.slots = min(max(KEPT, more), self.n // self.leaf + 1)
        self.rows = self.slots + min(self.n, self.leaf) + 1
        self.kept = np.empty((self.slots, cells))
        self.kept_scales = np.empty((self.slots, self.n_blocks), dtype=np.int32)
        self.row, self.scale = np.zeros(cells), np.zeros(self.n_blocks, dtype=np.int32)
        self._forward()

    def _forward(self):
        # the row of all examples, and rows kept for the way back
        cdef Py_ssize_t begin = 0, slot = 0
        np.asarray(self.kept)[0], np.asarray(self.kept_scales)[0] = 0, 0
        self.kept[0, 0] = 1
        self.places = [0]
        while self.n - begin > self.leaf:
            begin = self._split(begin, self.n, slot)
            self._advance(self.places[slot], begin, slot, slot + 1)
            self.places.append(begin)
            slot += 1
        self._copy(slot, np.asarray(self.row), np.asarray(self.scale))
        self._run_some(begin, self.n, &self.row[0], &self.scale[0])

    cdef _copy(self, Py_ssize_t slot, row, scale):
        row[:], scale[:] = self.kept[slot], self.kept_scales[slot]

    cdef _advance(self, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t slot, Py_ssize_t to):
        # slot ``to`` ← the row at ``end`` from that at ``begin``
        self._copy(slot, np.asarray(self.kept)[to], np.asarray(self.kept_scales)[to])
        self._run_some(begin, end, &self.kept[to, 0], &self.kept_scales[to, 0])

    cdef _run_some(self, Py_ssize_t begin, Py_ssize_t end, double* a, int32_t* scale):
        cdef Py_ssize_t first
        for first in range(begin, end, AT_ONCE):
            check_time()
            with nogil:
                self._run(first, min(first + AT_ONCE, end), a, scale)

    def _split(self, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t slot):
        # where the next row is kept, so that both parts need the fewest rows again
        leaves, free, times = (end - begin + self.leaf - 1) // self.leaf, self.slots - 1 - slot, 1
        while comb(free + times, times) < leaves:
            times += 1
        return begin + self.leaf * max(1, leaves - comb(free - 1 + times, times))

    def logs(self):
        """log(e_v) for v = 0 … cap."""
        count = self.cap + 1
        exponents = np.repeat(np.asarray(self.scale), BLOCK)[:count]
        sums = np.concatenate(([0.0], np.cumsum(np.asarray(self.x)[:self.cap])))
        return np.log(np.asarray(self.row)[:count]) + np.log(2.0) * exponents + sums

    def marginals(self, law):
        """The probability of each example to be among v that are drawn by weight, v by ``law``."""
        if self.places is None:
            self._forward()
        result, back = np.zeros(self.n), np.zeros(self.n_blocks * BLOCK)
        back[:self.cap + 1] = law / np.asarray(self.row)[:self.cap + 1]
        way = _WayBack(max(1, min(self.n, self.leaf)), self.n_blocks)
        way.out, way.back, way.scale = result, back, np.array(self.scale)
        places, self.places = self.places, None
        end = self.n
        for slot in range(len(places) - 1, -1, -1):
            self._return(places[slot], end, slot, way)
            end = places[slot]
        return np.minimum(result, 1.0)

    def _return(self, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t slot, _WayBack way not None):
        # back over examples end − 1 … begin; slot holds the row at begin, those after it are free
        cdef Py_ssize_t k, middle
        cdef double[:, ::1] a = way.rows
        cdef int32_t[:, ::1] e = way.scales
        if end - begin > self.leaf:
            middle = self._split(begin, end, slot)
            self._advance(begin, middle, slot, slot + 1)
            self._return(middle, end, slot + 1, way)
            self._return(begin, middle, slot, way)
            return
        check_time()
        if end == begin:
            return
        self._copy(slot, np.asarray(a)[0], np.asarray(e)[0])
        with nogil:
            for k in range(begin, end - 1):
                memcpy(&a[k - begin + 1, 0], &a[k - begin, 0], a.shape[1] * sizeof(double))
                memcpy(&e[k - begin + 1, 0], &e[k - begin, 0], e.shape[1] * sizeof(int32_t))
                self._run(k, k + 1, &a[k - begin + 1, 0], &e[k - begin + 1, 0])
            for k in range(end - 1, begin - 1, -1):
                way.out[k] = self._back(
                    k, &a[k - begin, 0], &e[k - begin, 0], &way.back[0], &way.scale[0]
                )

    cdef double _front(self, Py_ssize_t k, Py_ssize_t v) noexcept nogil:
        return exp(self.x[k] - self.x[v - 1])

    cdef void _run(self, Py_ssize_t begin, Py_ssize_t end, double* a,
                   int32_t* scale) noexcept nogil:
        # a ← rows of examples begin … end − 1
        cdef Py_ssize_t k, v, t, block, first, top
        cdef double factor, carry
        cdef double before[BLOCK]
        for k in range(begin, end):
            top = min(k + 1, self.cap)
            for block in range(top // BLOCK, -1, -1):
                first = block * BLOCK
                carry = 0
                if block > 0:
                    carry = a[first - 1]
                    if scale[block - 1] != scale[block]:
                        carry = ldexp(carry, scale[block - 1] - scale[block])
                if k + 1 < self.cap and first + BLOCK > k + 1:
                    # the front: counts up to k + 1 alone
                    for v in range(top, first, -1):
                        a[v] += self._front(k, v) * a[v - 1]
                    if first > 0:
                        a[first] += self._front(k, first) * carry
                else:
                    before[0] = carry
                    memcpy(&before[1], a + first, (BLOCK - 1) * sizeof(double))
                    factor = exp(self.x[k] - self.last[block])
                    for t in range(BLOCK):
                        a[first + t] += factor * self.step[first + t] * before[t]
                if a[first] > BIG:
                    for t in range(BLOCK):
                        a[first + t] /= BIG
                    scale[block] += SHIFT

    cdef double _back(self, Py_ssize_t k, const double* a, const int32_t* scale, double* back,
                      int32_t* known) noexcept nogil:
        # back ← the weights of what follows, from after example k to before it; the mass that takes
        # it. back is in units of 2^-exponent of the row, so that a[v] back[v] is a probability.
        cdef Py_ssize_t v, t, block, first, top = min(k + 1, self.cap)
        cdef double factor, taken = 0, moved
        cdef double moves[BLOCK]
        for block in range(top // BLOCK + 1):
            if known[block] != scale[block]:
                factor = ldexp(1.0, scale[block] - known[block])
                for t in range(BLOCK):
                    back[block * BLOCK + t] *= factor
                known[block] = scale[block]
        for block in range(top // BLOCK + 1):
            first = block * BLOCK
            if k + 1 < self.cap and first + BLOCK > k + 1:
                for t in range(BLOCK):
                    v = first + t
                    moves[t] = self._front(k, v) * back[v] if 1 <= v <= top else 0.0
            else:
                factor = exp(self.x[k] - self.last[block])
                for t in range(BLOCK):
                    moves[t] = factor * self.step[first + t] * back[first + t]
            if block > 0:
                moved = moves[0]
                if scale[block - 1] != scale[block]:
                    moved = ldexp(moved, scale[block - 1] - scale[block])
                taken += a[first - 1] * moved
                back[first - 1] += moved
            for t in range(1, BLOCK):
                taken += a[first + t - 1] * moves[t]
                back[first + t - 1] += moves[t]
        return taken
