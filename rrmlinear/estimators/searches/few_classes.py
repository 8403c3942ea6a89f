"""Scores of classes: of folds that lack one, and of the positive one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import make_scorer

from rrmlinear.estimators.arguments import FEW_LABELS


class OfSomeClasses(ClassifierMixin, BaseEstimator):
    """A classifier trained on some of the classes; the others have probability 0.

    ``estimator`` is None where only one is known, which is predicted always.
    """

    def __init__(self, estimator: Any, known: NDArray[Any], classes: NDArray[Any]) -> None:
        self.estimator, self.known, self.classes = estimator, known, classes
        self.classes_ = classes

    def predict(self, X: Any) -> NDArray[Any]:
        """The labels."""
        if self.estimator is None:
            return np.full(X.shape[0], self.known[0])
        return np.asarray(self.estimator.predict(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities, n × k."""
        own = (
            np.ones((X.shape[0], 1)) if self.estimator is None else self.estimator.predict_proba(X)
        )
        return self._among_all(own, 0.0)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Their logarithms."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores; other classes have lower scores than all of these. Two classes have one score."""
        own = np.zeros((X.shape[0], 1))
        if self.estimator is not None:
            own = self.estimator.decision_function(X)
            own = np.column_stack([-own, own]) / 2 if own.ndim == 1 else own
        scores = self._among_all(own, float(own.min()) - 1)
        return scores[:, 1] - scores[:, 0] if len(self.classes) == 2 else scores

    def _among_all(self, own: NDArray[Any], other: float) -> NDArray[np.float64]:
        scores = np.full((len(own), len(self.classes)), other)
        scores[:, np.searchsorted(self.classes, self.known)] = own
        return scores


def for_classes(scorer: Any, classes: NDArray[Any], averages_all: bool = False) -> Any:
    """The scorer, told what its metric takes: all classes, as a fold may lack some, and of two the
    second as the positive one, whichever their labels are. What the caller has said stays.

    ``averages_all``: averages are over all classes, as scikit-learn's searches take them of a fold;
    else over those that occur, as its scorers do. Areas under curves need all classes.
    """
    metric = getattr(scorer, "_score_func", None)
    takes = signature(metric).parameters if metric is not None else {}
    own: dict[str, Any] = {}
    usual = takes["average"].default if "average" in takes else None
    if "labels" in takes and (usual is None or (averages_all and usual == "binary")):
        own["labels"] = classes
    # metrics that can average over both labels warn then of one that is positive
    averages = usual == "binary" and scorer._kwargs.get("average", usual) != "binary"
    if len(classes) == 2 and "pos_label" in takes and not averages:
        own["pos_label"] = classes[-1]
    if not own:
        return scorer
    return make_scorer(
        metric,
        response_method=scorer._response_method,
        greater_is_better=scorer._sign == 1,
        **own | scorer._kwargs,
    )


def score_of(scorer: Any, estimator: Any, X: Any, y: Any, weights: Any) -> float:
    """The score on X and y, by the weights of examples where the scorer takes any."""
    accepts = getattr(scorer, "_accept_sample_weight", None)
    if weights is None or (accepts is not None and not accepts()):
        return float(scorer(estimator, X, y))
    return float(scorer(estimator, X, y, sample_weight=weights))


@contextmanager
def fold_named(at: int, folds: Sequence[Any], y: Any, classes: Any) -> Iterator[None]:
    """Name the fold in a ValueError of the block, and the ``classes`` that it holds none of.

    ``classes`` are None for numbers.
    """
    try:
        yield
    except ValueError as error:
        missing = [] if classes is None else np.setdiff1d(classes, y[folds[at][1]]).tolist()
        named = ", ".join(map(repr, missing[:FEW_LABELS]))
        lacks = f", which holds out no example of class {named}" if missing else ""
        raise ValueError(f"fold {at + 1} of {len(folds)}{lacks}: {error}") from error
