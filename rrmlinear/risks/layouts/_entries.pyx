"""Entries of a product of two matrices."""

from libc.stdint cimport int64_t

import numpy as np


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
