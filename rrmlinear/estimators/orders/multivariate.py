"""Classification by a measure of all labels at once, such as F1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_consistent_length, column_or_1d

from rrmlinear.catalog.losses import MEASURE_LOSSES, measure_value, own_measure
from rrmlinear.catalog.rows import LossRow
from rrmlinear.catalog.selection import Selection
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.arguments import RANGES, classes_of, optional
from rrmlinear.estimators.classifier import SparseCoef, labels_of
from rrmlinear.estimators.linear import LinearModel
from rrmlinear.estimators.objective import SOLVERS, ProblemRow
from rrmlinear.estimators.scores import Scored, labelled, problem_of
from rrmlinear.training.starts import Point, Start


@dataclass(eq=False, repr=False, kw_only=True)
class MultivariateClassifier(SparseCoef, Scored, ClassifierMixin, LinearModel):
    r"""Linear classifier of two classes by a measure of all labels at once.

    Solves, for labels y_i = ±1,

    .. math::
        \min_w \; \tfrac12 \|w\|^2 + C \max_{y'} \Big[ n \Delta(y', y)
        - \sum_{i : y'_i \neq y_i} y_i w^\top x_i \Big],

    where Δ(y', y) is the loss of the labels y', 1 minus the measure. Measures count examples, so
    there are no weights of examples and classes. For the error rate it is the
    hinge loss summed over examples; for the ROC area the sum runs over pairs. The intercept is the
    weight of a column of the value ``intercept_scaling``, regularized like every other.

    Parameters
    ----------
    measure : str or callable, default="f1"
        "f1", "fbeta" or "error-rate"; or a measure of the order of scores: "precision-at-k",
        "recall-at-k", "prbep" (precision and recall where they are equal) or "roc-area". With
        these four, k examples of the training data are predicted positive. A callable is the loss
        Δ of a contingency table. Its arguments are whole numbers: true positives, missed
        positives, false positives and true negatives. It returns a number of at least 0, and 0 for
        the true labels. It is computed for all pairs of the two wrong counts, so that
        (n₊ + 1)(n₋ + 1) must be at most 1e7.
    beta : float, default=None
        β of "fbeta", 1 if None: above 1 recall counts more than precision.
    k : int, default=None
        Positive labels of "precision-at-k" and "recall-at-k"; the number of positive examples if
        None.
    C : float, default=1.0
        Cost of an example. Measures with few positive examples need a larger C than a sum of
        losses.
    pos_label : label, default=None
        The positive class; the last of ``classes_`` if None.
    intercept_scaling : float, default=1.0
        Value of the column of the intercept.
    solver : str, default="auto"
        "auto", "bmrm" and "ls-bmrm": cutting planes. "agm", "agm-1": accelerated gradients on the
        smoothed risk, for some thousand examples.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    tol, max_iter, random_state, n_jobs, warm_start, callback, verbose
        As in `LinearClassifier`; a warm start takes the weights of the last fit.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        Weights; a positive score means the positive class.
    intercept_ : ndarray of shape (1,)
        Added to the scores.
    classes_ : ndarray of shape (2,)
        The labels, sorted.
    dual_coef_ : ndarray of shape (n_samples,)
        y_i times the probability that the label of an example is wrong in the worst labellings.
    objective_, duality_gap_, n_iter_, status_, trace_, n_features_in_, feature_names_in_
        As in `LinearClassifier`.

    References
    ----------
    T. Joachims, "A support vector method for multivariate performance measures", 2005.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from rrmlinear import MultivariateClassifier
    >>> X, y = make_classification(500, weights=[0.9], class_sep=2.0, random_state=0)
    >>> model = MultivariateClassifier("f1").fit(X, y)
    >>> bool(model.score(X, y) > 0.95 and model.measured(X, y) > 0.8)
    True
    >>> def regret(right, missed, false, rest):
    ...     return (5 * missed + false) / 500
    >>> bool(MultivariateClassifier(regret).fit(X, y).measured(X, y) > 0.8)
    True
    """

    _row = ProblemRow(intercept="regularized")
    _solvers: ClassVar[Mapping[str, int | str]] = {
        name: SOLVERS[name] for name in ("auto", "bmrm", "ls-bmrm", "agm", "agm-1")
    }
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **RANGES,
        "fit_intercept": ["boolean"],
        "beta": optional(RANGES["C"]),
        "k": optional(RANGES["max_iter"]),
    }

    measure: Any = field(default="f1", kw_only=False)
    beta: float | None = None
    k: int | None = None
    C: float = 1.0
    pos_label: Any = None
    intercept_scaling: float = 1.0

    def _loss(self, n_classes: int) -> LossRow:
        if callable(self.measure):
            return own_measure(self.measure)
        if not isinstance(self.measure, str) or self.measure not in MEASURE_LOSSES:
            known = ", ".join(MEASURE_LOSSES)
            raise ValueError(
                f"measure is {self.measure!r}; it must be a callable or one of {known}"
            )
        return MEASURE_LOSSES[self.measure]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Train on X (n_samples × n_features, dense or sparse) with labels y (n_samples); or on a
        container without weights, as `LinearClassifier.fit`.

        Raises ValueError for parameters out of range, NaN or infinity, and for labels of one class
        or of more than two.
        Warns (NotConvergedWarning, a ConvergenceWarning) where the solver stops before ``tol``.
        """
        self._validate_params()
        X, y, _ = self._checked_data(X, y)
        problem, chosen = self._prepared(X, y, None)
        model, result = self._solve(problem, chosen, None)
        sign = 1.0 if self.classes_[1] == self._positive() else -1.0
        self._set_weights(model, sign * model.weights.T)
        if model.rho is not None:
            self.intercept_ = self.intercept_ - sign * model.rho
        self.dual_coef_ = sign * result.duals
        self._set_certificate(result, self._scale)
        return self

    def _with_weights(self, duals: Start, problem: Problem, chosen: Selection) -> Start:
        """The weights of the last fit, without duals."""
        last = getattr(self, "_last_weights", None)
        return Point(last[1]) if self.warm_start and last is not None else None

    def _positive(self) -> Any:
        return self.classes_[-1] if self.pos_label is None else self.pos_label

    def _prepared(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, ...]:
        classes = classes_of(y)
        if len(classes) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(y)}."
            )
        if len(classes) < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of 2 classes in the data, but the data "
                f"contains only one class: {classes.tolist()[0]!r}"
            )
        if self.pos_label is not None and self.pos_label not in classes:
            known = ", ".join(map(repr, classes.tolist()))
            raise ValueError(f"pos_label is {self.pos_label!r}; it must be one of {known}")
        self.classes_ = classes
        problem = problem_of(X, (y == self._positive()).astype(np.float64), None)
        return self._chosen(problem, self._loss(2))

    def decision_function(self, X: Any) -> NDArray[np.floating[Any]]:
        """Scores of shape (n_samples,), above 0 for ``classes_[1]``."""
        return self._scores(X).ravel()

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each row of X."""
        return labels_of(self.decision_function(X), self.classes_)

    def measured(self, X: Any, y: Any = None) -> float:
        """1 minus the loss of the measure for rows X with true labels y.

        A measure of the order of scores takes the k largest. By default k is the number of
        positive labels in y.
        """
        X, y, _ = labelled(X, y)
        scores = self.decision_function(X).astype(np.float64)
        y = column_or_1d(y)
        check_consistent_length(scores, y)
        scores = scores if self.classes_[1] == self._positive() else -scores
        numbers = {name: getattr(self, name) for name in ("beta", "k")}
        given = {name: value for name, value in numbers.items() if value is not None}
        return measure_value(self._loss(2), given, y == self._positive(), scores)

    def _expected_failed_checks(self) -> dict[str, str]:
        expected = super()._expected_failed_checks()
        if self.k is not None:
            expected["check_classifiers_train"] = "k labels alone are to be positive"
        if "<" in getattr(self.measure, "__qualname__", ""):  # "<lambda>", or of "<locals>"
            pickled = ("estimators_overwrite_params", "estimators_pickle", "sparsify_coefficients")
            for name in pickled:
                expected[f"check_{name}"] = "pickle takes functions by their names alone"
        return expected

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
