"""The base of linear classifiers: labels to classes, scores to labels and probabilities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from scipy.special import expit, log_expit, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from rrmlinear.catalog.rows import LossRow
from rrmlinear.catalog.selection import Selection
from rrmlinear.data.label_sets import LabelSets
from rrmlinear.data.labels import group_labels
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.arguments import (
    check_several_classes,
    check_some_weight,
    class_factors,
    classes_of,
    is_label_matrix,
)
from rrmlinear.estimators.labels.label_matrices import fit_matrix, indicator_of, share_of_rows
from rrmlinear.estimators.objective import CLASSIFYING
from rrmlinear.estimators.scores import Scored, problem_of
from rrmlinear.solvers.loop.result import DualBlocks, Result
from rrmlinear.training.model import Model
from rrmlinear.training.starts import Start


def links_scores(estimator: Any) -> bool:
    """Whether the loss of an estimator has probabilities; else an AttributeError says so."""
    loss = estimator._loss(2)
    if loss.link is None:
        raise AttributeError(f"loss {loss.name} has scores that are no likelihoods")
    return True


class SparseCoef:
    """Weights that may be kept as a sparse matrix, for predictions that touch its entries alone."""

    coef_: Any

    def sparsify(self) -> Self:
        """Make ``coef_`` a csr_array: smaller and quicker where more than half of it is 0."""
        check_is_fitted(self)
        self.coef_ = csr_array(self.coef_)
        return self

    def densify(self) -> Self:
        """Make ``coef_`` an array again."""
        check_is_fitted(self)
        if issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self


class LinkedScores:
    """Probabilities of scores, where the loss has them."""

    _loss: Callable[[int], LossRow]
    decision_function: Callable[..., Any]
    #: The form of the label matrix of the last fit, "" after one label a row.
    _label_form = ""

    @available_if(links_scores)
    def predict_proba(self, X: Any) -> NDArray[np.floating[Any]]:
        """Probabilities of shape (n_samples, n_classes).

        The sigmoid of the score, normalized over the classes where each was trained against the
        rest, as in LIBLINEAR; or the softmax of the scores. After a label matrix, the sigmoid of
        each label's score.
        """
        return self.probabilities_of(self.decision_function(X))

    def probabilities_of(self, scores: NDArray[Any]) -> NDArray[np.floating[Any]]:
        """Probabilities of scores that are as `decision_function` makes them."""
        if self._label_form:
            return expit(scores)
        if scores.ndim == 1:
            return expit(np.column_stack([-scores, scores]))
        one_by_one = self._loss(scores.shape[1]).link == "sigmoid"
        return softmax(log_expit(scores) if one_by_one else scores, axis=1)

    @available_if(links_scores)
    def predict_log_proba(self, X: Any) -> NDArray[np.floating[Any]]:
        """The logarithms of `predict_proba`."""
        return np.log(self.predict_proba(X))


@dataclass(eq=False, repr=False, kw_only=True)
class Classifier(LinkedScores, SparseCoef, Scored, ClassifierMixin):
    """A `LinearModel` of classes: that of x is the one with the largest score."""

    _kinds: ClassVar[tuple[str, ...]] = CLASSIFYING

    class_weight: Any = None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on X (n_samples × n_features, dense or sparse) with labels y (n_samples).

        y may be a matrix (n_samples × n_labels) of zeros and ones, dense or sparse: rows with any
        number of labels, each against the rest. Then ``classes_`` are its columns, ``coef_`` is a
        csr_array, and predictions are such a matrix. X may also be the path of a container or an
        open `Problem`, which have labels and weights in themselves. ``sample_weight`` (n_samples,
        at least 0) multiplies ``C``. Raises ValueError for parameters out of range, NaN or
        infinity, fewer than two classes, weights that are all zero, and y or weights with a
        container.
        Warns (NotConvergedWarning, a ConvergenceWarning) where the solver stops before ``tol``.
        """
        self._validate_params()
        self._label_form = ""
        if is_label_matrix(y):
            fit_matrix(self, X, y, sample_weight)
            return self
        X, y, sample_weight = self._checked_data(X, y, sample_weight)
        self.refit(X, y, sample_weight)
        return self

    def _fit_checked(self, X: Any, y: Any, sample_weight: Any) -> Result:
        problem, chosen, classes = self._prepared(X, y, sample_weight)
        start = None
        if self.warm_start:
            index = problem.labels.astype(np.intp)
            start = self._duals_of_last_fit(classes, index, chosen.kind)
        model, result = self._solve(problem, chosen, start)
        self._set_solution(model, result, classes)
        return result

    def _prepared(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Problem, Selection, NDArray[Any]]:
        classes = classes_of(y)
        index = np.searchsorted(classes, y)
        check_several_classes(self, classes)
        problem = problem_of(X, index, sample_weight, is_checked=True)
        loss = self._loss(len(classes))
        more: dict[str, Any] = {}
        factors = None
        if self.class_weight is not None:
            factors = class_factors(self.class_weight, classes, index, problem.weights)
        if factors is not None or problem.weights is not None:
            check_some_weight(problem, None if factors is None else factors[index])
        if factors is not None:
            more["class_weights"] = dict(enumerate(factors.tolist()))
        if loss.kind == "binary" and len(classes) == 2 and index[0] == 0:
            more |= self._turned_bounds()
        return *self._chosen(problem, loss, **more), classes

    def _turned_bounds(self) -> dict[str, Any]:
        """The bounds of −``coef_``: the solver's scores are positive for the class of the first
        example.
        """
        turned: dict[str, Any] = {}
        for name, other in (("lower", "upper"), ("upper", "lower")):
            bound = getattr(self, other, None)
            if bound is not None:
                turned[name] = np.negative(np.asarray(bound, dtype=np.float64))
            elif getattr(self, name, None) is not None:
                turned[name] = None
        return turned

    def _duals_of_last_fit(
        self, classes: NDArray[Any], index: NDArray[np.intp], kind: str
    ) -> Start:
        """The duals of the last fit for a new one, or None where they do not fit it."""
        duals = getattr(self, "dual_coef_", None)
        if duals is None or not np.array_equal(self.classes_, classes):
            return None
        in_blocks = not isinstance(duals, np.ndarray)
        fits = len(index) == duals.shape[0] and in_blocks == (kind == "multiclass")
        return solver_duals(duals, index) if fits else None

    def _set_solution(self, model: Model, result: Result, classes: NDArray[Any]) -> None:
        """Set classes, weights and duals, classes in sorted order."""
        rows = model.weights.T
        if len(rows) == 1:
            rows = rows if model.labels[0] == 1 else -rows
        else:
            rows = rows[np.argsort(model.labels)]
            rows = rows[1:] - rows[:1] if len(classes) == 2 else rows
        self.classes_ = classes
        self._set_weights(model, rows)
        self.dual_coef_ = sorted_duals(result.duals, model.labels)

    def decision_function(self, X: Any) -> NDArray[np.floating[Any]]:
        """Scores of shape (n_samples, n_classes); for two classes (n_samples,), score 1 − score 0.

        For float32 X they are computed in float32. After a label matrix the shape is (n_samples,
        n_labels).
        """
        scores = self._scores(X)
        if self._label_form:
            return scores
        return scores.ravel() if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The label with the largest score for each row of X; ties go to the first class. After a
        label matrix, the matrix of the labels with scores above 0.
        """
        if getattr(self, "_label_form", ""):
            return indicator_of(self.decision_function(X), self._label_form)
        return labels_of(self.decision_function(X), self.classes_)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The accuracy on X with y, weighed; after a label matrix, the share of rows of which all
        labels are right, y as in `fit`. A container has labels and weights in itself.
        """
        if not self._label_form:
            return super().score(X, y, sample_weight)
        return share_of_rows(self.predict(X), LabelSets.from_matrix(y), sample_weight)


