"""Sparse rows with values of 32 or 16 bits and indices of 16: less memory to read in each pass."""

from libc.stdint cimport int32_t

from rrmlinear.simd.rows cimport packed_unit, packed_value, row_unit_t, rows_pack, rows_shorten
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


class ShortRows(Rows):
    """Sparse rows in a third of the memory: values are whole numbers of 16 bits times a unit of the
    row plus its least value, both float32 in ``units``, n × 2. Indices are stored as uint16.

    The attributes ``values`` and ``indices`` are copies as those of `PackedRows`.
    """

    def __init__(self, values, indices, indptr, n_features, bias=-1.0, blocks=None, *, units):
        super().__init__(values, indices, indptr, n_features, bias, blocks)
        self.units = units
        _shorten(self, units)

    def over(self, values, indices, indptr, bias, blocks=None):
        """Rows with the same units over other arrays."""
        return ShortRows(
            values, indices, indptr, self.shape[1], bias, blocks, units=self.units)

    def between(self, begin, end):
        values, indices = self.stored
        return ShortRows(values, indices, self.indptr[begin:end + 1], self.shape[1], self.bias,
                         units=self.units[begin:end])

    @property
    def values(self):
        first, last = self.indptr[0], self.indptr[self.shape[0]]
        values = np.zeros(len(self.stored[0]))
        units = np.repeat(self.units.astype(np.float64), self.lengths(), axis=0)
        values[first:last] = units[:, 0] * self.stored[0][first:last] + units[:, 1]
        return values

    @property
    def indices(self):
        return self.stored[1].astype(np.int32)


cdef int _pack(Rows rows, int decimals) except -1:
    rows_pack(&rows.c, decimals)
    return 0


cdef int _shorten(Rows rows, const float[:, ::1] units) except -1:
    if (units.shape[0], units.shape[1]) != (rows.c.n_rows, 2):
        shape = f"{units.shape[0]} × {units.shape[1]}"
        raise ValueError(f"units of shape {shape}, but {rows.c.n_rows} rows")
    rows_shorten(&rows.c, &units[0, 0] if units.shape[0] else NULL)
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
