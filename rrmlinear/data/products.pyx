"""X W, the products of rows with weights of k columns: the loop that all who need them share."""

from libc.stdint cimport uintptr_t
from libc.string cimport memcpy

from rrmlinear.simd.blocks cimport block_scores, block_stride
from rrmlinear.simd.rows cimport row_index, row_t, rows_get
from rrmlinear.data.rows cimport Rows

import numpy as np

from rrmlinear.data.rows import aligned_zeros


def product(Rows rows not None, const double[:, :] weights not None, Py_ssize_t n_features):
    """X W, n × k, for weights over n_features features and one more row if there is a bias.

    Stored values at features from n_features on do not count. Raises ValueError for weights with
    fewer rows.
    """
    cdef Py_ssize_t k = weights.shape[1], needed = n_features + (rows.bias >= 0)
    if weights.shape[0] < needed:
        raise ValueError(f"{weights.shape[0]} rows of weights, but {needed} are needed")
    padded = aligned_zeros(max(weights.shape[0], 1), block_stride(k))
    padded[:weights.shape[0], :k] = weights
    result = np.empty((rows.c.n_rows, k))
    product_of_part(rows, padded, result, 0, 0, rows.c.n_rows, n_features)
    return result


def product_of_part(Rows rows not None, const double[:, ::1] W not None,
                    double[:, ::1] out not None, Py_ssize_t part, Py_ssize_t begin, Py_ssize_t end,
                    Py_ssize_t n_features=-1):
    """Rows begin … end − 1 of X W into those of ``out``, n × k; a task of `Shares`.

    W has k columns, at least 2, or `block_stride` (k) of them with zeros as padding. Each row of
    ``out`` has the same bits whatever the parts. For ``n_features`` see `product`; −1: all count.
    """
    cdef Py_ssize_t k = out.shape[1], stride = W.shape[1], whole = block_stride(k)
    cdef Py_ssize_t features = rows.c.n_features if n_features < 0 else n_features, i, first, last
    line = aligned_zeros(1, max(whole, 8))       # vectors may end behind the row of ``out``
    cdef double* scores = <double*> <uintptr_t> line.ctypes.data
    cdef row_t row
    for first, last in rows.spans(begin, end):
        with nogil:
            for i in range(first, last):
                row = rows_get(&rows.c, i)
                if features != rows.c.n_features:
                    row.bias_index = features
                    while row.length and row_index(&row, row.kind, row.length - 1) >= features:
                        row.length -= 1
                block_scores(&row, &W[0, 0], stride, whole, scores)
                memcpy(&out[i, 0], scores, k * sizeof(double))
