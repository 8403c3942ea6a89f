"""X W and X'D of the rows of all positions, k columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.products import product_of_part
from rrmlinear.data.rows import Rows
from rrmlinear.risks.shares import Shares

Array = NDArray[np.float64]

# Rows of dense data that are widened to float64 at a time.
DENSE_ROWS = 4096


class ChainProducts:
    """Products of n rows over d columns, an appended one included, with matrices of k columns.

    A second copy of sparse data is sorted by features. X'D then reads the rows of D where they lie,
    and writes each row of the result once. The bits are the same for any number of threads. Dense
    data go through BLAS.
    """

    def __init__(self, rows: Rows, k: int, threads: int = 1) -> None:
        self.rows, self.k = rows, k
        self.by_features = None if rows.is_dense else _transposed(rows)
        self.shares = Shares(rows, threads, k)
        self.feature_shares = (
            None if self.by_features is None else Shares(self.by_features, threads, k)
        )

    def times(self, W: Array, out: Array) -> None:
        """out = X W, n × k."""
        if self.by_features is None:
            self._dense_times(W, out)
        else:
            _products(self.rows, W, self.shares, out)

    def gradient(self, D: Array, out: Array) -> None:
        """out = X'D, d × k."""
        if self.by_features is None:
            self._dense_gradient(D, out)
        else:
            _products(self.by_features, D, self.feature_shares, out)

    def _dense_times(self, W: Array, result: Array) -> None:
        values, d = self.rows.values, self.rows.shape[1]
        for begin in range(0, len(values), DENSE_ROWS):
            some = slice(begin, begin + DENSE_ROWS)
            np.matmul(values[some].astype(np.float64, copy=False), W[:d], out=result[some])
        if self.rows.width > d:
            result += self.rows.bias * W[d]

    def _dense_gradient(self, D: Array, result: Array) -> None:
        values, d = self.rows.values, self.rows.shape[1]
        result[:] = 0
        for begin in range(0, len(values), DENSE_ROWS):
            some = slice(begin, begin + DENSE_ROWS)
            result[:d] += values[some].T.astype(np.float64, copy=False) @ D[some]
        if self.rows.width > d:
            result[d] = self.rows.bias * D.sum(axis=0)


def _products(rows: Rows, matrix: Array, shares: Any, out: Array) -> None:
    matrix = np.ascontiguousarray(matrix)
    if matrix.shape[1] > 1:
        shares.run(product_of_part, rows, matrix, out)
    else:
        pair = np.empty((len(out), 2))  # kernels take two columns at least
        shares.run(product_of_part, rows, np.repeat(matrix, 2, axis=1), pair)
        out[:] = pair[:, :1]


def columns_of(rows: Rows) -> Any:
    """Sparse rows as a matrix by columns, without an appended one."""
    from scipy.sparse import csr_array

    indptr: Any = rows.indptr
    indices: Any = rows.indices
    stored = slice(int(indptr[0]), int(indptr[-1]))
    return csr_array(
        (rows.values[stored], indices[stored], indptr - indptr[0]), shape=rows.shape
    ).tocsc()


def _transposed(rows: Rows) -> Rows:
    matrix = with_bias(columns_of(rows), rows)
    return Rows(matrix.data, matrix.indices, matrix.indptr, rows.shape[0])


def with_bias(matrix: Any, rows: Rows) -> Any:
    """The rows as a matrix by columns, with the appended column if there is one."""
    from scipy.sparse import hstack

    if rows.width == rows.shape[1]:
        return matrix
    column = np.full((rows.shape[0], 1), rows.bias, dtype=matrix.dtype)
    return hstack([matrix, column], format="csc")
