"""Inner products of the features of one working set after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time
from rrmlinear.solvers.features.feature_columns import FeatureColumns

# Examples that are scaled and multiplied at once, at least, and the values of these: they stay in
# the cache.
MIN_EXAMPLES, MOST_VALUES = 512, 1 << 18
# The diagonal of float32 products is by this part larger: rounding takes less from them.
SINGLE_RIDGE = 1e-6
# Features that are held, of which this part and more left the working set, are let go.
MOST_LEFT = 0.5


class WorkingGram:
    """Products a_j'a_k of dense columns less their centres; known ones are not made again.

    Columns are scaled to length 1, in float32 unless ``is_exact``: their products take half the
    time then, and steps by them, from exact derivatives, make up for what they round.
    """

    def __init__(self, columns: FeatureColumns, is_exact: bool) -> None:
        self.columns, self.is_exact = columns, is_exact
        self._let_go()

    def _let_go(self) -> None:
        self.places = np.full(self.columns.count, -1)
        self.names = np.zeros(0, dtype=np.int64)
        self.products = np.zeros((0, 0))

    def choose(self, features: NDArray[np.int64]) -> WorkingGram:
        """Go on to these features."""
        new = features[self.places[features] < 0]
        count = len(self.products) + len(new)
        if len(features) < MOST_LEFT * count:
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
        known, count = len(self.products), len(self.products) + len(new)
        self.names = np.append(self.names, new)
        lengths = np.sqrt(self.columns.curvature[self.names])
        lines = self._lines(known, lengths)
        lines *= lengths
        lines *= lengths[known:, np.newaxis]
        products = np.empty((count, count))
        products[:known, :known] = self.products
        products[known:] = lines
        products[:known, known:] = lines[:, :known].T
        self.products = products
        self.places[new] = np.arange(known, count)

    def _lines(self, known: int, lengths: NDArray[np.float64]) -> NDArray[np.float64]:
        """Products of all columns but the first ``known`` with all, as columns of length 1.

        Columns are scaled again for each working set: that takes less than to keep their copies,
        whose memory is new.
        """
        columns, names, count = self.columns, self.names, len(self.names)
        factors = np.divide(1, lengths, out=np.zeros(count), where=lengths > 0)
        n, by_rows = len(columns.unit), columns.by_rows is not None
        step = min(n, max(MIN_EXAMPLES, MOST_VALUES // count))
        kind: Any = np.float64 if self.is_exact else np.float32
        room = np.empty(step * count, dtype=kind)
        lines = np.zeros((count - known, count))
        for begin in range(0, n, step):
            check_time()
            size = min(step, n - begin)
            shape = (size, count) if by_rows else (count, size)
            part = room[: size * count].reshape(shape)
            columns.scaled(names, factors, begin, part)
            each = part.T if by_rows else part
            lines[:, :known] += each[known:] @ each[:known].T
            lines[:, known:] += each[known:] @ each[known:].T  # BLAS computes a half
        return lines
