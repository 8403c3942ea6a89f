"""Scores of weighted hypotheses, scikit-learn's estimators as their weak learners, and the problems
of a soft margin: caps of weights, hypotheses, a solver for each class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import has_fit_parameter

from rrmlinear.core.plain_state import PlainState
from rrmlinear.solvers.boosting.edges import Edges, WeightBox
from rrmlinear.solvers.boosting.generation import ColumnGeneration
from rrmlinear.solvers.boosting.hypotheses import Column, Columns, Found, Hypotheses
from rrmlinear.solvers.boosting.linear_program import LinearProgram
from rrmlinear.solvers.boosting.master import AcceleratedMaster
from rrmlinear.solvers.boosting.stumps import Stump, Stumps
from rrmlinear.solvers.loop.rounding import ADVICE
from rrmlinear.solvers.loop.tolerances import MIN_DIVISOR


class Learner:
    """Hypotheses that an estimator learns, with both signs: predictions of classes −1 and 1, or
    predicted numbers cut to [−1, 1].

    Raises ValueError for an estimator that takes no sample_weight.
    """

    complete = False

    def __init__(self, estimator: Any, X: Any, signs: Array, random: RandomState) -> None:
        if not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
            raise ValueError(
                f"estimator is {estimator!r}; it must be None, 'stumps', 'columns', or an "
                "estimator with fit and predict"
            )
        if not has_fit_parameter(estimator, "sample_weight"):
            raise ValueError(f"{type(estimator).__name__} takes no sample_weight in fit")
        self.estimator, self.X, self.signs, self.random = estimator, X, signs, random

    def prepare(self) -> None:
        """Nothing."""

    def best(self, g: Array, count: int) -> list[Found]:
        """The estimator trained with weights |g_i| times n, their mean being 1."""
        learner = clone(self.estimator)
        seeds = {
            name: int(self.random.randint(np.iinfo(np.int32).max))
            for name in sorted(learner.get_params())
            if name == "random_state" or name.endswith("__random_state")
        }
        learner.set_params(**seeds)
        labels = self.signs.astype(np.int64) if is_classifier(learner) else self.signs
        learner.fit(self.X, labels, sample_weight=np.abs(g) * len(g))
        outputs = outputs_of(learner, self.X)
        sign = 1.0 if float(g @ outputs) >= 0 else -1.0
        return [Found((learner, sign), sign * outputs)]


def outputs_of(learner: Any, X: Any) -> Array:
    """Predictions as numbers in [−1, 1]."""
    return np.clip(np.asarray(learner.predict(X), dtype=np.float64).ravel(), -1.0, 1.0)


Array = NDArray[np.float64]


def scores_of(X: Any, hypotheses: list[Any], weights: Array) -> Array:
    """Σ_t weight_t h_t(x) for the rows of X, dense or sparse by columns."""
    scores = np.zeros(X.shape[0])
    if not hypotheses:
        return scores
    if isinstance(hypotheses[0], Stump):
        _add_stumps(X, hypotheses, weights, scores)
        return scores
    for each, weight in zip(hypotheses, weights, strict=True):
        if isinstance(each, Column):
            _add_column(X, each, weight, scores)
        else:
            scores += weight * outputs_of(each, X)
    return scores


class Stages(PlainState):
    """The ensembles of one class after each pass, over the hypotheses that any of them takes.

    ``passes`` are places among those found, and weights; ``last`` are the weights of the result.
    """

    def __init__(
        self, found: list[Any], passes: list[tuple[NDArray[np.intp], Array]], last: Array
    ) -> None:
        end = np.flatnonzero(last)
        if not (passes and np.array_equal(passes[-1][1], last[end])):
            passes = [*passes, (end, last[end])]  # a limit ended a pass before its end
        used = np.unique(np.concatenate([some for some, _ in passes]))
        self.hypotheses = [found[t] for t in used]
        self.passes = [(np.searchsorted(used, some), weights) for some, weights in passes]

    def scores(self, X: Any) -> Iterator[Array]:
        """f(x) of the rows of X after each pass; each hypothesis is evaluated once."""
        outputs = np.empty((X.shape[0], len(self.hypotheses)), order="F")
        for t, each in enumerate(self.hypotheses):
            learner, sign = each if isinstance(each, tuple) and len(each) == 2 else (each, 1.0)
            outputs[:, t] = scores_of(X, [learner], np.array([sign]))
        for some, weights in self.passes:
            yield outputs[:, some] @ weights


def _stored(X: Any, j: int) -> tuple[Any, Array]:
    """The rows at which feature j is stored, and its values there."""
    if not hasattr(X, "indptr"):
        return slice(None), X[:, j]
    stored = slice(X.indptr[j], X.indptr[j + 1])
    return X.indices[stored], X.data[stored]


def _add_column(X: Any, column: Column, weight: float, scores: Array) -> None:
    rows, values = _stored(X, column.feature)
    scores[rows] += weight * column.sign * values


def _add_stumps(X: Any, stumps: list[Stump], weights: Array, scores: Array) -> None:
    """The stumps of a feature are one step function of it."""
    features = np.array([each.feature for each in stumps])
    thresholds = np.array([each.threshold for each in stumps])
    signed = weights * np.array([each.sign for each in stumps])
    scores -= signed.sum()
    for j in np.unique(features):
        own = np.flatnonzero(features == j)
        own = own[np.argsort(thresholds[own], kind="stable")]
        steps = np.concatenate([[0.0], np.cumsum(2 * signed[own])])
        rows, values = _stored(X, int(j))
        reached = steps[np.searchsorted(thresholds[own], values)]
        if hasattr(X, "indptr"):
            at_zero = steps[np.searchsorted(thresholds[own], 0.0)]
            scores += at_zero
            scores[rows] += reached - at_zero
        else:
            scores += reached


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