def labels_of(scores: NDArray[Any], classes: NDArray[Any]) -> NDArray[Any]:
    """The classes of the largest scores."""
    return classes[(scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)]


def sorted_duals(duals: Any, labels: NDArray[np.int64]) -> Any:
    """Duals with classes in the order 0, 1, …; ``labels`` are the labels of the solver's classes.

    `DualBlocks` become a csr_array, n × k. An n × k array of one-vs-rest problems stays an array.
    An array of n, of two classes, counts for class 1. None stays None.
    """
    if duals is None:
        return None
    if isinstance(duals, DualBlocks):
        matrix = csr_array(
            (duals.values, labels[duals.classes], duals.indptr),
            shape=(len(duals.indptr) - 1, len(labels)),
        )
        matrix.sort_indices()
        return matrix
    if duals.ndim == 1:
        return duals if labels[0] == 1 else -duals
    return np.ascontiguousarray(duals[:, np.argsort(labels)])


def solver_duals(duals: Any, index: NDArray[np.intp]) -> Any:
    """The inverse, for a solver that begins with labels ``index`` (0 … k − 1).

    Duals of blocks at an example's own class, whose label must have changed, are left out.
    """
    labels = group_labels(index.astype(np.float64))[0]
    if not isinstance(duals, csr_array):
        if duals.ndim == 1:
            return duals if labels[0] == 1 else -duals
        return np.ascontiguousarray(duals[:, labels])
    example = np.repeat(np.arange(len(index)), np.diff(duals.indptr))
    keep = duals.indices != index[example]
    place = np.argsort(labels).astype(np.int32)
    lengths = np.bincount(example[keep], minlength=len(index))
    return DualBlocks(
        np.concatenate(([0], np.cumsum(lengths))), place[duals.indices[keep]], duals.data[keep]
    )
