# Packed rows in C, as simd/rows.h describes them.
from libc.stdint cimport int32_t

from rrmlinear.simd.rows cimport rows_t


cdef extern from "rows.h" nogil:
    ctypedef struct row_unit_t:
        pass

    row_unit_t packed_unit(int decimals)
    double packed_value(int32_t number, row_unit_t unit)
    void rows_pack(rows_t* rows, int decimals)
