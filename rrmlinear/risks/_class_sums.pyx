"""Sums over active rows with rates for classes, and their d × d parts for each two classes: the
loops of `BlockHessian`.
"""

from libc.stdint cimport int32_t, int64_t, uintptr_t

from rrmlinear.simd.blocks cimport block_scores, block_stride, block_update
from rrmlinear.simd.products cimport row_axpy
from rrmlinear.simd.rows cimport row_index, row_t, row_value, rows_get, rows_prefetch
from rrmlinear.data.rows cimport Rows

import numpy as np

from rrmlinear.core.deadline import check_time
from rrmlinear.data.rows import aligned_zeros

cdef enum:
    LOOKAHEAD = 3        # rows between a prefetch and its use
    ROWS_AT_ONCE = 8192  # rows between two looks at the clock
    LANES = 8            # numbers that one instruction adds


cdef class ClassSums:
    """Sums of x_a x_a' ⊗ M_a over active rows, with Z, L and M as in `BlockHessian`."""

    cdef readonly Rows rows
    cdef readonly object active            # rows of two classes or more
    cdef readonly object begin             # where the classes of an active row begin, and the end
    cdef readonly object classes
    cdef readonly object rates             # e
    cdef readonly object shares            # e / Σe
    cdef readonly Py_ssize_t k
    cdef Py_ssize_t stride
    cdef const int64_t[::1] row_of
    cdef const int64_t[::1] first
    cdef const int32_t[::1] label
    cdef const double[::1] rate
    cdef const double[::1] share
    cdef const double[::1] root            # by terms (i, j)
    cdef const double[::1] tilt

    def __init__(self, Rows rows not None, Py_ssize_t k, active, begin, classes, rates, shares,
                 root, tilt):
        self.rows, self.k, self.stride = rows, k, block_stride(k)
        self.active = self.row_of = active
        self.begin = self.first = begin
        self.classes = self.label = classes
        self.rates = self.rate = rates
        self.shares = self.share = shares
        self.root, self.tilt = root, tilt

    @property
    def size(self):
        """The number of rows of Z."""
        return self.root.shape[0]

    def padded(self):
        """Zeros for weights d × k, whose rows are as long and aligned as kernels need them."""
        return aligned_zeros(max(self.rows.width, 1), self.stride)

    def forward(self, p, double[::1] terms=None, double[:, ::1] sums=None):
        """Z p into terms, or Z'Z p into sums, which are padded."""
        padded = self.padded()
        padded[:self.rows.width, :self.k] = np.reshape(p, (self.rows.width, self.k))
        cdef Py_ssize_t k8 = (self.k + 7) // 8 * 8
        memory = aligned_zeros(3, k8)
        cdef double[:, ::1] weights = padded
        cdef double* line = <double*> <uintptr_t> memory.ctypes.data
        cdef double* steps = line + k8
        cdef double* u = steps + k8
        cdef Py_ssize_t a, j, t, m, s = 0, first, last
        cdef double base, dot
        cdef row_t row
        for first, last in self.rows.spans_among(self.active):
            with nogil:
                for a in range(first, last):
                    row = rows_get(&self.rows.c, self.row_of[a])
                    block_scores(&row, &weights[0, 0], self.stride, self.stride, line)
                    t, m = self.first[a], self.first[a + 1] - self.first[a] - 1
                    base, dot = line[self.label[t]], 0
                    for j in range(m):
                        u[j] = self.root[s + j] * (line[self.label[t + 1 + j]] - base)
                        dot += self.tilt[s + j] * u[j]
                    for j in range(m):
                        u[j] -= self.tilt[s + j] * dot
                    if sums is None:
                        for j in range(m):
                            terms[s + j] = u[j]
                    else:
                        self._add(a, s, u, steps, &row, &sums[0, 0])
                    s += m

    def backward(self, const double[::1] y not None, double[:, ::1] sums not None):
        """Add Z'y to sums, which are padded."""
        memory = aligned_zeros(1, (self.k + 7) // 8 * 8)
        cdef double* steps = <double*> <uintptr_t> memory.ctypes.data
        cdef Py_ssize_t a, s = 0, first, last
        cdef row_t row
        for first, last in self.rows.spans_among(self.active):
            with nogil:
                for a in range(first, last):
                    row = rows_get(&self.rows.c, self.row_of[a])
                    self._add(a, s, &y[s], steps, &row, &sums[0, 0])
                    s += self.first[a + 1] - self.first[a] - 1

    cdef void _add(self, Py_ssize_t a, Py_ssize_t s, const double* u, double* steps,
                   const row_t* row, double* sums) noexcept nogil:
        # sums += x_a times the steps L u of its classes; steps are 0 before and after
        cdef Py_ssize_t j, t = self.first[a] + 1, m = self.first[a + 1] - t
        cdef double dot = 0, total = 0, step
        for j in range(m):
            dot += self.tilt[s + j] * u[j]
        for j in range(m):
            step = self.root[s + j] * (u[j] - self.tilt[s + j] * dot)
            steps[self.label[t + j]] = step
            total += step
        steps[self.label[t - 1]] = -total
        block_update(row, sums, self.stride, steps)
        for j in range(-1, m):
            steps[self.label[t + j]] = 0

    def diagonal(self):
        """Its diagonal."""
        result = np.zeros((self.rows.width, self.k))
        cdef double[:, ::1] out = result
        cdef Py_ssize_t a, j, t, begin, first, last
        cdef double x, entry, others
        cdef row_t row
        for first, last in self.rows.spans_among(self.active):
            with nogil:
                for a in range(first, last):
                    row = rows_get(&self.rows.c, self.row_of[a])
                    begin, others = self.first[a], 0
                    for j in range(begin + 1, self.first[a + 1]):
                        others += self.rate[j]
                    for j in range(begin, self.first[a + 1]):
                        # without cancellation: the first rate is the largest
                        entry = others
                        if j != begin:
                            entry += self.rate[begin] - self.rate[j]
                        entry *= self.share[j]
                        for t in range(row.length):
                            x = row_value(&row, row.kind, t)
                            out[row_index(&row, row.kind, t), self.label[j]] += entry * x * x
                        if row.bias != 0:
                            out[row.bias_index, self.label[j]] += entry * row.bias * row.bias
        return result.ravel()

    def of_ones(self):
        """Σ M_i, k × k: the matrix for one feature of value 1."""
        result = np.zeros((self.k, self.k))
        cdef double[:, ::1] out = result
        cdef Py_ssize_t a, j, t
        with nogil:
            for a in range(self.row_of.shape[0]):
                for j in range(self.first[a], self.first[a + 1]):
                    for t in range(self.first[a], j):
                        out[self.label[j], self.label[t]] -= self.rate[j] * self.share[t]
        result += result.T
        np.fill_diagonal(result, -result.sum(axis=1))
        return result

    def by_classes(self, Py_ssize_t begin, Py_ssize_t end):
        """(e, e / Σe) of active rows begin … end − 1, k × rows."""
        rates, shares = np.zeros((self.k, end - begin)), np.zeros((self.k, end - begin))
        cdef double[:, ::1] e = rates, out = shares
        cdef Py_ssize_t a, j
        with nogil:
            for a in range(begin, end):
                for j in range(self.first[a], self.first[a + 1]):
                    e[self.label[j], a - begin] = self.rate[j]
                    out[self.label[j], a - begin] = self.share[j]
        return rates, shares

    def copied(self, Py_ssize_t begin, Py_ssize_t end):
        """Active rows begin … end − 1 as a dense matrix."""
        result = np.zeros((end - begin, self.rows.width))
        cdef double[:, ::1] out = result
        cdef Py_ssize_t a, first, last
        cdef row_t row
        if self.rows.width:
            for first, last in self.rows.spans_among(self.active[begin:end]):
                with nogil:
                    for a in range(begin + first, begin + last):
                        row = rows_get(&self.rows.c, self.row_of[a])
                        row_axpy(&row, 1, &out[a - begin, 0])
        return result

    def bind(self, double[:, ::1] out not None):
        """out = L' out L."""
        cdef Py_ssize_t s, t, a, p = self.root.shape[0], begin, end
        cdef double dot
        line = np.empty(p)
        cdef double[::1] sums = line
        with nogil:
            for s in range(p):
                for t in range(p):
                    out[s, t] *= self.root[s] * self.root[t]
            for a in range(self.row_of.shape[0]):
                begin, end = self.first[a] - a, self.first[a + 1] - a - 1
                sums[:] = 0
                for s in range(begin, end):
                    for t in range(p):
                        sums[t] += self.tilt[s] * out[s, t]
                for s in range(begin, end):
                    for t in range(p):
                        out[s, t] -= self.tilt[s] * sums[t]
            for s in range(p):
                for a in range(self.row_of.shape[0]):
                    begin, end = self.first[a] - a, self.first[a + 1] - a - 1
                    dot = 0
                    for t in range(begin, end):
                        dot += self.tilt[t] * out[s, t]
                    for t in range(begin, end):
                        out[s, t] -= self.tilt[t] * dot


def pair_work(Rows rows not None, Py_ssize_t k, const int64_t[::1] row_of not None,
              const int64_t[::1] begin not None):
    """Estimates of (instructions of `pair_parts`, instructions of a matrix product for each two
    classes of each row): the smaller one decides.
    """
    cdef double stored = rows.n_stored, n = max(rows.shape[0], 1), d = rows.width, pairs = 0, m
    cdef Py_ssize_t a, lines = max(1, block_stride(k * (k - 1) // 2) // LANES)
    for a in range(row_of.shape[0]):
        m = begin[a + 1] - begin[a]
        pairs += m * (m - 1) / 2
    return row_of.shape[0] * (stored / n) ** 2 / 2 * lines, pairs * d * d / LANES


def pair_parts(Rows rows not None, Py_ssize_t k, const int64_t[::1] row_of not None,
               const int64_t[::1] begin not None, const int32_t[::1] classes not None,
               const double[::1] rate not None, const double[::1] share not None):
    """Σ_i (e_j e_l / Σe) x_i x_i' of classes l < j, k (k − 1)/2 × d × d.

    A pair is two classes; pair (j, l) stands at j (j − 1)/2 + l. The sums hold the pairs of two
    features side by side, so that a vector instruction adds several pairs of a row at once.
    """
    cdef Py_ssize_t d = rows.width, n_pairs = k * (k - 1) // 2, a, first, n
    cdef Py_ssize_t stride = block_stride(n_pairs), f
    sums = aligned_zeros(max(d * (d + 1) // 2, 1), stride)   # features g ≤ f at f (f + 1)/2 + g
    memory = aligned_zeros(2, stride)
    cdef double[:, ::1] table = sums
    cdef double* weights = <double*> <uintptr_t> memory.ctypes.data
    for first, n in rows.spans_among(np.asarray(row_of)):
        a = first
        while a < n:
            check_time()
            with nogil:
                for a in range(a, min(a + ROWS_AT_ONCE, n)):
                    if a + LOOKAHEAD < n:
                        rows_prefetch(&rows.c, row_of[a + LOOKAHEAD])
                    _add(rows, row_of[a], begin[a], begin[a + 1], classes, rate, share, weights,
                         weights + stride, stride, &table[0, 0])
            a += 1
    result = np.empty((n_pairs, d, d))
    for f in range(d):
        line = sums[f * (f + 1) // 2:(f + 1) * (f + 2) // 2, :n_pairs].T
        result[:, f, :f + 1] = line
        result[:, :f + 1, f] = line
    return result


cdef void _add(Rows rows, Py_ssize_t i, Py_ssize_t begin, Py_ssize_t end,
               const int32_t[::1] classes, const double[::1] rate, const double[::1] share,
               double* weights, double* steps, Py_ssize_t stride, double* table) noexcept nogil:
    # adds example i. `weights` has a number for each pair; it is 0 before and after
    cdef Py_ssize_t s, t, p, f, j, other
    cdef row_t row = rows_get(&rows.c, i), part = row
    cdef double x
    for s in range(begin, end):
        for t in range(begin, s):
            j, other = max(classes[s], classes[t]), min(classes[s], classes[t])
            weights[j * (j - 1) // 2 + other] = rate[t] * share[s]
    part.bias = 0
    for t in range(row.length):
        x, f = row_value(&row, row.kind, t), row_index(&row, row.kind, t)
        part.length = t + 1
        for p in range(stride):
            steps[p] = x * weights[p]
        block_update(&part, table + f * (f + 1) // 2 * stride, stride, steps)
    if row.bias != 0:
        for p in range(stride):
            steps[p] = row.bias * weights[p]
        f = row.bias_index
        block_update(&row, table + f * (f + 1) // 2 * stride, stride, steps)
    for s in range(begin, end):
        for t in range(begin, s):
            j, other = max(classes[s], classes[t]), min(classes[s], classes[t])
            weights[j * (j - 1) // 2 + other] = 0
