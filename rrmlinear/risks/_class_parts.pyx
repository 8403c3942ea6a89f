"""The d × d parts of a `BlockHessian`: for each two classes, and of each class with itself."""

from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uintptr_t
from libc.string cimport memset

from rrmlinear.simd.blocks cimport block_stride, block_update
from rrmlinear.simd.rows cimport row_index, row_t, row_value, rows_get, rows_prefetch
from rrmlinear.data.rows cimport Rows

import numpy as np

from rrmlinear.core.blas import linear_algebra
from rrmlinear.core.deadline import check_time
from rrmlinear.data.rows import aligned_zeros

# Rows of a class that are multiplied at once: the most, the least, and as many as make this number
# of entries of all classes.
MOST_ROWS, LEAST_ROWS, ENTRIES = 1024, 256, 8_000_000

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


cdef struct active_t:       # the classes whose derivatives move, row by row, as in `BlockHessian`
    const int64_t* row_of
    const int64_t* begin
    const int32_t* classes
    const double* rate
    const double* share
    Py_ssize_t n


cdef struct room_t:         # the rows held for each class, and what decides which are taken
    double* chance          # min(1, m_ij times this); 0: all rows
    double* rest
    int64_t* fill           # rows held
    float* line             # k × most × d numbers
    const double* scale
    Py_ssize_t most
    Py_ssize_t d


def class_parts(Rows rows not None, Py_ssize_t k, const int64_t[::1] row_of not None,
                const int64_t[::1] begin not None, const int32_t[::1] classes not None,
                const double[::1] rate not None, const double[::1] share not None,
                const double[::1] scale not None, Py_ssize_t most):
    """Lower triangles of S Σ_i m_ij x_i x_i' S, float32, k × d × d, for S = diag(scale).

    m_ij is the j-th diagonal entry of M_i. A class with more than ``most`` rows takes a sample of
    about this number, each with a chance that rises with m_ij, and m_ij over that chance.
    """
    ssyrk = linear_algebra("scipy.linalg.blas").ssyrk

    cdef Py_ssize_t a, n = row_of.shape[0], d = rows.width, j, end
    result = np.zeros((k, d, d), dtype=np.float32)
    if d == 0 or n == 0:
        return result
    cdef Py_ssize_t most_rows = min(MOST_ROWS, max(LEAST_ROWS, ENTRIES // (k * d)))
    held = np.zeros((k, most_rows, d), dtype=np.float32)
    filled, left, sums = np.zeros(k, dtype=np.int64), np.full(k, 0.5), np.zeros(k)
    cdef float[:, :, ::1] line = held
    cdef int64_t[::1] fill = filled
    cdef double[::1] rest = left, chance = sums
    counts = np.zeros(k, dtype=np.int64)
    cdef int64_t[::1] count = counts
    cdef active_t active = active_t(&row_of[0], &begin[0], &classes[0], &rate[0], &share[0], n)
    cdef room_t room = room_t(&chance[0], &rest[0], &fill[0], &line[0, 0, 0], &scale[0], most_rows,
                              d)
    _totals(&active, &chance[0], &count[0])
    for j in range(k):
        chance[j] = most / chance[j] if count[j] > most else 0
    for a, end in rows.spans_among(np.asarray(row_of)):
        while a < end:
            check_time()
            with nogil:
                a = _fill(rows, &active, a, end, &room)
            for j in range(k):
                if fill[j] == most_rows or a == n:
                    part = result[j].T
                    ssyrk(1.0, held[j, :fill[j]].T, beta=1.0, c=part, overwrite_c=True)
                    memset(&line[j, 0, 0], 0, fill[j] * d * sizeof(float))
                    fill[j] = 0
    return result


cdef inline double _other_rates(const active_t* active, Py_ssize_t a) noexcept nogil:
    # of all classes of a row but the first, which has the largest
    cdef Py_ssize_t j
    cdef double total = 0
    for j in range(active.begin[a] + 1, active.begin[a + 1]):
        total += active.rate[j]
    return total


cdef inline double _entry(const active_t* active, Py_ssize_t a, Py_ssize_t j,
                          double others) noexcept nogil:
    # e_j (1 − e_j / Σe) without cancellation: the first rate is at least e_j
    cdef Py_ssize_t first = active.begin[a]
    if j != first:
        others += active.rate[first] - active.rate[j]
    return active.share[j] * others


cdef void _totals(const active_t* active, double* total, int64_t* count) noexcept nogil:
    cdef Py_ssize_t a, j
    cdef double others
    for a in range(active.n):
        others = _other_rates(active, a)
        for j in range(active.begin[a], active.begin[a + 1]):
            total[active.classes[j]] += _entry(active, a, j, others)
            count[active.classes[j]] += 1


cdef Py_ssize_t _fill(Rows rows, const active_t* active, Py_ssize_t a, Py_ssize_t end,
                      const room_t* room) noexcept nogil:
    # rows times √m_ij to the room of their classes, from row a until one is full or to row ``end``;
    # the row after
    cdef const double* scale = room.scale
    cdef Py_ssize_t j, t, c
    cdef double weight, root, probability, others
    cdef float* line
    cdef bint full = False
    cdef row_t row
    while a < end and not full:
        if a + LOOKAHEAD < end:
            rows_prefetch(&rows.c, active.row_of[a + LOOKAHEAD])
        row = rows_get(&rows.c, active.row_of[a])
        others = _other_rates(active, a)
        for j in range(active.begin[a], active.begin[a + 1]):
            c = active.classes[j]
            weight = _entry(active, a, j, others)
            if room.chance[c] > 0:
                # every row at which the sum of chances passes a whole number
                probability = min(1.0, weight * room.chance[c])
                room.rest[c] += probability
                if room.rest[c] < 1:
                    continue
                room.rest[c] -= 1
                weight /= probability
            if not weight > 0:
                continue
            root = sqrt(weight)
            line = room.line + (c * room.most + room.fill[c]) * room.d
            for t in range(row.length):
                line[row_index(&row, row.kind, t)] = <float> (
                    root * row_value(&row, row.kind, t) * scale[row_index(&row, row.kind, t)]
                )
            if row.bias != 0:
                line[row.bias_index] = <float> (root * row.bias * scale[row.bias_index])
            room.fill[c] += 1
            full = full or room.fill[c] == room.most
        a += 1
    return a
