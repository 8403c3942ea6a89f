"""The base of linear regressions: one target, and predictions that are scores or means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.extmath import safe_sparse_dot

from rrmlinear.catalog.selection import Selection
from rrmlinear.core.records import replace
from rrmlinear.data.offsets import log_exposure
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.arguments import check_some_weight
from rrmlinear.estimators.linear import LinearModel
from rrmlinear.estimators.objective import REGRESSING
from rrmlinear.estimators.scores import Scored, labelled, problem_of
from rrmlinear.solvers.loop.result import Result
from rrmlinear.training.offsets import deviance, moved


@dataclass(eq=False, repr=False, kw_only=True)
class Regressor(Scored, RegressorMixin, LinearModel):
    """Predictions are scores, or the means that these stand for."""

    _kinds = REGRESSING

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on X (n_samples × n_features, dense or sparse) with numbers y (n_samples).

        X may also be the path of a container or an open `Problem`, which have numbers and weights
        in themselves. ``sample_weight`` (n_samples, at least 0) counts examples as repeated. Raises
        ValueError for parameters out of range, NaN or infinity, weights that are all zero, and y or
        weights beside a container.
        """
        return self._fit(X, y, sample_weight)

    def _fit(
        self, X: Any, y: Any, sample_weight: Any, offset: Any = None, exposure: Any = None
    ) -> Self:
        self._validate_params()
        X, y, sample_weight = self._checked_data(X, y, sample_weight, y_numeric=True)
        known = log_exposure(offset, exposure, len(y))
        self._set_certificate(self._fit_target(X, y, sample_weight, known), self._scale)
        return self

    def refit(self, X: Any, y: Any, sample_weight: Any) -> None:
        """`fit` again on the same data, which is not checked again, with one target."""
        self._set_certificate(self._fit_target(X, y, sample_weight), self._scale)

    def fit_from(self, start: Any, X: Any, y: Any, sample_weight: Any) -> None:
        """`fit` on checked data with one target, begun at (weights, intercept)."""
        weights, intercept = start
        residual = y - (safe_sparse_dot(X, weights) + intercept)
        self.dual_coef_ = np.asarray(residual, dtype=np.float64)
        asked, self.warm_start = self.warm_start, True
        column = weights[:, np.newaxis]
        if self.fit_intercept:
            column = np.append(column, [[intercept]], axis=0)
        self._last_weights = np.zeros(0, dtype=np.int64), column
        self._checked_data(X, y, sample_weight, y_numeric=True)
        try:
            self.refit(X, y, sample_weight)
        finally:
            self.warm_start = asked

    def _fit_target(self, X: Any, y: Any, sample_weight: Any, offset: Any = None) -> Result:
        """Set weights, intercept and duals for data that is checked; the result of the solver."""
        problem, chosen = self._prepared(X, y, sample_weight)
        if offset is not None:
            problem = replace(problem, offset=offset)
        problem = moved(problem, chosen)
        last = getattr(self, "dual_coef_", None) if self.warm_start else None
        start = last if last is not None and last.shape == np.shape(y) else None
        model, result = self._solve(problem, chosen, start)
        self._set_weights(model, model.weights.T)
        self.coef_ = self.coef_[0]
        self.intercept_ = self._single_intercept(self.intercept_[0])
        self.dual_coef_ = result.duals
        return result

    def _single_intercept(self, intercept: float) -> Any:
        """``intercept_`` in the form that scikit-learn's class of this name has."""
        return intercept

    def _prepared(self, X: Any, y: Any, sample_weight: Any) -> tuple[Problem, Selection]:
        problem = problem_of(X, y, sample_weight, self._takes_any_order(), is_checked=True)
        if problem.weights is not None:
            check_some_weight(problem, None)
        return self._chosen(problem, self._loss(0))

    def predict(self, X: Any) -> NDArray[np.floating[Any]]:
        """Predicted numbers, of shape (n_samples,): scores, or the means of counts and costs."""
        return self._loss(0).means(self._scores(X).ravel())

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R² on X with y, or of a deviance D² = 1 − its share of that of the mean label."""
        if self._loss(0).link is None:
            return super().score(X, y, sample_weight)
        return self._explained(X, y, sample_weight)

    def _explained(
        self, X: Any, y: Any, sample_weight: Any, offset: Any = None, exposure: Any = None
    ) -> float:
        """1 − the deviance at the scores over that of the best constant, beside the offsets."""
        row = self._loss(0)
        X, y, sample_weight = labelled(X, y, sample_weight)
        y = np.asarray(y, dtype=np.float64).ravel()
        row.check_labels(y)
        known = {"offset": offset, "exposure": exposure}
        if isinstance(X, Problem) and X.offset is not None and offset is None is exposure:
            known["offset"] = X.offset
        given = Problem.from_arrays(np.ones((len(y), 1)), y, sample_weight, **known)
        given, chosen = self._chosen(given, row)
        given = moved(given, chosen)
        y = given.labels
        weights = np.ones(len(y)) if given.weights is None else given.weights
        mean = np.full(len(y), np.average(y, weights=weights))
        found = np.asarray(self._scores(X).ravel(), dtype=np.float64)
        return 1 - deviance(chosen, y, found, weights) / deviance(
            chosen, y, row.scores(mean), weights
        )


@dataclass(eq=False, repr=False, kw_only=True)
class OffsetRegressor(Regressor):
    """Scores may have offsets."""

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        offset: Any = None,
        exposure: Any = None,
    ) -> Self:
        """Train on X (n_samples × n_features, dense or sparse) with numbers y (n_samples).

        X may also be the path of a container or an open `Problem`, which have numbers and weights
        in themselves. ``sample_weight`` (n_samples, at least 0) counts examples as repeated.
        ``offset`` (n_samples or one number) is added to scores; ``exposure`` (at least 0) is the
        offset log exposure, for means e^a: y counts what happened in it. Raises ValueError for
        parameters out of range, NaN or infinity, weights that are all zero, y or weights beside a
        container, labels that the loss does not take, and an offset with other losses.
        """
        return self._fit(X, y, sample_weight, offset, exposure)

    def predict(
        self, X: Any, *, offset: Any = None, exposure: Any = None
    ) -> NDArray[np.floating[Any]]:
        """Predicted numbers, of shape (n_samples,): scores, or the means of counts and costs.

        ``offset`` and ``exposure`` are as in `fit`; without them predictions are those of 0 and 1.
        """
        scores = self._scores(X).ravel()
        known = log_exposure(offset, exposure, len(scores))
        if known is None and isinstance(X, Problem):
            known = X.offset
        return self._loss(0).means(scores if known is None else scores + known)

    def score(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        offset: Any = None,
        exposure: Any = None,
    ) -> float:
        """R² on X with y, or of a deviance D² = 1 − its share of that of the best constant.

        ``offset`` and ``exposure`` are as in `fit`; the constant has them too.
        """
        if offset is None is exposure and not isinstance(X, Problem):
            return super().score(X, y, sample_weight)
        return self._explained(X, y, sample_weight, offset, exposure)
