"""Scores and labels by an ensemble of weighted hypotheses, and by earlier ensembles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from rrmlinear.estimators.arguments import without_repeats
from rrmlinear.estimators.boosting.ensembles import Stages, is_by_features, scores_of
from rrmlinear.estimators.classifier import labels_of
from rrmlinear.estimators.scores import Scored, checked_in_memory, labelled
from rrmlinear.exports.bases import StumpBasis
from rrmlinear.exports.exported import Exported
from rrmlinear.exports.scorer import CLASSES, Scorer
from rrmlinear.solvers.boosting.hypotheses import Column
from rrmlinear.solvers.boosting.stumps import Stump

Array = NDArray[np.float64]


class EnsemblePredictions(Scored, Exported, ClassifierMixin):
    """Predictions of an ensemble for two classes, or of one for each class against the rest."""

    estimator: Any
    classes_: NDArray[Any]
    n_features_in_: int
    estimators_: Any
    estimator_weights_: Any
    _stages: list[Stages]

    def decision_function(self, X: Any) -> Array:
        """f(x) in [−1, 1], for stumps and learners, of shape (n_samples,).

        With more than two classes (n_samples, n_classes).
        """
        X = self._checked(X)
        if len(self.classes_) == 2:
            return scores_of(X, self.estimators_, self.estimator_weights_)
        pairs = zip(self.estimators_, self.estimator_weights_, strict=True)
        return np.column_stack([scores_of(X, found, weights) for found, weights in pairs])

    def _checked(self, X: Any) -> Any:
        """X as hypotheses take it, of as many features as the fit had."""
        check_is_fitted(self)
        how = {"accept_sparse": ["csr", "csc"], "dtype": np.float64}
        X = without_repeats(checked_in_memory(self, X, reset=False, **how)[0])
        return X.tocsc() if issparse(X) and is_by_features(self.estimator) else X

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """f(x) of the ensemble after each search for hypotheses, shaped as `decision_function`.

        All weights are corrected after a search, so that stages share hypotheses, not weights. A
        class that needed fewer searches keeps its last ensemble.
        """
        X = self._checked(X)
        last = [np.zeros(X.shape[0]) for _ in self._stages]
        stages = [each.scores(X) for each in self._stages]
        for _ in range(max(len(each.passes) for each in self._stages)):
            last = [next(each, kept) for each, kept in zip(stages, last, strict=True)]
            yield last[0] if len(last) == 1 else np.column_stack(last)

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """The labels that the ensemble predicts after each search."""
        for scores in self.staged_decision_function(X):
            yield labels_of(scores, self.classes_)

    def staged_score(self, X: Any, y: Any = None, sample_weight: Any = None) -> Iterator[float]:
        """The accuracy of the ensemble after each search."""
        X, y, sample_weight = labelled(X, y, sample_weight)
        for predicted in self.staged_predict(X):
            yield float(accuracy_score(y, predicted, sample_weight=sample_weight))

    def predict(self, X: Any) -> NDArray[Any]:
        """The label with the largest score for each row of X; ties go to the first class."""
        return labels_of(self.decision_function(X), self.classes_)

    def _scorer(self) -> Scorer:
        """Linear in the features, or in which of their thresholds are passed."""
        check_is_fitted(self)
        several = len(self.classes_) > 2
        found = self.estimators_ if several else [self.estimators_]
        weights = self.estimator_weights_ if several else [self.estimator_weights_]
        every = [each for own in found for each in own]
        scores = np.repeat(np.arange(len(found)), [len(own) for own in found])
        flat, d = np.concatenate(weights), self.n_features_in_
        names, kinds = getattr(self, "feature_names_in_", None), {type(each) for each in every}
        intercepts = np.zeros(len(found))
        if not kinds <= {Stump} and not kinds <= {Column}:
            raise ValueError(
                f"the hypotheses are of {self.estimator!r}: only ensembles of 'stumps' and of "
                "'columns' leave the package; skl2onnx takes each of estimators_ alone"
            )
        signed = flat * np.array([each.sign for each in every])
        features = np.array([each.feature for each in every], dtype=np.int64)
        if kinds <= {Column}:
            coef = np.zeros((len(found), d))
            np.add.at(coef, (scores, features), signed)
            return Scorer(coef, intercepts, CLASSES, self.classes_, names=names)
        thresholds = np.array([each.threshold for each in every])
        np.subtract.at(intercepts, scores, signed)
        bases = [StumpBasis(features, thresholds, d)]
        coef = np.zeros((len(found), len(every)))
        coef[scores, np.arange(len(every))] = 2 * signed
        return Scorer(coef, intercepts, CLASSES, self.classes_, names=names, bases=bases)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
