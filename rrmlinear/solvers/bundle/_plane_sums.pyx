"""Products with the planes of a model and their sums, and derivatives kept in a byte each."""

from libc.stdint cimport uint8_t

from rrmlinear.simd.columns cimport columns_add, columns_times

import numpy as np

cdef enum:
    MAX_NUMBERS = 16     # different numbers in a table, which is searched from its start


def products(const double[:, ::1] A not None, const double[::1] v not None,
             double[::1] out not None):
    """out ← A v."""
    with nogil:
        columns_times(&A[0, 0], A.shape[0], A.shape[1], &v[0], &out[0])


def add_combination(const double[:, ::1] A not None, const double[::1] weights not None,
                    double[::1] out not None):
    """out ← out + A' weights."""
    with nogil:
        columns_add(&A[0, 0], A.shape[0], A.shape[1], &weights[0], &out[0])


def pack(const double[::1] array not None):
    """(codes, table), table[codes] equal to the array, or None if more than MAX_NUMBERS differ."""
    cdef Py_ssize_t i, n = array.shape[0]
    cdef int code = 0, count = 0
    cdef double x
    table, codes = np.zeros(MAX_NUMBERS), np.empty(n, dtype=np.uint8)
    cdef double[::1] known = table
    cdef uint8_t[::1] out = codes
    with nogil:
        for i in range(n):
            x = array[i]
            if code == count or known[code] != x:
                code = 0
                while code < count and known[code] != x:
                    code += 1
                if code == count:
                    if count == MAX_NUMBERS:
                        count += 1
                        break
                    known[count] = x
                    count += 1
            out[i] = code
    return None if count > MAX_NUMBERS else (codes, table[:count].copy())
