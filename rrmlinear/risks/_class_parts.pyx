"""The d × d parts of a `BlockHessian` for each two classes."""

from libc.stdint cimport int32_t, int64_t, uintptr_t

from rrmlinear.simd.blocks cimport block_stride, block_update
from rrmlinear.simd.rows cimport row_index, row_t, row_value, rows_get, rows_prefetch
from rrmlinear.data.rows cimport Rows

import numpy as np

from rrmlinear.core.deadline import check_time
from rrmlinear.data.rows import aligned_zeros

cdef enum:
    LOOKAHEAD = 3        # rows between a prefetch and its use
    ROWS_AT_ONCE = 8192  # rows between two looks at the clock
    LANES = 8            # numbers that one instruction adds


def pair_work(Rows rows not None, Py_ssize_t k, const int64_t[::1] row_of not None,
              const int64_t[::1] begin not None):
    """Estimates of (instructions of `pair_parts`, instructions of a matrix product for each two
    classes of each row): the smaller one tells which way to take.
    """
    cdef double stored = rows.n_stored, n = max(rows.shape[0], 1), d = rows.width, pairs = 0, m
    cdef Py_ssize_t a, lines = block_stride(k * (k - 1) // 2) // LANES
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
