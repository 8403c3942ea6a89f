"""The paths of least squares with a 1-norm over folds, by Gram matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from rrmlinear.data.array_rows import rows_of
from rrmlinear.estimators.arguments import factors_of
from rrmlinear.estimators.matrices.group_regressions import SharedFeatures
from rrmlinear.estimators.regressions import ElasticNet, Lasso
from rrmlinear.estimators.searches.path_scores import part_of
from rrmlinear.estimators.searches.squares import (
    FactoredSquares,
    Fold,
    Squares,
    fits_gram,
    is_in_range,
    squares_of_folds,
)
from rrmlinear.solvers.features.group_descent import group_path
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
    ):
        return None
    if search.scoring is not None or search.callback is not None or y.ndim != 1:
        return None
    return AlphaPaths(one, X, y, weights, folds) if is_in_range(X) else None


class AlphaPaths:
    """The problems of all folds, and that of all examples.

    With few features, or many examples for each, their Gram matrices are those of all features:
    `squares_of_folds`; else those of working sets: `SetPaths`. Columns over the factors of their
    penalties, less what features without a penalty fit, have factors of 1.
    """

    def __init__(self, one: Any, X: Any, y: Any, weights: Any, folds: list[Fold]) -> None:
        self.X, self.y, self.centred = X, y, bool(one.fit_intercept)
        self.tolerance, self.positive = one.tol, one.positive
        c = np.ones(len(y)) if weights is None else weights
        everyone = np.arange(len(y)), np.arange(0)
        self.factors = factors_of(one, X.shape[1])
        self.squares: list[Squares | None] | None = None
        self.is_out = False
        is_plain = self.factors is None or (isinstance(one, Lasso) and bool(self.factors.all()))
        if fits_gram(X, len(folds), not is_plain):
            self.squares = squares_of_folds(X, y, weights, [*folds, everyone], self.centred)
            return
        self.is_out = not is_plain  # fits find what is asked for
        if self.factors is not None and is_plain:
            self.X = X.multiply(1 / self.factors).tocsr() if issparse(X) else X / self.factors
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
        if ratio == 0 or self.is_out:
            problems = self.costs if self.squares is None else self.squares
            return [[None] * len(values)] * len(range(*some.indices(len(problems))))
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
                    found[f][at] = _whole(one, d, self.factors)
        return found

    def _on_gram(
        self, ratio: float | None, values: Array, squares: Squares | None, tolerance: float
    ) -> Found:
        factors = self.factors
        if squares is None or (self.positive and factors is not None and not factors.all()):
            return [None] * len(values)
        strengths, more, of = _strengths(ratio, values, squares.total), None, None
        sums: Any = squares
        if factors is not None:
            sums = of = FactoredSquares(squares, factors)
            strengths = [(l1, of.least * modulus) for l1, modulus in strengths]
            more = of.more if of.more.any() else None
        found: Found = []
        how = strengths, tolerance, self.positive, more
        for w in gram_path(sums.gram, sums.linear, sums.square, *how):
            w = w if w is None or of is None else of.weights(w)
            b = squares.intercept(w) if self.centred and w is not None else 0.0
            found.append(None if w is None else (w, b))
        return found


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


def _whole(found: Any, d: int, factors: Array | None) -> tuple[Array, float] | None:
    """The weights of all features, and the intercept, from those of some, times their factors."""
    if found is None:
        return None
    features, weights, intercept = found
    result = np.zeros(d)
    result[features] = weights if factors is None else weights / factors[features]
    return result, intercept
