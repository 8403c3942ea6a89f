"""Products of rows with weights, and sums over rows: X W, Σ c_i x_i s_i', and Σ h_i x_i x_i'."""

from libc.math cimport NAN
from libc.stdint cimport int64_t, uintptr_t

from rrmlinear.simd.blocks cimport block_stride, block_update
from rrmlinear.simd.gram cimport row_outer, row_squares
from rrmlinear.simd.products cimport row_axpy, row_dot, rows_add, rows_times
from rrmlinear.simd.rows cimport row_t, rows_get, rows_prefetch
from rrmlinear.data.rows cimport Rows, cached_rows
from rrmlinear.risks.terms cimport ScalarTerms, one_or_all

import numpy as np

from rrmlinear.core.deadline import check_time
from rrmlinear.data.products import product_of_part
from rrmlinear.data.rows import aligned_zeros, nonzeros
from rrmlinear.risks.shares import Shares

cdef enum:
    MIN_STORED = 100           # stored values a feature from which aligned rows of W pay a copy
    LOOKAHEAD = 3              # rows between a prefetch and its use
    CHECKED_WORK = 1 << 28     # multiplications between two looks at the clock: some 0.1 s


cdef class Products:
    """X W and Σ c_i x_i s_i' over rows shared out among threads, W and the sum d × k.

    With k = 0 these are vectors of d numbers, and of n for the scores and the s_i. Products of k
    columns read weights, and write sums, where these lie. If the data have many stored values for
    each feature, they take a cheap copy with aligned rows, with which they are faster.
    """

    cdef Rows rows
    cdef object shares
    cdef const double[::1] cost
    cdef Py_ssize_t k
    cdef Py_ssize_t stride         # from the weights of one feature to the next
    cdef bint padded               # whether products take a copy of the weights
    cdef list spare                # arrays of weights with padding, for the next product

    def __cinit__(self, Rows rows not None, const double[::1] costs not None, Py_ssize_t k,
                  int threads):
        self.rows, self.cost, self.k = rows, costs, k
        self.padded = k == 1 or rows.n_stored >= MIN_STORED * rows.width
        self.stride = block_stride(k) if self.padded else k
        self.shares = Shares(rows, threads, max(k, 1))
        self.spare = []

    cdef object _padded(self):
        # holds the numbers of its last use; the padding is 0
        try:
            return self.spare.pop()
        except IndexError:
            return aligned_zeros(max(self.rows.width, 1), self.stride)

    def scores(self, w):
        """X W."""
        if self.k == 0:
            result = np.empty(self.rows.c.n_rows)
            self.shares.run(self._vector_scores, w, result)
            return result
        result = np.empty((self.rows.c.n_rows, self.k))
        if not self.padded:
            W = np.ascontiguousarray(w, dtype=np.float64)
            self.shares.run(product_of_part, self.rows, W, result)
            return result
        padded = self._padded()
        padded[:self.rows.width, :self.k] = w
        self.shares.run(product_of_part, self.rows, padded, result)
        self.spare.append(padded)
        return result

    def _vector_scores(self, const double[::1] w not None, double[::1] out not None,
                       Py_ssize_t part, Py_ssize_t begin, Py_ssize_t end):
        cdef Py_ssize_t first, last
        if w.shape[0] == 0:
            out[begin:end] = 0
        elif begin < end:
            for first, last in self.rows.spans(begin, end):
                with nogil:
                    rows_times(&self.rows.c, first, last, &w[0], &out[0])

    def adjoint(self, factors):
        """Σ c_i x_i s_i', s_i the rows of ``factors``."""
        task = self._adjoint if self.k else self._vector_adjoint
        first, *others = self.shares.run(task, factors)
        for sums in others:
            first += sums
        if self.k == 0 or not self.padded:
            return first
        result = np.array(first[:self.rows.width, :self.k], order="C")
        self.spare += [first, *others]
        return result

    def _vector_adjoint(self, const double[::1] factors not None, Py_ssize_t part,
                        Py_ssize_t begin, Py_ssize_t end):
        cdef Py_ssize_t first, last
        result = np.zeros(self.rows.width)
        cdef double[::1] sum = result
        if begin < end and sum.shape[0]:
            for first, last in self.rows.spans(begin, end):
                with nogil:
                    rows_add(&self.rows.c, first, last, &self.cost[0], &factors[0], &sum[0])
        return result

    def _adjoint(self, const double[:, ::1] factors not None, Py_ssize_t part, Py_ssize_t begin,
                 Py_ssize_t end):
        cdef Py_ssize_t i, j, first, last
        cdef row_t row
        scaled = aligned_zeros(1, (self.k + 7) // 8 * 8)
        if self.padded:
            array = self._padded()
            array[:] = 0
        else:
            array = np.zeros((self.rows.width, self.k))
        cdef double* sums = <double*> <uintptr_t> array.ctypes.data
        cdef double* line = <double*> <uintptr_t> scaled.ctypes.data
        for first, last in self.rows.spans(begin, end):
            with nogil:
                for i in range(first, last):
                    if self.cost[i] == 0:
                        continue
                    for j in range(self.k):
                        line[j] = self.cost[i] * factors[i, j]
                    row = rows_get(&self.rows.c, i)
                    block_update(&row, sums, self.stride, line)
        return array

    def sweep(self, ScalarTerms terms not None, w, alphas, double curvature, bint value=True):
        """(α', Σ c_i α_i' x_i, F(w)), α' the dual steps at scores X w of vectors: the rows are
        read once from memory. F(w) is NaN without ``value``.
        """
        steps = np.empty(self.rows.c.n_rows)
        given = one_or_all(alphas, self.rows.c.n_rows), curvature, value, steps
        found = self.shares.run(self._sweep, terms, w, *given)
        image, total = found[0]
        for sums, more in found[1:]:
            image += sums
            total += more
        return steps, image, total if value else NAN

    def _sweep(self, ScalarTerms terms not None, const double[::1] w not None,
               const double[::1] alpha not None, double curvature, bint value,
               double[::1] out not None, Py_ssize_t part, Py_ssize_t begin, Py_ssize_t end):
        cdef Py_ssize_t alpha_step = alpha.shape[0] > 1, i, stop, first, last
        cdef Py_ssize_t block = cached_rows(self.rows)
        image = np.zeros(self.rows.width)
        cdef double[::1] sum = image, scores = np.zeros(max(1, min(block, end - begin)))
        cdef double total = 0
        cdef double* s = &scores[0]
        for first, last in self.rows.spans(begin, end):
            with nogil:
                i = first
                while i < last:
                    stop = min(i + block, last)
                    if w.shape[0]:
                        rows_times(&self.rows.c, i, stop, &w[0], s - i)
                    if value:
                        total += terms.loss.total(&terms.y[i], &self.cost[i], s, stop - i)
                    terms.loss.all_dual_steps(&terms.y[i], s, &alpha[i * alpha_step], alpha_step,
                                              &curvature, 0, &out[i], stop - i)
                    if sum.shape[0]:
                        rows_add(&self.rows.c, i, stop, &self.cost[0], &out[0], &sum[0])
                    i = stop
        return image, total


cdef class RowSums:
    """A'A = Σ_i h_i x_i x_i', d × d. A has the rows with h_i > 0, the active ones, times √h_i.

    ``h`` ≥ 0 has n entries. Only active rows are read, of which ``active`` may tell the order.
    """

    cdef readonly Rows rows
    cdef readonly object active        # the rows with h_i > 0
    cdef readonly object weights       # h
    cdef const double[::1] h
    cdef const Py_ssize_t[::1] row_of
    cdef object given_roots            # √h_i of the active rows, once asked for

    def __init__(self, Rows rows not None, h, active=None):
        self.rows, self.weights, self.h = rows, h, h
        self.active = nonzeros(h) if active is None else active
        self.row_of = self.active
        self.given_roots = None

    @property
    def size(self):
        """The number of active rows."""
        return len(self.active)

    @property
    def roots(self):
        """√h_i of the active rows."""
        if self.given_roots is None:
            self.given_roots = np.sqrt(self.weights[self.active])
        return self.given_roots

    def times(self, const double[::1] p not None):
        """A p."""
        result = np.zeros(self.size)
        cdef double[::1] out = result
        cdef const double[::1] root = self.roots
        cdef Py_ssize_t a, begin, end
        cdef row_t row
        for begin, end in self.rows.spans_among(self.active) if self.rows.width else ():
            with nogil:
                for a in range(begin, end):
                    row = rows_get(&self.rows.c, self.row_of[a])
                    out[a] = root[a] * row_dot(&row, &p[0])
        return result

    def adjoint(self, const double[::1] factors not None):
        """A' times the factors."""
        result = np.zeros(self.rows.width)
        cdef double[::1] out = result
        cdef const double[::1] root = self.roots
        cdef Py_ssize_t a, begin, end
        cdef row_t row
        for begin, end in self.rows.spans_among(self.active) if self.rows.width else ():
            with nogil:
                for a in range(begin, end):
                    row = rows_get(&self.rows.c, self.row_of[a])
                    row_axpy(&row, root[a] * factors[a], &out[0])
        return result

    def row_product(self, const double[::1] p not None, const double[::1] part not None):
        """`blocked_product` row by row, of the active rows alone."""
        result = np.zeros(self.rows.width)
        cdef double[::1] out = result
        cdef Py_ssize_t a, i, begin, end
        cdef row_t row
        for begin, end in self.rows.spans_among(self.active) if self.rows.width else ():
            with nogil:
                for a in range(begin, end):
                    if a + LOOKAHEAD < end:
                        rows_prefetch(&self.rows.c, self.row_of[a + LOOKAHEAD])
                    i = self.row_of[a]
                    row = rows_get(&self.rows.c, i)
                    row_axpy(&row, self.h[i] * (row_dot(&row, &p[0]) - part[i]), &out[0])
        return result

    def blocked_product(self, const double[::1] p not None, const double[::1] part not None):
        """Σ_i h_i x_i (x_i'p − part_i), in blocks of all rows that are read once from memory."""
        result = np.zeros(self.rows.width)
        cdef Py_ssize_t n = self.rows.shape[0], block = cached_rows(self.rows), i, j, stop
        cdef Py_ssize_t first, last
        cdef const double[::1] h = self.h
        cdef double[::1] out = result, scores = np.empty(block)
        cdef double* s = &scores[0]
        for first, last in self.rows.spans(0, n):
            with nogil:
                i = first
                while i < last:
                    stop = min(i + block, last)
                    rows_times(&self.rows.c, i, stop, &p[0], s - i)
                    for j in range(stop - i):
                        s[j] -= part[i + j]
                    rows_add(&self.rows.c, i, stop, &h[0], s - i, &out[0])
                    i = stop
        return result

    def diagonal(self):
        """The diagonal of A'A."""
        result = np.zeros(self.rows.width)
        cdef double[::1] out = result
        cdef Py_ssize_t a, begin, end
        cdef row_t row
        for begin, end in self.rows.spans_among(self.active) if self.rows.width else ():
            with nogil:
                for a in range(begin, end):
                    row = rows_get(&self.rows.c, self.row_of[a])
                    row_squares(&row, self.h[self.row_of[a]], &out[0])
        return result

    def by_pairs(self):
        """A'A, by the pairs of values that the rows store."""
        cdef Py_ssize_t a, i, d = self.rows.width, end
        cdef Py_ssize_t work
        cdef row_t row
        result = np.zeros((d, d))
        cdef double[:, ::1] out = result
        for a, end in self.rows.spans_among(self.active) if d else ():
            while a < end:
                check_time()
                work = 0
                with nogil:
                    while a < end and work < CHECKED_WORK:
                        row = rows_get(&self.rows.c, self.row_of[a])
                        row_outer(&row, self.h[self.row_of[a]], &out[0, 0], d)
                        work += (row.length + 1) * (row.length + 1)
                        a += 1
        with nogil:
            for i in range(d):
                for a in range(i):
                    out[a, i] = out[i, a]
        return result

    def copied_less(self, units, lines, Py_ssize_t begin, Py_ssize_t end, place=None):
        """Rows begin … end − 1 of A − Σ_v units[v] lines[v]', in the rows of a place if given."""
        cdef Py_ssize_t a, j, v, d = self.rows.width, n_free = len(units), first, last
        cdef const double[:, ::1] unit = np.array(units) if n_free else None
        cdef const double[:, ::1] line = np.array(lines) if n_free else None
        cdef double part
        result = np.empty((end - begin, d)) if place is None else place[:end - begin]
        result.fill(0.0)
        cdef double[:, ::1] out = result
        cdef const double[::1] root = self.roots
        cdef row_t row
        if d:
            for first, last in self.rows.spans_among(self.active[begin:end]):
                with nogil:
                    for a in range(begin + first, begin + last):
                        row = rows_get(&self.rows.c, self.row_of[a])
                        row_axpy(&row, root[a], &out[a - begin, 0])
                        for v in range(n_free):
                            part = unit[v, a]
                            for j in range(d):
                                out[a - begin, j] -= part * line[v, j]
        return result


def entries_of_product(const double[:, ::1] left not None, const double[:, ::1] right not None,
                       const int64_t[::1] rows not None, const int64_t[::1] columns not None):
    """(L R')[r_i, c_i] for each i, the product not formed; indices are not checked."""
    cdef Py_ssize_t n = rows.shape[0], k = left.shape[1], i, j
    cdef const double* a
    cdef const double* b
    cdef double s0, s1, s2, s3
    result = np.zeros(n)
    cdef double[::1] out = result
    if k == 0:
        return result
    with nogil:
        for i in range(n):
            a, b = &left[rows[i], 0], &right[columns[i], 0]
            # four sums, which wait less for each other
            s0 = s1 = s2 = s3 = 0
            j = 0
            while j + 4 <= k:
                s0 += a[j] * b[j]
                s1 += a[j + 1] * b[j + 1]
                s2 += a[j + 2] * b[j + 2]
                s3 += a[j + 3] * b[j + 3]
                j += 4
            while j < k:
                s0 += a[j] * b[j]
                j += 1
            out[i] = (s0 + s1) + (s2 + s3)
    return result
