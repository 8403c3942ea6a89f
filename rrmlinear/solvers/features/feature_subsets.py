"""The data at some of the features: as rows, and as columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.solvers.features.feature_columns import FeatureColumns

# From this fraction of all features on, a subset is all of them: rows are then read in place.
WHOLE = 0.5


class FeatureSubsets:
    """Cuts rows to subsets of their features; the last subset is kept.

    An appended column is the last feature.
    """

    def __init__(self, rows: Rows) -> None:
        self.whole = rows
        self.columns: Rows | None = None
        self.features = np.arange(rows.width)
        self.rows = rows
        self.part: Rows | None = None

    def choose(self, features: NDArray[np.int64]) -> NDArray[np.int64]:
        """Cut to these features, or to all if they are most of them; returns the choice."""
        if len(features) >= WHOLE * self.whole.width:
            features = np.arange(self.whole.width)
        if not np.array_equal(features, self.features):
            self.features, self.part = features, None
            everything = len(features) == self.whole.width
            self.rows = self.whole if everything else self._cut(features)
        return features

    def as_columns(self) -> Rows:
        """The chosen features, each a row over the examples."""
        if self.part is None:
            self.part = _taken(self._all_columns(), self.features)
        return self.part

    def _cut(self, features: NDArray[np.int64]) -> Rows:
        d = len(features)
        if self.whole.is_dense and self.whole.bias < 0:
            return Rows(np.ascontiguousarray(self.whole.values[:, features]), None, None, d)
        columns = self.as_columns()
        if columns.is_dense:
            return Rows(np.ascontiguousarray(columns.values.T), None, None, d)
        matrix = _matrix(columns).T.tocsr()
        return Rows(matrix.data, matrix.indices, matrix.indptr, d)

    def _all_columns(self) -> Rows:
        if self.columns is None:
            ones = np.ones(self.whole.shape[0])
            self.columns = FeatureColumns(self.whole, ones, False).rows
        return self.columns


def _taken(columns: Rows, features: NDArray[np.int64]) -> Rows:
    n = columns.shape[1]
    if columns.is_dense:
        return Rows(np.ascontiguousarray(columns.values[features]), None, None, n)
    matrix = _matrix(columns)[features]
    return Rows(matrix.data, matrix.indices, matrix.indptr, n)


def _matrix(rows: Rows) -> Any:
    from scipy.sparse import csr_array

    return csr_array((rows.values, rows.indices, rows.indptr), shape=rows.shape)
