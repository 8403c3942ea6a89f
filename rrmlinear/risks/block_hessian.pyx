"""The second derivative of a sum over examples of functions of k scores, by its active classes."""

from libc.stdint cimport int32_t, int64_t, uintptr_t

from rrmlinear.simd.blocks cimport block_scores, block_stride, block_update
from rrmlinear.simd.row_products cimport row_axpy, row_dot
from rrmlinear.simd.rows cimport row_index, row_t, row_value, rows_get
from rrmlinear.data.rows cimport Rows

import numpy as np

from rrmlinear.data.rows import aligned_zeros
from rrmlinear.risks._class_matrix import pair_parts, pair_work
from rrmlinear.risks._class_parts import class_parts
from rrmlinear.risks.couplings import Couplings

# Rows that store at least this fraction of the features are multiplied as dense ones, by BLAS.
MIN_DENSITY = 0.1
# Limit on the entries of a dense copy of the active rows.
MAX_COPIED_ENTRIES = 30_000_000

cdef enum:
    CHUNK = 4096         # rows that are copied as dense ones at once


cdef class BlockHessian:
    """Σ_i x_i x_i' ⊗ M_i over weights d × k as vectors, row by row; M_i = diag(e) − e e'/Σe.

    The a-th active row, ``active[a]`` of the data, has rates e > 0 for its classes from begin[a] to
    begin[a + 1], the largest first, and e = 0 for all others. M_i takes equal entries to 0. So
    with z_ij = x_i ⊗ (e_j − e_r), r the first class and j another, this is Z'Z for the p rows of
    Z = L'(z_ij), where L L' = diag(e) − e e'/Σe over the other classes of a row:
    L = diag(root) (I − tilt tilt').
    """

    cdef readonly Rows rows
    cdef readonly object active            # rows of two classes or more
    cdef readonly Py_ssize_t k
    cdef Py_ssize_t stride
    cdef const int64_t[::1] row_of
    cdef const int64_t[::1] begin
    cdef const int32_t[::1] classes
    cdef const double[::1] rate
    cdef double[::1] share                 # e / Σe
    cdef double[::1] root                  # by terms (i, j)
    cdef double[::1] tilt
    cdef const int64_t[::1] row_of_term    # its place among the active rows
    cdef object term_classes               # (j, r) of each term

    def __init__(self, Rows rows not None, Py_ssize_t k, active, begin, classes, rates):
        self.rows, self.k, self.stride = rows, k, block_stride(k)
        self.active = self.row_of = active
        self.begin, self.classes, self.rate = begin, classes, rates
        n, counts = len(active), np.diff(begin)
        first = begin[:n]
        is_term = np.ones(len(classes), dtype=bool)
        is_term[first] = False
        self.row_of_term = row_of_term = np.repeat(np.arange(n), counts - 1)
        others, top = rates[is_term], rates[first]
        inverse = 1 / (np.bincount(row_of_term, others, n) + top)
        # with q = √(e/Σe) over the other classes: I − qq' = (I − tilt tilt')²
        tau = 1 / (1 + np.sqrt(top * inverse))
        self.root = np.sqrt(others)
        self.tilt = np.sqrt(others * (inverse * tau)[row_of_term])
        self.share = rates * np.repeat(inverse, counts)
        self.term_classes = classes[is_term], classes[first][row_of_term]

    @property
    def size(self):
        """p."""
        return self.root.shape[0]

    def times(self, p):
        """Z p."""
        result = np.empty(self.size)
        self._forward(p, result, None)
        return result

    def adjoint(self, y):
        """Z'y."""
        result = self._padded()
        self._backward(np.ascontiguousarray(y), result)
        return self._cut(result)

    def product(self, p):
        """This matrix times p: one pass over the active rows."""
        result = self._padded()
        self._forward(p, None, result)
        return self._cut(result)

    def _padded(self):
        return aligned_zeros(max(self.rows.width, 1), self.stride)

    def _cut(self, padded):
        return padded[:self.rows.width, :self.k].ravel()

    def _forward(self, p, double[::1] terms=None, double[:, ::1] sums=None):
        # Z p into terms, or Z'Z p into sums
        padded = self._padded()
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
                    t, m = self.begin[a], self.begin[a + 1] - self.begin[a] - 1
                    base, dot = line[self.classes[t]], 0
                    for j in range(m):
                        u[j] = self.root[s + j] * (line[self.classes[t + 1 + j]] - base)
                        dot += self.tilt[s + j] * u[j]
                    for j in range(m):
                        u[j] -= self.tilt[s + j] * dot
                    if sums is None:
                        for j in range(m):
                            terms[s + j] = u[j]
                    else:
                        self._add(a, s, u, steps, &row, &sums[0, 0])
                    s += m

    def _backward(self, const double[::1] y not None, double[:, ::1] sums not None):
        memory = aligned_zeros(1, (self.k + 7) // 8 * 8)
        cdef double* steps = <double*> <uintptr_t> memory.ctypes.data
        cdef Py_ssize_t a, s = 0, first, last
        cdef row_t row
        for first, last in self.rows.spans_among(self.active):
            with nogil:
                for a in range(first, last):
                    row = rows_get(&self.rows.c, self.row_of[a])
                    self._add(a, s, &y[s], steps, &row, &sums[0, 0])
                    s += self.begin[a + 1] - self.begin[a] - 1

    cdef void _add(self, Py_ssize_t a, Py_ssize_t s, const double* u, double* steps,
                   const row_t* row, double* sums) noexcept nogil:
        # sums += x_a times the steps L u of its classes; steps are 0 before and after
        cdef Py_ssize_t j, t = self.begin[a] + 1, m = self.begin[a + 1] - t
        cdef double dot = 0, total = 0, step
        for j in range(m):
            dot += self.tilt[s + j] * u[j]
        for j in range(m):
            step = self.root[s + j] * (u[j] - self.tilt[s + j] * dot)
            steps[self.classes[t + j]] = step
            total += step
        steps[self.classes[t - 1]] = -total
        block_update(row, sums, self.stride, steps)
        for j in range(-1, m):
            steps[self.classes[t + j]] = 0

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
                    begin, others = self.begin[a], 0
                    for j in range(begin + 1, self.begin[a + 1]):
                        others += self.rate[j]
                    for j in range(begin, self.begin[a + 1]):
                        # without cancellation: the first rate is the largest
                        entry = others
                        if j != begin:
                            entry += self.rate[begin] - self.rate[j]
                        entry *= self.share[j]
                        for t in range(row.length):
                            x = row_value(&row, row.kind, t)
                            out[row_index(&row, row.kind, t), self.classes[j]] += entry * x * x
                        if row.bias != 0:
                            out[row.bias_index, self.classes[j]] += entry * row.bias * row.bias
        return result.ravel()

    def couplings(self, diagonal, least, most):
        """The largest of its entries beside this positive diagonal, at most ``most`` of them: see
        `Couplings`.
        """
        return Couplings(self, self.begin, self.classes, self.rate, self.share, diagonal,
                         self.diagonal(), least, most)

    def class_parts(self, scale, most):
        """Its d × d parts of each class with itself, from about ``most`` rows for each class: see
        `class_parts`.
        """
        return class_parts(self.rows, self.k, self.row_of, self.begin, self.classes, self.rate,
                           self.share, scale, most)

    def matrix(self):
        """All of it, d·k × d·k."""
        cdef Py_ssize_t d = self.rows.width, one, other
        by_classes = np.zeros((self.k, d, self.k, d))
        parts = self._pair_parts()
        for one in range(1, self.k):
            for other in range(one):
                part = parts[one * (one - 1) // 2 + other]
                by_classes[one, :, other] -= part
                by_classes[other, :, one] -= part
                by_classes[one, :, one] += part
                by_classes[other, :, other] += part
        return by_classes.transpose(1, 0, 3, 2).reshape(d * self.k, d * self.k)

    def _pair_parts(self):
        # as `pair_parts`, by it or by matrix products, whichever is less work
        cdef Py_ssize_t d = self.rows.width, one, other
        at_once, by_products = pair_work(self.rows, self.k, self.row_of, self.begin)
        if at_once < by_products:
            return pair_parts(self.rows, self.k, self.row_of, self.begin, self.classes,
                              self.rate, self.share)
        parts = np.zeros((self.k * (self.k - 1) // 2, d, d))
        for begin in range(0, len(self.active), CHUNK):
            end = min(begin + CHUNK, len(self.active))
            x, (rates, shares) = self._copied(begin, end), self._by_classes(begin, end)
            for one in range(1, self.k):
                for other in range(one):
                    weights = rates[one] * shares[other]
                    some = np.flatnonzero(weights)
                    if len(some):
                        y = x[some] * np.sqrt(weights[some])[:, np.newaxis]
                        parts[one * (one - 1) // 2 + other] += y.T @ y
        return parts

    def of_ones(self):
        """Σ M_i, k × k: the matrix for one feature of value 1."""
        result = np.zeros((self.k, self.k))
        cdef double[:, ::1] out = result
        cdef Py_ssize_t a, j, t
        with nogil:
            for a in range(self.row_of.shape[0]):
                for j in range(self.begin[a], self.begin[a + 1]):
                    for t in range(self.begin[a], j):
                        out[self.classes[j], self.classes[t]] -= self.rate[j] * self.share[t]
        result += result.T
        np.fill_diagonal(result, -result.sum(axis=1))
        return result

    def _by_classes(self, Py_ssize_t begin, Py_ssize_t end):
        # (e, e / Σe) of some active rows, k × rows
        rates, shares = np.zeros((self.k, end - begin)), np.zeros((self.k, end - begin))
        cdef double[:, ::1] e = rates, out = shares
        cdef Py_ssize_t a, j
        with nogil:
            for a in range(begin, end):
                for j in range(self.begin[a], self.begin[a + 1]):
                    e[self.classes[j], a - begin] = self.rate[j]
                    out[self.classes[j], a - begin] = self.share[j]
        return rates, shares

    def _copied(self, Py_ssize_t begin, Py_ssize_t end):
        # some active rows as a dense matrix
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

    def gram(self, inverse):
        """Z diag(g) Z' for d·k numbers ``inverse``, g ≥ 0."""
        g = np.reshape(inverse, (self.rows.width, self.k))
        result = np.zeros((self.size, self.size))
        few = len(self.active) * self.rows.width <= MAX_COPIED_ENTRIES
        is_dense = self.rows.n_stored >= MIN_DENSITY * np.prod(self.rows.shape)
        dense = self._copied(0, len(self.active)) if few and is_dense else None
        row_of_term = np.asarray(self.row_of_term)
        for one in range(self.k):
            own, first = (entry == one for entry in self.term_classes)
            terms = np.flatnonzero(own | first)
            if len(terms) == 0:
                continue
            some, places = np.unique(row_of_term[terms], return_inverse=True)
            signs = np.where(own[terms], 1.0, -1.0)
            if dense is None:
                products = self._products(some, np.ascontiguousarray(g[:, one]))
            else:
                part = dense[some] * np.sqrt(g[:, one])
                products = part @ part.T
            self._add_products(terms, places, signs, products, result)
        result += np.tril(result, -1).T
        self._bind(result)
        return result

    def _products(self, const int64_t[::1] some not None, const double[::1] g not None):
        # x_a' diag(g) x_b of some active rows, in the lower triangle
        cdef Py_ssize_t a, b, t, m = some.shape[0]
        result, scattered = np.zeros((m, m)), np.zeros(self.rows.width)
        cdef double[:, ::1] out = result
        cdef double[::1] line = scattered
        cdef row_t row, other
        with nogil:
            for a in range(m):
                row = rows_get(&self.rows.c, self.row_of[some[a]])
                for t in range(row.length):
                    line[row_index(&row, row.kind, t)] = (
                        row_value(&row, row.kind, t) * g[row_index(&row, row.kind, t)]
                    )
                if row.bias != 0:
                    line[row.bias_index] = row.bias * g[row.bias_index]
                for b in range(a + 1):
                    other = rows_get(&self.rows.c, self.row_of[some[b]])
                    out[a, b] = row_dot(&other, &line[0])
                for t in range(row.length):
                    line[row_index(&row, row.kind, t)] = 0
        return result

    def _add_products(self, const int64_t[::1] terms not None, const int64_t[::1] places not None,
                      const double[::1] signs not None, const double[:, ::1] products not None,
                      double[:, ::1] out not None):
        # out += the products of the rows of these terms, which rise, in the lower triangle
        cdef Py_ssize_t s, t
        cdef double* line
        with nogil:
            for s in range(terms.shape[0]):
                line = &out[terms[s], 0]
                for t in range(s + 1):
                    line[terms[t]] += signs[s] * signs[t] * products[places[s], places[t]]

    def _bind(self, double[:, ::1] out not None):
        # out = L' out L
        cdef Py_ssize_t s, t, a, p = self.root.shape[0], begin, end
        cdef double dot
        line = np.empty(p)
        cdef double[::1] sums = line
        with nogil:
            for s in range(p):
                for t in range(p):
                    out[s, t] *= self.root[s] * self.root[t]
            for a in range(self.row_of.shape[0]):
                begin, end = self.begin[a] - a, self.begin[a + 1] - a - 1
                sums[:] = 0
                for s in range(begin, end):
                    for t in range(p):
                        sums[t] += self.tilt[s] * out[s, t]
                for s in range(begin, end):
                    for t in range(p):
                        out[s, t] -= self.tilt[s] * sums[t]
            for s in range(p):
                for a in range(self.row_of.shape[0]):
                    begin, end = self.begin[a] - a, self.begin[a + 1] - a - 1
                    dot = 0
                    for t in range(begin, end):
                        dot += self.tilt[t] * out[s, t]
                    for t in range(begin, end):
                        out[s, t] -= self.tilt[t] * dot
