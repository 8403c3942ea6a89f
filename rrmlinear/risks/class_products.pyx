"""Products of the rows with matrices of a column for each class: X W, and Σ c_i x_i s_i'."""

from libc.stdint cimport uintptr_t

from rrmlinear.simd.blocks cimport block_stride, block_update
from rrmlinear.simd.rows cimport row_t, rows_get
from rrmlinear.data.rows cimport Rows

import numpy as np

from rrmlinear.data.products import product_of_part
from rrmlinear.data.rows import aligned_zeros
from rrmlinear.risks.shares import Shares

cdef enum:
    MIN_STORED = 100           # stored values a feature from which aligned rows of W pay a copy


cdef class ClassProducts:
    """X W and Σ c_i x_i s_i' over rows shared out among threads, W and the sum d × k.

    Products read weights, and write sums, where these lie. If the data have many stored values for
    each feature, they take a cheap copy with aligned rows, with which they are faster.
    """

    cdef Rows rows
    cdef object shares
    cdef const double[::1] cost
    cdef Py_ssize_t k
    cdef Py_ssize_t k8
    cdef Py_ssize_t stride         # from the weights of one feature to the next
    cdef bint padded               # whether products take a copy of the weights
    cdef list spare                # arrays of weights with padding, for the next product

    def __cinit__(self, Rows rows not None, const double[::1] costs not None, Py_ssize_t k,
                  int threads):
        self.rows, self.cost, self.k, self.k8 = rows, costs, k, (k + 7) // 8 * 8
        self.padded = k < 2 or rows.n_stored >= MIN_STORED * rows.width
        self.stride = block_stride(k) if self.padded else k
        self.shares = Shares(rows, threads, k)
        self.spare = []

    cdef object _padded(self):
        # holds the numbers of its last use; the padding is 0
        try:
            return self.spare.pop()
        except IndexError:
            return aligned_zeros(max(self.rows.width, 1), self.stride)

    def scores(self, w):
        """X W, n × k."""
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

    def adjoint(self, factors):
        """Σ c_i x_i s_i', d × k, s_i the rows of ``factors``."""
        first, *others = self.shares.run(self._adjoint, factors)
        for sums in others:
            first += sums
        if not self.padded:
            return first
        result = np.array(first[:self.rows.width, :self.k], order="C")
        self.spare += [first, *others]
        return result

    def _adjoint(self, const double[:, ::1] factors not None, Py_ssize_t part, Py_ssize_t begin,
                 Py_ssize_t end):
        cdef Py_ssize_t i, j, first, last
        cdef row_t row
        scaled = aligned_zeros(1, self.k8)
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
