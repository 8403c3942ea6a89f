"""Scores of folds that lack a class."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import make_scorer


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


def for_classes(scorer: Any, classes: NDArray[Any]) -> Any:
    """The scorer, told all classes where its metric takes labels: a fold may lack some."""
    metric = getattr(scorer, "_score_func", None)
    takes = signature(metric).parameters if metric is not None else {}
    if "labels" not in takes or "average" in takes:  # averages are over labels that occur
        return scorer
    own = {"pos_label": classes[-1]} if len(classes) == 2 and "pos_label" in takes else {}
    return make_scorer(
        metric,
        response_method=scorer._response_method,
        greater_is_better=scorer._sign == 1,
        **{"labels": classes} | own | scorer._kwargs,
    )
