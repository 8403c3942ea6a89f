"""The problems of a soft margin: the caps of weights, the hypotheses, a solver for each class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from rrmlinear.catalog.builders.boosting import ColumnGeneration, Columns, Stumps, boosting_solver
from rrmlinear.estimators.boosting.learners import Learner
from rrmlinear.solvers.loop.finite import ADVICE
from rrmlinear.solvers.loop.tolerances import MIN_DIVISOR

Array = NDArray[np.float64]

STUMPS, COLUMNS = "stumps", "columns"
# The fraction of margin errors where neither it nor nu is given.
MARGIN_ERRORS = 0.2
# nu times the weights falls below 1 by rounding alone, relative to 1.
CAP_ROUNDING = 1e-12


class CountedExamples(NamedTuple):
    """The examples whose weights are not 0: their rows, weights and places among all n."""

    X: Any
    weights: Array
    used: NDArray[np.intp]
    n: int

    @classmethod
    def of(cls, X: Any, weights: Array) -> Self:
        used = np.flatnonzero(weights)
        if used.size < len(weights):
            return cls(X[used], weights[used], used, len(weights))
        return cls(X, weights, used, len(weights))


def cap_of(nu: float | None, margin_errors: float | None, weights: Array) -> float:
    """ν, such that the caps ν s_i of the weights s have a sum of at least 1.

    Raises ValueError for a smaller one, and for both numbers.
    """
    total = float(weights.sum())
    if nu is None:
        fraction = MARGIN_ERRORS if margin_errors is None else margin_errors
        return 1 / (float(fraction) * total)
    if margin_errors is not None:
        raise ValueError(
            f"nu is {nu!r} and margin_errors is {margin_errors!r}; only one of them may be given"
        )
    if nu * total < 1 - CAP_ROUNDING:
        raise ValueError(
            f"nu is {nu!r}: the weights of {len(weights)} examples sum to at most "
            f"{nu * total:.4g}, and must sum to 1; nu must be at least {1 / total:.4g}"
        )
    return max(float(nu), 1 / total)


def is_by_features(estimator: Any) -> bool:
    """Whether hypotheses are functions of single features, searched for without a learner."""
    return estimator is None or (isinstance(estimator, str) and estimator in (STUMPS, COLUMNS))


def searches_of(estimator: Any, X: Any, random: Any) -> Callable[[Array], Any]:
    """What makes the hypotheses of a class from its signs ±1; classes share sorted features."""
    if not is_by_features(estimator):
        return lambda signs: Learner(estimator, X, signs, random)
    X = X.tocsc() if issparse(X) else X
    shared = (Columns if estimator == COLUMNS else Stumps)(X)
    return lambda signs: shared


def solvers_of(
    search: Callable[[Array], Any],
    signs: list[Array],
    weights: Array,
    nu: float,
    lam: float,
    by_highs: bool,
) -> list[ColumnGeneration]:
    """The solver of each class against the rest; ValueError for weights too far apart."""
    alike = bool((weights == weights[0]).all())
    caps: Any = nu * (float(weights[0]) if alike else weights)
    start = weights / weights.sum()
    if not (np.min(start) > MIN_DIVISOR and np.min(caps) > 0):
        raise ValueError(
            f"numbers leave the range of double precision: the smallest sample weight is "
            f"{weights.min():g}, their sum {weights.sum():g}; {ADVICE}"
        )
    return [boosting_solver(search(y), y, start, caps, lam, by_highs=by_highs) for y in signs]
