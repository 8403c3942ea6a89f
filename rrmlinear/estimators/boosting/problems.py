"""The problems of a soft margin: the caps of weights, the hypotheses, a solver for each class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from rrmlinear.estimators.boosting.ensembles import Learner
from rrmlinear.solvers.boosting.edges import Edges, WeightBox
from rrmlinear.solvers.boosting.generation import ColumnGeneration
from rrmlinear.solvers.boosting.hypotheses import Columns, Hypotheses
from rrmlinear.solvers.boosting.linear_program import LinearProgram
from rrmlinear.solvers.boosting.master import AcceleratedMaster
from rrmlinear.solvers.boosting.stumps import Stumps
from rrmlinear.solvers.loop.rounding import ADVICE
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


def boosting_solver(
    hypotheses: Hypotheses,
    signs: Array,
    start: Array,
    caps: Any,
    lam: float,
    *,
    by_highs: bool = False,
) -> ColumnGeneration:
    """minimize λ Δ(w, start) + max_h Σ_i w_i y_i h(x_i) over 0 ≤ w_i ≤ cap_i, Σ w_i = 1.

    ``signs`` are y_i = ±1. ``by_highs`` solves the problem over the hypotheses found as a linear
    program, for λ = 0.
    """
    box = WeightBox(start, caps)
    master: Edges = LinearProgram(box, lam) if by_highs else AcceleratedMaster(box, lam)
    return ColumnGeneration(hypotheses, signs, master)
