"""Gram matrices of columns whose values are rounded to bytes."""

from libc.stdint cimport int8_t

from rrmlinear.simd.short.grams cimport BYTE_COLUMNS, BYTE_ROWS, byte_gram, has_byte_products
from rrmlinear.simd.short.lines cimport add_byte_sums, line_bytes, row_bytes

import numpy as np

#: The examples that `ByteGram` takes at once at most.
MOST_ROWS = BYTE_ROWS


def is_quick():
    """Whether the machine has the instructions that `ByteGram` needs."""
    return bool(has_byte_products())


cdef class ByteGram:
    """Adds up products of ``count`` columns with those behind the first ``known`` ones, some
    examples of all after the other.

    There each value is a multiple of 1/127 of the column's largest one, rounded: the matrix is that
    of the rounded columns, and positive semidefinite.
    """

    cdef Py_ssize_t known, count, panels
    cdef int8_t[::1] bytes
    cdef double[::1] units
    cdef double[:, ::1] sums, total

    def __init__(self, Py_ssize_t known, Py_ssize_t count):
        if not has_byte_products():
            raise RuntimeError("this machine has no instructions for products of bytes")
        self.known, self.count = known, count
        self.panels = count // BYTE_COLUMNS + 1  # a column of 0 is behind the last
        width = self.panels * BYTE_COLUMNS
        self.bytes = np.zeros(width * BYTE_ROWS, dtype=np.int8)
        self.units, self.sums = np.zeros(width), np.zeros((width, width))
        self.total = np.zeros((width, width))

    def add(self, const float[:, ::1] values not None, bint by_rows):
        """The values of some examples: as lines, a column each, or ``by_rows``."""
        cdef Py_ssize_t rows = values.shape[0 if by_rows else 1]
        if values.shape[1 if by_rows else 0] != self.count or rows > BYTE_ROWS:
            raise ValueError(f"{values.shape[0]} x {values.shape[1]} values do not fit")
        if rows == 0 or self.count == 0:
            return
        with nogil:
            if by_rows:
                row_bytes(&values[0, 0], self.count, rows, &self.bytes[0], &self.units[0])
            else:
                line_bytes(&values[0, 0], self.count, rows, &self.bytes[0], &self.units[0])
            byte_gram(&self.bytes[0], rows, self.panels, self.known // BYTE_COLUMNS,
                      &self.sums[0, 0])
            add_byte_sums(&self.sums[0, 0], &self.units[0], self.known, self.count,
                          self.panels * BYTE_COLUMNS, &self.total[0, 0])

    def lines(self):
        """The products of each column behind the known ones with all columns."""
        total = np.asarray(self.total)[:self.count, self.known:self.count].T.copy()
        own = total[:, self.known:]
        own += np.tril(own, -1).T
        return total
