"""Ridge regression of classes: a target of 1 and −1 for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_sample_weight

from rrmlinear.catalog.selection import Selection
from rrmlinear.data.problem import Problem, checked_weights
from rrmlinear.estimators.arguments import (
    check_counted,
    check_several_classes,
    class_factors,
    classes_of,
    is_label_matrix,
)
from rrmlinear.estimators.classifier import Classifier
from rrmlinear.estimators.linear import LinearModel
from rrmlinear.estimators.objective import REGRESSING, ProblemRow
from rrmlinear.estimators.ridge import Ridge
from rrmlinear.solvers.loop.result import Result


@dataclass(eq=False, repr=False, kw_only=True)
class RidgeClassifier(Classifier, LinearModel):
    r"""Classifier by ridge regression: the problem, parameters and defaults of scikit-learn's.

    Solves for each class, with targets t_i of 1 in it and −1 elsewhere, the problem of `Ridge`,

    .. math::
        \min_{w, b} \; \sum_i c_i (t_i - w^\top x_i - b)^2 + \alpha \|w\|^2,

    where c_i is the sample weight times the class weight; of two classes for the second alone.

    Parameters
    ----------
    alpha : float, default=1.0
        At least 0.
    class_weight : dict or "balanced", default=None
        As in `LinearClassifier`: factors of the costs.
    penalty_factors, fit_intercept, copy_X, positive, solver, tol, max_iter, random_state, n_jobs, \
    warm_start, callback, verbose
        As in `Ridge`.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights, of one row for two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Added to the scores.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted; after a label matrix the numbers of its columns.
    dual_coef_, objective_, duality_gap_, solver_, n_iter_, status_, trace_, n_features_in_, \
    feature_names_in_
        As in `Ridge`, summed over the classes.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from rrmlinear import RidgeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> round(RidgeClassifier().fit(X, y).score(X, y), 3)
    0.96
    """

    _row = ProblemRow("squared", weighing="alpha", times=2.0)
    _kinds = REGRESSING
    _solvers = Ridge._solvers
    _may_be_negligible = True
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **Ridge._parameter_constraints,
        "alpha": Ridge._parameter_constraints["alpha"][:-1],
    }
    #: The regression of the last fit, where the next one begins.
    _ridge: ClassVar[Ridge | None] = None

    alpha: Any = field(default=1.0, kw_only=False)
    positive: bool = False
    copy_X: bool = True  # noqa: N815  (scikit-learn's name)
    penalty_factors: Any = None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on X (n_samples × n_features, dense or sparse) with labels y (n_samples).

        y may be a matrix (n_samples × n_labels) of zeros and ones, each column a target. X may also
        be a container, as in `LinearClassifier.fit`. ``sample_weight`` (n_samples, at least 0)
        counts examples as repeated. Raises ValueError for parameters out of range, NaN or infinity,
        fewer than two classes, and weights that are all zero.
        Warns (NotConvergedWarning, a ConvergenceWarning) where the solver stops before ``tol``.
        """
        self._validate_params()
        self._label_form = "dense" if is_label_matrix(y) else ""
        data = self._checked_data(X, y, sample_weight, multi_output=bool(self._label_form))
        self.refit(*data)
        return self

    def refit(self, X: Any, y: Any, sample_weight: Any) -> None:
        """`fit` again on the same data, which is not checked again."""
        self._fit_checked(X, y, sample_weight)

    def _fit_checked(self, X: Any, y: Any, sample_weight: Any) -> Result:
        self.classes_, targets, weights = self._targets(X, y, sample_weight)
        ridge = self._regression()
        ridge.fit_targets(X, targets, weights)
        for name, value in vars(ridge).items():
            if name.endswith("_"):
                setattr(self, name, value)
        self.coef_, self.intercept_ = np.atleast_2d(ridge.coef_), np.atleast_1d(ridge.intercept_)
        self._ridge = ridge if self.warm_start else None  # type: ignore[misc]
        return self._proof_.result

    def _regression(self) -> Ridge:
        """The regression of these parameters; after a warm start, that of the last fit."""
        own = self.get_params(deep=False)
        ridge = self._ridge if self.warm_start and self._ridge is not None else Ridge()
        ridge.set_params(**{name: own[name] for name in ridge.get_params() if name in own})
        ridge._speaker = type(self).__name__
        return ridge

    def _targets(self, X: Any, y: Any, sample_weight: Any) -> tuple[NDArray[Any], Any, Any]:
        """The classes, a column of ±1 for each (a vector for two), and the costs."""
        if sample_weight is None and isinstance(X, Problem):
            sample_weight = X.weights
        sample_weight = checked_weights(sample_weight, len(y))
        if y.ndim == 2 and y.shape[1] > 1:
            wrong = y[(y != 0) & (y != 1)]
            if wrong.size:
                raise ValueError(f"a label matrix has {wrong[0]}; it must hold zeros and ones")
            classes, targets = np.arange(y.shape[1]), np.where(y == 1, 1.0, -1.0)
            factors = compute_sample_weight(self.class_weight, y) if self.class_weight else None
        else:
            y = y.ravel()
            classes = classes_of(y)
            check_several_classes(self, classes)
            index = np.searchsorted(classes, y)
            each = class_factors(self.class_weight, classes, index, sample_weight)
            factors = None if each is None else each[index]
            targets = np.where(index[:, np.newaxis] == np.arange(len(classes)), 1.0, -1.0)
            targets = targets[:, 1].copy() if len(classes) == 2 else targets
        if factors is not None:
            sample_weight = factors if sample_weight is None else sample_weight * factors
        check_counted(sample_weight, "examples")
        return classes, targets, sample_weight

    def _prepared(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Problem, Selection, NDArray[Any]]:
        classes, targets, weights = self._targets(X, np.asarray(y), sample_weight)
        first = targets.reshape(len(targets), -1)[:, 0]
        ridge = self._regression()
        prepared = ridge._prepared(X, first, weights)
        self._unregularized, self._intercept = ridge._unregularized, ridge._intercept
        return *prepared, classes
