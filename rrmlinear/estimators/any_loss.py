"""The base of estimators that take a loss by its name: parameters, fit and predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, softmax
from sklearn.base import RegressorMixin
from sklearn.utils.metaestimators import available_if

from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.rows import LossRow
from rrmlinear.catalog.selection import Selection, select
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.arguments import class_factors
from rrmlinear.estimators.base import LinearClassifier, LinearEstimator, with_weights
from rrmlinear.estimators.objective import (
    check_warm_start,
    find_loss,
    find_solver_type,
    intercept_choice,
    own_choices,
    scaled,
)
from rrmlinear.estimators.wording import own_words
from rrmlinear.solvers.loop.result import Result
from rrmlinear.training.fit import solve
from rrmlinear.training.model import Model
from rrmlinear.training.starts import Start

CLASSIFYING, REGRESSING = ("binary", "multiclass"), ("regression",)


@dataclass(eq=False, repr=False)
class LossEstimator(LinearEstimator):
    """Parameters of every such estimator; a subclass sets the defaults that are missing.

    ``_solvers`` are the numbers of the solver types by their names here, ``_true_intercept`` is
    what ``fit_intercept=True`` stands for. Where a loss, a solver or a regularizer lacks a choice,
    the checks of `Parameter` say so.
    """

    _solvers: ClassVar[Mapping[str, int | str]] = {}
    _true_intercept: ClassVar[str] = "regularized"

    loss: str
    _: KW_ONLY
    C: float | None = None
    alpha: float | None = None
    l1: float | None = None
    l1_ratio: float | None = None
    smoothing: float | None = None
    solver: str
    tol: float = 1e-4
    max_passes: int = 10_000
    fit_intercept: Any = True
    intercept_scaling: float = 1.0
    n_threads: int | None = None
    warm_start: bool = False
    callback: Any = None
    verbose: int = 0

    def _chosen(self, problem: Problem, loss: LossRow, **more: Any) -> Selection:
        """The parameters as choices, checked; errors about these speak of the parameters."""
        with own_words(self._solvers):
            return self._selection(problem, loss, **more)

    def _selection(self, problem: Problem, loss: LossRow, **more: Any) -> Selection:
        kind = find_solver_type(self.solver, self._solvers)
        if self.warm_start:
            check_warm_start(self.solver, kind)
        choices = own_choices(self, "objective", "loss", "solver")
        choices |= self._scales(problem) | self._rules() | more
        choices |= intercept_choice(self.fit_intercept, self._true_intercept, loss, kind)
        return select(Parameter(solver=kind.number, **choices))

    def _solve(self, problem: Problem, chosen: Selection, start: Start) -> tuple[Model, Result]:
        with own_words(self._solvers):
            return solve(problem, chosen, self._on_pass(), start, stacklevel=4)

    def check_choices(self, X: Any, y: Any, sample_weight: Any = None) -> None:
        """Raise the ValueError that `fit` would raise for these parameters, labels and weights."""
        self._prepared(X, y, sample_weight)

    def _prepared(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, ...]:
        """The problem, the choices and more that a subclass needs, all of them checked."""
        raise TypeError(f"{type(self).__name__} does not say how its problem is made")

    def _scales(self, problem: Problem) -> dict[str, Any]:
        """C and the regularizer of a Parameter."""
        return scaled(
            self.C,
            self.alpha,
            self.l1,
            self.l1_ratio,
            problem.weights,
            problem.n_examples,
            getattr(self, "radius", None),
        )


def links_scores(estimator: Any) -> bool:
    """Whether the loss of an estimator has probabilities; else an AttributeError says so."""
    loss = find_loss(estimator.loss, CLASSIFYING)
    if loss.link is None:
        raise AttributeError(f"loss {loss.name} has scores that are no likelihoods")
    return True


@dataclass(eq=False, repr=False, kw_only=True)
class LossClassifier(LinearClassifier, LossEstimator):
    """A classifier of such a loss."""

    class_weight: Any = None
    slope: float | None = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on X (n_samples × n_features, dense or sparse) with labels y (n_samples).

        ``sample_weight`` (n_samples, at least 0) multiplies ``C``. Raises ValueError for
        parameters out of range, NaN or infinity, fewer than two classes, and weights that are all
        zero.
        """
        X, y = self._checked_data(X, y)
        problem, chosen, classes = self._prepared(X, y, sample_weight)
        index = problem.labels.astype(np.intp)
        in_blocks = chosen.kind == "multiclass"
        start = self._duals_of_last_fit(classes, index, in_blocks) if self.warm_start else None
        model, result = self._solve(problem, chosen, start)
        self._set_solution(model, result, classes)
        self._set_certificate(result)
        return self

    def _prepared(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Problem, Selection, NDArray[Any]]:
        loss = find_loss(self.loss, CLASSIFYING)
        classes, index = self._classes_of(y)
        problem = self._problem(X, index, sample_weight)
        factors = class_factors(self.class_weight, classes, index, problem.weights)
        with_weights(problem, None if factors is None else factors[index])
        weights = {} if factors is None else dict(enumerate(factors.tolist()))
        return problem, self._chosen(problem, loss, class_weights=weights), classes

    @available_if(links_scores)
    def predict_proba(self, X: Any) -> NDArray[np.floating[Any]]:
        """Probabilities of shape (n_samples, n_classes), for loss "logistic" or "softmax".

        The sigmoid of the score, normalized over the classes where each was trained against the
        rest, as in LIBLINEAR; or the softmax of the scores.
        """
        return self.probabilities_of(self.decision_function(X))

    def probabilities_of(self, scores: NDArray[Any]) -> NDArray[np.floating[Any]]:
        """Probabilities of scores that are as `decision_function` makes them."""
        if scores.ndim == 1:
            return expit(np.column_stack([-scores, scores]))
        one_by_one = find_loss(self.loss, CLASSIFYING).link == "sigmoid"
        return softmax(log_expit(scores) if one_by_one else scores, axis=1)

    @available_if(links_scores)
    def predict_log_proba(self, X: Any) -> NDArray[np.floating[Any]]:
        """The logarithms of `predict_proba`."""
        return np.log(self.predict_proba(X))


@dataclass(eq=False, repr=False, kw_only=True)
class LossRegressor(RegressorMixin, LossEstimator):
    """A regression of such a loss."""

    epsilon: float | None = None
    huber: float | None = None
    quantile: float | None = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on X (n_samples × n_features, dense or sparse) with numbers y (n_samples).

        ``sample_weight`` (n_samples, at least 0) multiplies ``C``. Raises ValueError for
        parameters out of range, NaN or infinity, and weights that are all zero.
        """
        X, y = self._checked_data(X, y, y_numeric=True)
        problem, chosen = self._prepared(X, y, sample_weight)
        last = getattr(self, "dual_coef_", None) if self.warm_start else None
        start = last if last is not None and len(last) == len(y) else None
        model, result = self._solve(problem, chosen, start)
        self._set_weights(model, model.weights.T)
        self.coef_ = self.coef_[0]
        self.dual_coef_ = result.duals
        self._set_certificate(result)
        return self

    def _prepared(self, X: Any, y: Any, sample_weight: Any) -> tuple[Problem, Selection]:
        loss = find_loss(self.loss, REGRESSING)
        problem = with_weights(self._problem(X, y, sample_weight), None)
        return problem, self._chosen(problem, loss)

    def predict(self, X: Any) -> NDArray[np.floating[Any]]:
        """Predicted numbers, of shape (n_samples,)."""
        return self._scores(X).ravel()
