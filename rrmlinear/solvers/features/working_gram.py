"""Inner products of the features of one working set after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time
from rrmlinear.solvers.features.feature_columns import FeatureColumns

# Examples that are multiplied at once: their values at a working set stay in the cache.
CHUNK = 2048


class WorkingGram:
    """Products a_j'a_k of dense columns less their centres; known ones are not made again."""

    def __init__(self, columns: FeatureColumns) -> None:
        self.columns = columns
        self.places = np.full(columns.count, -1)
        self.held = np.zeros((0, 0))

    def choose(self, features: NDArray[np.int64]) -> WorkingGram:
        """Go on to these features."""
        places = self.places[features]
        new = np.flatnonzero(places < 0)
        products = self._products(features, new)
        if len(new) == len(features):
            gram = products
        else:
            old = np.flatnonzero(places >= 0)
            gram = np.empty((len(features), len(features)))
            gram[new] = products
            gram[:, new] = products.T
            gram[old[:, np.newaxis], old] = self.held[places[old][:, np.newaxis], places[old]]
        self.places[:] = -1
        self.places[features] = np.arange(len(features))
        self.held = gram
        return self

    def matrix(self) -> NDArray[np.float64]:
        """The matrix over the features chosen."""
        return self.held

    def _products(self, features: NDArray[np.int64], new: NDArray[np.intp]) -> NDArray[np.float64]:
        values = self.columns.rows.values
        result = np.zeros((len(new), len(features)))
        for begin in range(0, values.shape[1], CHUNK):
            check_time()
            part = values[:, begin : begin + CHUNK][features].astype(np.float64, copy=False)
            # of one array BLAS computes a half
            result += (part if len(new) == len(features) else part[new]) @ part.T
        totals = self.columns.totals[features[new]]
        result -= totals[:, np.newaxis] * self.columns.means[features]
        return result
