"""Sparse rows with values of 32 bits and indices of 16: less memory to read in each pass."""

from libc.stdint cimport int32_t

from rrmlinear.simd.rows cimport packed_unit, packed_value, row_unit_t, rows_pack
from rrmlinear.data.rows cimport Rows

import numpy as np


class PackedRows(Rows):
    """Sparse rows in half of the memory: values are whole numbers over 10^``decimals``.

    They are stored as int32, ``decimals`` is 0, 3, 6 or 9, and indices are stored as uint16. The
    attributes ``values`` and ``indices`` are float64 and int32 copies, made anew at each access;
    values have the bits of a correctly rounded division. A zero has no sign.
    """

    def __init__(self, values, indices, indptr, n_features, bias=-1.0, blocks=None, *, decimals):
        super().__init__(values, indices, indptr, n_features, bias, blocks)
        self.decimals = decimals
        _pack(self, decimals)

    def over(self, values, indices, indptr, bias, blocks=None):
        """Rows of the same kind over other arrays."""
        decimals = self.decimals
        return PackedRows(values, indices, indptr, self.shape[1], bias, blocks, decimals=decimals)

    @property
    def values(self):
        return _unpacked(self.stored[0], self.decimals)

    @property
    def indices(self):
        return self.stored[1].astype(np.int32)


cdef int _pack(Rows rows, int decimals) except -1:
    rows_pack(&rows.c, decimals)
    return 0


cdef object _unpacked(const int32_t[::1] stored, int decimals):
    cdef Py_ssize_t t
    cdef row_unit_t unit = packed_unit(decimals)
    values = np.empty(stored.shape[0])
    cdef double[::1] out = values
    with nogil:
        for t in range(stored.shape[0]):
            out[t] = packed_value(stored[t], unit)
    return values
