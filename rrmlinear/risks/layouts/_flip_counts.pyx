"""The number of wrong labels among examples with given odds: forward and backward recursions.

e_v = Σ over v of the examples of Π r_i, r_i = e^x_i falling. With R_v = r_1 … r_v the ratio
a_v = e_v/R_v is at least 1, and neighbours differ at most by the factor n. So cells of one block
share an exponent and nothing overflows or is lost. Rows are a_k = a over the first k examples:
a_k(v) = a_{k−1}(v) + (r_k/r_v) a_{k−1}(v − 1). Source: Zhang, Saha and Vishwanathan, Regularized
Risk Minimization by Nesterov's Accelerated Gradient Methods, (63) and algorithms 5 and 6.
"""

from libc.math cimport exp, ldexp
from libc.stdint cimport int32_t
from libc.string cimport memcpy

import numpy as np

from rrmlinear.core.deadline import check_time

cdef enum:
    BLOCK = 16      # cells with one exponent: they span less than n^16
    SHIFT = 64      # an exponent grows by this where its block grows beyond 2^64


cdef double BIG = ldexp(1.0, SHIFT)


cdef class FlipCounts:
    """Counts up to ``cap`` of examples with log odds ``x``, falling.

    Rows are kept at every √n-th example and made again between, so that memory is O(cap √n).
    """

    cdef readonly Py_ssize_t n, cap
    cdef Py_ssize_t n_blocks, every
    cdef const double[::1] x
    cdef double[::1] step, last
    cdef double[:, ::1] kept
    cdef int32_t[:, ::1] kept_scales
    cdef double[::1] row
    cdef int32_t[::1] scale

    def __cinit__(self, const double[::1] x not None, Py_ssize_t cap):
        cdef Py_ssize_t begin
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
        self.every = max(1, int(np.sqrt(self.n)))
        kept = self.n // self.every + 1
        self.kept = np.zeros((kept, cells))
        self.kept_scales = np.zeros((kept, self.n_blocks), dtype=np.int32)
        row, scale = np.zeros(cells), np.zeros(self.n_blocks, dtype=np.int32)
        row[0] = 1
        self.row, self.scale = row, scale
        for begin in range(0, self.n, self.every):
            check_time()
            np.asarray(self.kept)[begin // self.every] = row
            np.asarray(self.kept_scales)[begin // self.every] = scale
            with nogil:
                self._run(begin, min(begin + self.every, self.n), &self.row[0], &self.scale[0])

    def logs(self):
        """log(e_v) for v = 0 … cap."""
        count = self.cap + 1
        exponents = np.repeat(np.asarray(self.scale), BLOCK)[:count]
        sums = np.concatenate(([0.0], np.cumsum(np.asarray(self.x)[:self.cap])))
        return np.log(np.asarray(self.row)[:count]) + np.log(2.0) * exponents + sums

    def marginals(self, law):
        """The probability of each example to be among v that are drawn by weight, v by ``law``."""
        result = np.zeros(self.n)
        cdef double[::1] out = result
        cdef double[::1] back = np.zeros(self.n_blocks * BLOCK)
        cdef int32_t[::1] scale = np.array(self.scale)
        rows = np.empty((self.every + 1, self.n_blocks * BLOCK))
        scales = np.empty((self.every + 1, self.n_blocks), dtype=np.int32)
        cdef double[:, ::1] a = rows
        cdef int32_t[:, ::1] e = scales
        cdef Py_ssize_t begin, end, k, count = self.cap + 1
        np.asarray(back)[:count] = law / np.asarray(self.row)[:count]
        for begin in range((self.n - 1) // self.every * self.every, -1, -self.every):
            check_time()
            end = min(begin + self.every, self.n)
            rows[0] = np.asarray(self.kept)[begin // self.every]
            scales[0] = np.asarray(self.kept_scales)[begin // self.every]
            with nogil:
                for k in range(begin, end - 1):
                    memcpy(&a[k - begin + 1, 0], &a[k - begin, 0], a.shape[1] * sizeof(double))
                    memcpy(&e[k - begin + 1, 0], &e[k - begin, 0], e.shape[1] * sizeof(int32_t))
                    self._run(k, k + 1, &a[k - begin + 1, 0], &e[k - begin + 1, 0])
                for k in range(end - 1, begin - 1, -1):
                    out[k] = self._back(k, &a[k - begin, 0], &e[k - begin, 0], &back[0], &scale[0])
        return np.minimum(result, 1.0)

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
