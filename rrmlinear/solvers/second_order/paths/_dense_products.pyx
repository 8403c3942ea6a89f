"""Products of dense rows with several vectors, and sums of the rows with several weights each."""

from rrmlinear.data.rows cimport Rows
from rrmlinear.simd.classes.dense_rows cimport dense_scores, dense_sums
from rrmlinear.simd.rows cimport ROW_FLOAT32

import numpy as np


def times(Rows rows not None, const double[:, ::1] weights not None):
    """X w for each line w, k × n, in double precision. Rows have no bias column."""
    cdef Py_ssize_t n = rows.c.n_rows, d = rows.c.n_features, k = weights.shape[0]
    result = np.empty((k, n))
    padded = np.zeros((k, stride_of(d)))
    padded[:, :d] = weights
    cdef double[:, ::1] out = result, w = padded
    if n and d and k:
        with nogil:
            dense_scores(rows.c.values, rows.c.kind & ROW_FLOAT32, n, d, &w[0, 0], w.shape[1], k,
                         &out[0, 0])
    else:
        result[:] = 0.0
    return result


def sums(Rows rows not None, const double[:, ::1] pulls not None):
    """Σ_i a_i x_i for each line a of n numbers, k × d."""
    cdef Py_ssize_t n = rows.c.n_rows, d = rows.c.n_features, k = pulls.shape[0]
    cdef double[:, ::1] out = np.zeros((k, stride_of(d))), part = np.empty((k, stride_of(d)))
    if n and d and k:
        with nogil:
            dense_sums(rows.c.values, rows.c.kind & ROW_FLOAT32, n, d, &pulls[0, 0], k,
                       &part[0, 0], &out[0, 0], out.shape[1])
    return np.ascontiguousarray(np.asarray(out)[:, :d])


def stride_of(Py_ssize_t d):
    """The numbers of a vector with padding."""
    return max(d + 7, 8) // 8 * 8
