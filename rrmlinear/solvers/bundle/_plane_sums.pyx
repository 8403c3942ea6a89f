"""Sums over the planes of a model, and slopes kept in a byte each."""

from libc.stdint cimport uint8_t

import numpy as np

cdef extern from "plane_sums.h" nogil:
    void plane_products(const double* A, Py_ssize_t count, Py_ssize_t d, const double* v,
                        double* out)
    void plane_combination(const double* A, Py_ssize_t count, Py_ssize_t d,
                           const double* weights, double* out)

cdef enum:
    MOST = 16            # different numbers; looked through one by one


def products(const double[:, ::1] A, const double[::1] v, double[::1] out):
    """out ← A v."""
    with nogil:
        plane_products(&A[0, 0], A.shape[0], A.shape[1], &v[0], &out[0])


def add_combination(const double[:, ::1] A, const double[::1] weights, double[::1] out):
    """out ← out + A' weights."""
    with nogil:
        plane_combination(&A[0, 0], A.shape[0], A.shape[1], &weights[0], &out[0])


def pack(const double[::1] array):
    """(codes, table), table[codes] equal to the array, or None where that has too many numbers."""
    cdef Py_ssize_t i, n = array.shape[0]
    cdef int code = 0, count = 0
    cdef double x
    table, codes = np.zeros(MOST), np.empty(n, dtype=np.uint8)
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
                    if count == MOST:
                        count += 1
                        break
                    known[count] = x
                    count += 1
            out[i] = code
    return None if count > MOST else (codes, table[:count].copy())
