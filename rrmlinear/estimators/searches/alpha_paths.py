"""The paths of least squares with a 1-norm over folds, by Gram matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.array_rows import rows_of
from rrmlinear.estimators.matrices.group_regressions import SharedFeatures
from rrmlinear.estimators.regressions import ElasticNet, Lasso
from rrmlinear.estimators.searches.path_scores import part_of
from rrmlinear.estimators.searches.squares import (
    Fold,
    Squares,
    fits_gram,
    is_in_range,
    squares_of_folds,
)
from rrmlinear.solvers.features.group_paths import group_path
from rrmlinear.solvers.features.set_paths import gram_path, set_paths

Array = NDArray[np.float64]
#: Weights and an intercept of each value of alpha, None where no gap proves them.
Found = list[tuple[Array, float] | None]

# The gap of a start is at most this part of the tolerance.
START_ACCURACY = 0.5


def alpha_paths(search: Any, one: Any, X: Any, y: Any, weights: Any, folds: list[Fold]) -> Any:
    """`AlphaPaths` of a search over fits of ``one``, or `TaskPaths` of several targets; None where
    these are no least squares with a 1-norm, or are to be seen or scored otherwise.
    """
    if isinstance(one, SharedFeatures) and search.scoring is search.callback is None:
        return TaskPaths(one, X, y, weights, folds)
    if (
        not isinstance(one, Lasso | ElasticNet)
        or one.solver != "auto"
        or one.fit_intercept not in (0, 1)
        or one.penalty_factors is not None
    ):
        return None
    if search.scoring is not None or search.callback is not None or y.ndim != 1:
        return None
    return AlphaPaths(one, X, y, weights, folds) if is_in_range(X) else None


class AlphaPaths:
    """The problems of all folds, and that of all examples.

    With few features, or many examples for each, their Gram matrices are those of all features:
    `squares_of_folds`; else those of working sets: `SetPaths`.
    """

    def __init__(self, one: Any, X: Any, y: Any, weights: Any, folds: list[Fold]) -> None:
        self.X, self.y, self.centred = X, y, bool(one.fit_intercept)
        self.tolerance, self.positive = one.tol, one.positive
        c = np.ones(len(y)) if weights is None else weights
        everyone = np.arange(len(y)), np.arange(0)
        self.squares: list[Squares | None] | None = None
        if fits_gram(X, len(folds)):
            self.squares = squares_of_folds(X, y, weights, [*folds, everyone], self.centred)
            return
        self.costs = np.zeros((len(folds) + 1, len(y)))
        for row, (train, _) in zip(self.costs, [*folds, everyone], strict=True):
            np.add.at(row, train, c[train])

    def along(self, ratio: float | None, values: Array) -> list[Found]:
        """What is found for each fold and value."""
        return self._found(ratio, values, slice(0, -1), self.tolerance)

    def at(self, ratio: float | None, value: float) -> tuple[Array, float] | None:
        """What is found for a value on all examples."""
        tolerance = START_ACCURACY * self.tolerance
        return self._found(ratio, np.array([value]), slice(-1, None), tolerance)[0][0]

    def _found(
        self, ratio: float | None, values: Array, some: slice, tolerance: float
    ) -> list[Found]:
        if ratio == 0:
            return [[None] * len(values)] * len(range(*some.indices(len(self._problems()))))
        if self.squares is not None:
            return [self._on_gram(ratio, values, each, tolerance) for each in self.squares[some]]
        costs = self.costs[some]
        found: list[Found] = [[None] * len(values) for _ in costs]
        known = np.flatnonzero(costs.sum(axis=1) > 0)
        strengths = [_strengths(ratio, values, costs[f].sum()) for f in known]
        rows, (_, d) = rows_of(self.X, True), self.X.shape
        how = self.centred, strengths, tolerance, self.positive
        if len(known):
            for at, each in enumerate(set_paths(rows, self.y, costs[known], *how)):
                for f, one in zip(known.tolist(), each, strict=True):
                    found[f][at] = _whole(one, d)
        return found

    def _problems(self) -> Any:
        return self.costs if self.squares is None else self.squares

    def _on_gram(
        self, ratio: float | None, values: Array, squares: Squares | None, tolerance: float
    ) -> Found:
        if squares is None:
            return [None] * len(values)
        strengths = _strengths(ratio, values, squares.total)
        sums = squares.gram, squares.linear, squares.square
        return [
            None if w is None else (w, squares.intercept(w) if self.centred else 0.0)
            for w in gram_path(*sums, strengths, tolerance, self.positive)
        ]


class TaskPaths:
    """The problems of several targets of all folds, and that of all examples."""

    def __init__(self, one: Any, X: Any, y: Any, weights: Any, folds: list[Fold]) -> None:
        self.one, self.data, self.folds = one, (X, y, weights), folds

    def along(self, ratio: float | None, values: Array) -> list[list[Any]]:
        """What is found for each fold and value."""
        return [self._found(part_of(self.data, train), ratio, values) for train, _ in self.folds]

    def at(self, ratio: float | None, value: float) -> tuple[Array, Array] | None:
        """What is found for a value on all examples."""
        found: tuple[Array, Array] | None = self._found(self.data, ratio, np.array([value]))[0]
        return found

    def _found(self, data: Any, ratio: float | None, values: Array) -> list[Any]:
        X, y, weights = data
        costs = np.ones(len(y)) if weights is None else weights
        total = float(costs.sum())
        if ratio == 0 or not total > 0:
            return [None] * len(values)
        how = bool(self.one.fit_intercept), _strengths(ratio, values, total), self.one.tol
        return list(group_path(X, y, costs, *how))


def _strengths(ratio: float | None, values: Array, total: float) -> list[tuple[float, float]]:
    """l1 and the modulus for each value, where costs have this sum."""
    part, alphas = 1.0 if ratio is None else ratio, values * total
    return list(zip((alphas * part).tolist(), (alphas * (1 - part)).tolist(), strict=True))


def _whole(found: Any, d: int) -> tuple[Array, float] | None:
    """The weights of all features, and the intercept, from those of some."""
    if found is None:
        return None
    features, weights, intercept = found
    result = np.zeros(d)
    result[features] = weights
    return result, intercept
