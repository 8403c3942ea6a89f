"""Columns that hold nothing or equal another: a smaller matrix that trains the same weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

Array = NDArray[np.float64]


class AlikeColumns:
    """Sparse rows without the columns that hold nothing and, ``merged``, with one for equal ones.

    If Ω is the squared norm, m equal columns x have equal weights w. One column √m x with the
    weight √m w has the same scores and the same norm. Equal columns are frequent in text: a
    position has dozens of attributes that occur only there. The new columns are sorted by falling
    number of entries, so the weights that most rows read lie together. An appended column stays.

    ``rows`` are the new rows; `expanded` and `reduced` turn weights, a row for each column.
    """

    def __init__(self, rows: Rows, merged: bool) -> None:
        by_columns = columns_of(rows)
        d, bias = rows.shape[1], rows.bias
        lengths = np.diff(by_columns.indptr)
        used = np.flatnonzero(lengths)
        first = _first_of_equals(by_columns, used) if merged else used
        kept, group, count = np.unique(first, return_inverse=True, return_counts=True)
        order = np.argsort(-lengths[kept], kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        root = np.sqrt(count[order])
        smaller = by_columns[:, kept[order]]
        smaller.data = smaller.data * np.repeat(root, np.diff(smaller.indptr))
        matrix = smaller.tocsr()
        self.rows = Rows(matrix.data, matrix.indices, matrix.indptr, len(kept), bias)
        #: Columns with a new one, the number of that, and the factor of its weight.
        self.columns, self.place = used, place[group]
        self.factor = 1 / root[self.place]
        self.n_columns = d

    @property
    def fraction(self) -> float:
        """The number of columns now by that before."""
        return self.rows.shape[1] / self.n_columns

    def expanded(self, weights: Array) -> Array:
        """Weights of the rows given, of those of ``rows``; 0 for columns that hold nothing."""
        extra = len(weights) - self.rows.shape[1]
        result = np.zeros((self.n_columns + extra, weights.shape[1]))
        result[self.columns] = weights[self.place] * self.factor[:, np.newaxis]
        result[self.n_columns :] = weights[self.rows.shape[1] :]
        return result

    def reduced(self, weights: Array) -> Array:
        """The nearest weights of ``rows``, of those of the rows given."""
        d = self.rows.shape[1]
        result = np.zeros((d + len(weights) - self.n_columns, weights.shape[1]))
        np.add.at(result, self.place, weights[self.columns] * self.factor[:, np.newaxis])
        result[d:] = weights[self.n_columns :]
        return result


def columns_of(rows: Rows) -> Any:
    """Sparse rows as a matrix by columns, without an appended one."""
    from scipy.sparse import csr_array

    indptr: Any = rows.indptr
    indices: Any = rows.indices
    stored = slice(int(indptr[0]), int(indptr[-1]))
    return csr_array(
        (rows.values[stored], indices[stored], indptr - indptr[0]), shape=rows.shape
    ).tocsc()


def _first_of_equals(matrix: Any, used: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each column used, the first one that is equal to it.

    Columns of one fingerprint, a sum of numbers drawn for rows and mixed with values, are compared
    entry by entry.
    """
    lengths = np.diff(matrix.indptr)[used]
    drawn = np.random.default_rng(0).integers(1, 2**63, matrix.shape[0], dtype=np.uint64)
    bits = np.ascontiguousarray(matrix.data, dtype=np.float64).view(np.uint64)
    mixed = drawn[matrix.indices] * (bits ^ (bits >> np.uint64(32)) | np.uint64(1))
    prints = np.add.reduceat(mixed, matrix.indptr[used]) if len(used) else mixed[:0]
    order = np.lexsort((lengths, prints))
    new = np.ones(len(order), dtype=bool)
    new[1:] = (prints[order[1:]] != prints[order[:-1]]) | (
        lengths[order[1:]] != lengths[order[:-1]]
    )
    first = np.empty(len(used), dtype=np.int64)
    first[order] = used[order[new]][np.cumsum(new) - 1]
    others = np.flatnonzero(first != used)
    same = _are_equal(matrix, used[others], first[others], lengths[others])
    first[others[~same]] = used[others[~same]]
    return first


def _are_equal(
    matrix: Any, some: NDArray[Any], others: NDArray[Any], lengths: NDArray[Any]
) -> NDArray[np.bool_]:
    """Whether the columns some_i and others_i, each with lengths_i entries, are equal."""
    if len(some) == 0:
        return np.ones(0, dtype=bool)
    ends = np.cumsum(lengths)
    within = np.arange(ends[-1]) - np.repeat(ends - lengths, lengths)
    here = np.repeat(matrix.indptr[some], lengths) + within
    there = np.repeat(matrix.indptr[others], lengths) + within
    equal = (matrix.indices[here] == matrix.indices[there]) & (
        matrix.data[here] == matrix.data[there]
    )
    return np.logical_and.reduceat(equal, ends - lengths)
