"""The data at some of the features: as rows, and as columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.features._feature_descent import cut_rows, scaled_columns
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS, MANY_ROUNDINGS

# From this fraction of all features on, a subset is all of them: rows are then read in place.
WHOLE = 0.5


class FeatureSubsets:
    """Cuts rows to subsets of their features; the last subset is kept.

    An appended column is the last feature. ``sizes`` are the stored values of the rows at the
    subset, and the pairs of two of one row; ``whole_sizes`` are those of all features.
    """

    def __init__(self, rows: Rows) -> None:
        self.whole = self.rows = rows
        self.features = np.arange(rows.width)
        self.sizes = self.whole_sizes = _sizes_of(rows)

    def choose(self, features: NDArray[np.int64]) -> NDArray[np.int64]:
        """Cut to these features, or to all if they are most of them; returns the choice."""
        if len(features) >= WHOLE * self.whole.width:
            features = np.arange(self.whole.width)
        if not np.array_equal(features, self.features):
            everything = len(features) == self.whole.width
            # the last subset leaves memory before the next one is made
            self.features, self.rows = features, self.whole
            if not everything:
                self.rows = part_of(self.whole, features)
            self.sizes = self.whole_sizes if everything else _sizes_of(self.rows)
        return features


def _sizes_of(rows: Rows) -> tuple[float, float]:
    lengths = rows.lengths().astype(np.float64)
    return float(lengths.sum()), float(lengths @ lengths)


def part_of(rows: Rows, features: NDArray[np.int64]) -> Rows:
    """The rows at these features alone."""
    if not rows.is_dense:
        return cut_rows(rows, features)
    return Rows(np.take(_dense(rows), features, axis=1), None, None, len(features))


def columns_of(rows: Rows, factors: NDArray[np.float64]) -> Rows:
    """The features as rows over the examples, each example times its factor."""
    if not rows.is_dense:
        return scaled_columns(rows, factors)
    scaled = _dense(rows).T * factors
    return Rows(np.ascontiguousarray(scaled), None, None, len(factors))


def squares_of(rows: Rows, costs: NDArray[np.float64], centred: bool = False) -> Any:
    """Σ_i c_i x_ij² of all features j, less their means by the costs if ``centred``; added up once
    for rows that problems share, with costs in one ratio.
    """
    shared: dict[Any, Any] = getattr(rows, "shared", {})
    known, squares = shared.get(("squares", centred), (None, None))
    most = float(costs.max(initial=0))
    ratio = 1.0 if known is None or not known.max() > 0 else most / float(known.max())
    if known is None or not np.abs(costs - ratio * known).max() <= FEW_ROUNDINGS * most:
        free = (np.ones(len(costs)),) if centred else ()
        known, squares, ratio = costs, Hessian(rows, costs, free).diagonal(), 1.0
        shared["squares", centred] = known, squares
    return squares if ratio == 1 else ratio * squares


def moving_squares(rows: Rows, costs: NDArray[np.float64], centred: bool) -> NDArray[np.float64]:
    """`squares_of`, but 0 for features that never move. Raises ValueError where one overflows."""
    squares = squares_of(rows, costs)
    if not np.isfinite(squares).all():
        worst = int(np.flatnonzero(~np.isfinite(squares))[0])
        raise ValueError(f"the squared norm of feature {worst + 1} overflows; scale the data")
    moving = squares_of(rows, costs, True) if centred else squares
    return np.where(moving > MANY_ROUNDINGS * squares, moving, 0.0)


def _dense(rows: Rows) -> Any:
    if rows.bias < 0:
        return rows.values
    return np.hstack([rows.values, np.full((rows.shape[0], 1), rows.bias)])
