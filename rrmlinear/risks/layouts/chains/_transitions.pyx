"""Weights of pairs of neighbours, ready for the sums over labellings of a sequence."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uintptr_t

from rrmlinear.data.rows cimport Rows
from rrmlinear.simd.chains.labels cimport (
    CHAIN_MAX_RANGE, chain_outer, chain_padded, chain_pairs_t, chain_tables, chain_transitions,
)
from rrmlinear.simd.rows cimport row_index, row_t, row_value, rows_get

from rrmlinear.data.rows import aligned_zeros


cdef class Transitions:
    """Weights of pairs of neighbours, times a ``scale``: T, k × k, the same for all pairs.

    They are held as exponentials, or as logarithms where they span too much for them; for the
    ``best`` labelling as they are. Those that are ``fixed`` are made once, others for one sequence
    after the other from ``weights`` as they are then. So are those with features of ``edges``,
    which differ from edge to edge: Σ_f x_f V_f + T. ``weights`` are then T, the first k rows,
    and k rows V_f for each feature; ``edges`` has a row for each pair of neighbours, those of a
    sequence one after the other.
    """

    def __init__(self, const double[:, ::1] weights not None, double scale=1.0, bint best=False,
                 Rows edges=None, bint fixed=True):
        cdef Py_ssize_t k = weights.shape[1], k8 = (k + 7) // 8 * 8
        cdef double* rows
        self.k, self.k8, self.scale, self.best, self.weights = k, k8, scale, best, weights
        self.edges, self.fixed = edges, fixed and edges is None
        if self.fixed:
            self.memory = aligned_zeros(2 * k, k8)
            rows = <double*> <uintptr_t> self.memory.ctypes.data
            self.constant = made(&weights[0, 0], k, k8, scale, best, rows, rows + k * k8)
            self.logarithms = self.constant.logarithms

    cdef Py_ssize_t room(self, Py_ssize_t most) noexcept nogil:
        if self.fixed:
            return 1
        return self.tables(most) * (2 * self.k * self.k8 + self.k * self.k)

    cdef Py_ssize_t tables(self, Py_ssize_t most) noexcept nogil:
        return 1 if self.edges is None else max(most, 1)

    cdef chain_pairs_t of(self, Py_ssize_t s, Py_ssize_t first, Py_ssize_t length,
                          double* room) noexcept nogil:
        cdef Py_ssize_t k = self.k, k2 = k * k, size = self.k * self.k8, t, p
        cdef chain_pairs_t result
        cdef double* weights = room + 2 * size * length
        cdef double* table
        cdef bint best = self.best
        cdef row_t row
        if self.edges is None:
            result = self.constant
            if not self.fixed:
                result = made(&self.weights[0, 0], k, self.k8, self.scale, best, room,
                              NULL if best else room + size)
            result.top *= length - 1
            return result
        for t in range(1, length):
            table = weights + t * k2
            for p in range(k2):
                table[p] = (&self.weights[0, 0])[p]
            row = rows_get(&self.edges.c, first - s + t - 1)
            for p in range(row.length):
                add(row_value(&row, row.kind, p),
                    &self.weights[(1 + row_index(&row, row.kind, p)) * k, 0], k2, table)
            best = best or not spans_little(table, k2, self.scale)
        result.rows, result.transposed, result.weights = room, room + size * length, weights
        result.step, result.weights_step, result.logarithms = size, k2, best
        result.top = 0
        for t in range(1, length):
            if self.best:
                chain_padded(weights + t * k2, k, self.k8, self.scale, room + t * size, NULL)
            elif best:
                chain_padded(weights + t * k2, k, self.k8, self.scale, room + t * size,
                             room + (length + t) * size)
            else:
                result.top += chain_transitions(weights + t * k2, k, self.k8, self.scale,
                                                room + t * size, room + (length + t) * size)
        return result

    cdef double score(self, Py_ssize_t s, Py_ssize_t first, Py_ssize_t length,
                      const int32_t* y) noexcept nogil:
        cdef double total = 0
        cdef Py_ssize_t t, p
        cdef row_t row
        for t in range(1, length):
            total += self.weights[y[t - 1], y[t]]
        for t in range(1, 1 if self.edges is None else length):
            row = rows_get(&self.edges.c, first - s + t - 1)
            for p in range(row.length):
                total += (row_value(&row, row.kind, p) * self.weights[
                    (1 + row_index(&row, row.kind, p)) * self.k + y[t - 1], y[t]])
        return total

    cdef void count(self, Py_ssize_t s, Py_ssize_t first, Py_ssize_t length, const int32_t* y,
                    const int32_t* z, double step, double* sums) noexcept nogil:
        cdef Py_ssize_t k = self.k, t, p, own, other
        cdef double* table
        cdef double x
        cdef row_t row
        for t in range(1, length):
            own, other = y[t - 1] * k + y[t], 0
            if z != NULL:
                other = z[t - 1] * k + z[t]
                if own == other:
                    continue
                sums[other] -= step
            sums[own] += step
            if self.edges is None:
                continue
            row = rows_get(&self.edges.c, first - s + t - 1)
            for p in range(row.length):
                table = sums + (1 + row_index(&row, row.kind, p)) * k * k
                x = step * row_value(&row, row.kind, p)
                table[own] += x
                if z != NULL:
                    table[other] -= x

    cdef double taken(self, Py_ssize_t s, Py_ssize_t first, Py_ssize_t length, const int32_t* y,
                      const int32_t* z, double* sums) noexcept nogil:
        cdef Py_ssize_t k = self.k, t, p, own, other
        cdef double total = 0
        cdef double* table
        cdef row_t row
        for t in range(1, length):
            own, other = y[t - 1] * k + y[t], z[t - 1] * k + z[t]
            if own == other:
                continue
            total += taken_one(sums + own) + taken_one(sums + other)
            if self.edges is None:
                continue
            row = rows_get(&self.edges.c, first - s + t - 1)
            for p in range(row.length):
                table = sums + (1 + row_index(&row, row.kind, p)) * k * k
                total += taken_one(table + own) + taken_one(table + other)
        return total

    cdef void spread(self, Py_ssize_t s, Py_ssize_t first, Py_ssize_t length, const double* tables,
                     double factor, double* sums) noexcept nogil:
        cdef Py_ssize_t k2 = self.k * self.k, t, p
        cdef row_t row
        for t in range(length - 1):
            add(factor, tables + t * k2, k2, sums)
            if self.edges is not None:
                row = rows_get(&self.edges.c, first - s + t)
                for p in range(row.length):
                    add(factor * row_value(&row, row.kind, p), tables + t * k2, k2,
                        sums + (1 + row_index(&row, row.kind, p)) * k2)

    cdef double taken_tables(self, Py_ssize_t s, Py_ssize_t first, Py_ssize_t length,
                             double* sums) noexcept nogil:
        cdef Py_ssize_t k2 = self.k * self.k, t, p
        cdef double total = taken_block(sums, k2)
        cdef row_t row
        if self.edges is not None:
            for t in range(length - 1):
                row = rows_get(&self.edges.c, first - s + t)
                for p in range(row.length):
                    total += taken_block(sums + (1 + row_index(&row, row.kind, p)) * k2, k2)
        return total

    cdef void gather(self, chain_pairs_t E, Py_ssize_t s, Py_ssize_t first, Py_ssize_t length,
                     const double* alpha, const double* v, double factor, double* work,
                     double* sums) noexcept nogil:
        if self.fixed:
            chain_outer(length, self.k, self.k8, alpha, v, factor, work)
        else:
            chain_tables(length, self.k, self.k8, alpha, v, E, factor, work)
            self.spread(s, first, length, work, 1, sums)

    cdef void finish(self, chain_pairs_t E, const double* work, double* sums) noexcept nogil:
        cdef Py_ssize_t k = self.k, i, j
        if not self.fixed:
            return
        if E.logarithms:
            add(1, work, k * k, sums)
            return
        for i in range(k):
            for j in range(k):
                sums[i * k + j] += E.rows[i * self.k8 + j] * work[i * self.k8 + j]


cdef void add(double x, const double* a, Py_ssize_t n, double* y) noexcept nogil:
    # y += x a
    cdef Py_ssize_t j
    for j in range(n):
        y[j] += x * a[j]


cdef bint spans_little(const double* T, Py_ssize_t n, double scale) noexcept nogil:
    # whether exponentials hold T scale
    cdef double low = INFINITY, high = -INFINITY
    cdef Py_ssize_t p
    for p in range(n):
        low, high = min(low, T[p]), max(high, T[p])
    return scale * (high - low) <= CHAIN_MAX_RANGE


cdef chain_pairs_t made(const double* T, Py_ssize_t k, Py_ssize_t k8, double scale, bint best,
                        double* rows, double* transposed) noexcept nogil:
    # transitions that are the same at all positions; the best labelling needs no transpose
    cdef chain_pairs_t result
    result.rows, result.transposed, result.weights = rows, transposed, T
    result.step, result.weights_step, result.top = 0, 0, 0
    result.logarithms = best or not spans_little(T, k * k, scale)
    if result.logarithms:
        chain_padded(T, k, k8, scale, rows, transposed)
    else:
        result.top = chain_transitions(T, k, k8, scale, rows, transposed)
    return result


cdef double taken_one(double* v) noexcept nogil:
    cdef double square = v[0] * v[0]
    v[0] = 0
    return square


cdef double taken_block(double* v, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t p
    cdef double total = 0
    for p in range(n):
        total += taken_one(v + p)
    return total
