"""Inner products of the features of one working set after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time
from rrmlinear.solvers.features.feature_columns import FeatureColumns

# Examples that are multiplied at once.
CHUNK = 8192
# The diagonal of float32 products is by this part larger: rounding takes less from them.
SINGLE_RIDGE = 1e-6
# Features that are held, of which this part and more left the working set, are let go.
MOST_LEFT = 0.5


class WorkingGram:
    """Products a_j'a_k of dense columns less their centres; known ones are not made again.

    Columns are held with length 1, in float32 unless ``is_exact``: their products take half the
    time then, and steps by them, from exact derivatives, make up for what they round.
    """

    def __init__(self, columns: FeatureColumns, is_exact: bool) -> None:
        self.columns, self.is_exact = columns, is_exact
        self._let_go()

    def _let_go(self) -> None:
        self.places = np.full(self.columns.count, -1)
        self.names = np.zeros(0, dtype=np.int64)
        self.held: list[NDArray[Any]] = []
        self.products = np.zeros((0, 0))

    def choose(self, features: NDArray[np.int64]) -> WorkingGram:
        """Go on to these features."""
        new = features[self.places[features] < 0]
        if len(features) < MOST_LEFT * (len(self.products) + len(new)):
            self._let_go()
            new = features
        if len(new):
            self._hold(new)
        self.chosen = features
        return self

    def matrix(self) -> NDArray[np.float64]:
        """The matrix over the features chosen."""
        places = self.places[self.chosen]
        gram = self.products.take(places, 0).take(places, 1)
        ridge = 0.0 if self.is_exact else SINGLE_RIDGE
        gram.flat[:: len(gram) + 1] = (1 + ridge) * self.columns.curvature[self.chosen]
        return gram

    def _hold(self, new: NDArray[np.int64]) -> None:
        kind = np.float64 if self.is_exact else np.float32
        part = self.columns.scaled(new, kind)
        self.held.append(part)
        known, count = len(self.products), len(self.products) + len(new)
        lines = np.zeros((len(new), count))
        for begin in range(0, part.shape[1], CHUNK):
            check_time()
            some, at = part[:, begin : begin + CHUNK], 0
            for other in self.held:
                # of one array BLAS computes a half
                other = other[:, begin : begin + CHUNK]
                lines[:, at : at + len(other)] += some @ other.T
                at += len(other)
        self.names = np.append(self.names, new)
        lengths = np.sqrt(self.columns.curvature[self.names])
        lines *= lengths
        lines *= lengths[known:, np.newaxis]
        products = np.empty((count, count))
        products[:known, :known] = self.products
        products[known:] = lines
        products[:known, known:] = lines[:, :known].T
        self.products = products
        self.places[new] = np.arange(known, count)
