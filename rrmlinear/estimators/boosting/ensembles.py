"""Scores of weighted hypotheses, and scikit-learn's estimators as their weak learners."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import has_fit_parameter

from rrmlinear.core.plain_state import PlainState
from rrmlinear.solvers.boosting.hypotheses import Column, Found
from rrmlinear.solvers.boosting.stumps import Stump


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
