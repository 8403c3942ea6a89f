"""Sums over rows with weights: Σ h_i x_i x_i' as a matrix, its products and its diagonal."""

from rrmlinear.simd.gram cimport row_outer, row_squares
from rrmlinear.simd.products cimport rows_add, rows_times
from rrmlinear.simd.row_products cimport row_axpy, row_dot
from rrmlinear.simd.rows cimport row_t, rows_get, rows_prefetch
from rrmlinear.data.rows cimport Rows, cached_rows

import numpy as np

from rrmlinear.core.deadline import check_time
from rrmlinear.data.rows import nonzeros

cdef enum:
    LOOKAHEAD = 3        # rows between a prefetch and its use
    CHECKED_WORK = 1 << 28  # multiplications between two looks at the clock: some 0.1 s


cdef class RowSums:
    """A'A = Σ_i h_i x_i x_i', d × d. A has the rows with h_i > 0, the active ones, times √h_i.

    ``h`` ≥ 0 has n entries. Only active rows are read.
    """

    cdef readonly Rows rows
    cdef readonly object active        # the rows with h_i > 0
    cdef readonly object weights       # h
    cdef const double[::1] h
    cdef const Py_ssize_t[::1] row_of
    cdef object given_roots            # √h_i of the active rows, once asked for

    def __init__(self, Rows rows not None, h):
        self.rows, self.weights, self.h = rows, h, h
        self.active = nonzeros(h)
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
