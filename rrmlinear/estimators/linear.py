"""The base of estimators of weights: parameters to choices, fit, and predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from scipy.special import expit, log_expit, softmax
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from rrmlinear.catalog.losses import NAMED_LOSSES
from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.rows import LossRow
from rrmlinear.catalog.selection import Selection, select
from rrmlinear.catalog.task import SolverRow
from rrmlinear.data.labels import group_labels
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.arguments import (
    check_labels,
    check_several_classes,
    check_some_weight,
    class_factors,
)
from rrmlinear.estimators.duals import solver_duals, sorted_duals
from rrmlinear.estimators.intercepts import solve_with_column
from rrmlinear.estimators.objective import (
    CLASSIFYING,
    REGRESSING,
    ProblemRow,
    find_loss,
    is_unregularized,
    objective_of,
)
from rrmlinear.estimators.reporting import Reported, Training
from rrmlinear.estimators.scores import LinearScores, Scored, problem_of
from rrmlinear.estimators.unregularized import solve_unregularized
from rrmlinear.estimators.wording import SOLVERS, find_solver_type, own_words
from rrmlinear.solvers.loop.result import Result
from rrmlinear.training.fit import solve
from rrmlinear.training.model import Model
from rrmlinear.training.starts import Point, Start

#: How an intercept gets into the problem.
REGULARIZED, FREE, COLUMN = "regularized", "free", "column"
#: The ascent, which leaves several intercepts free beside the squared norm alone.
PROX_SDCA, AUTO = SOLVERS["prox-sdca"], SOLVERS["auto"]


@dataclass(eq=False, repr=False, kw_only=True)
class LinearModel(Reported, LinearScores):
    """The parameters of all estimators of a linear problem; ``_row`` says the problem.

    ``_solvers`` are solver types by their names here.
    """

    _row: ClassVar[ProblemRow]
    _kinds: ClassVar[tuple[str, ...]]
    _solvers: ClassVar[Mapping[str, int | str]] = SOLVERS

    solver: str = "auto"
    tol: float = 1e-4
    max_iter: int = 10_000
    fit_intercept: Any = True
    random_state: Any = None
    n_jobs: int | None = None
    warm_start: bool = False
    callback: Any = None
    verbose: int = 0

    def check_choices(self, X: Any, y: Any, sample_weight: Any = None) -> None:
        """Raise the ValueError that `fit` would raise for these parameters, labels and weights."""
        self._validate_params()
        self._prepared(X, y, sample_weight)

    def _prepared(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, ...]:
        """The problem, the choices and what else a kind of labels needs, all of them checked."""
        raise NotImplementedError

    def _loss(self, n_classes: int) -> LossRow:
        """The loss, for this number of classes."""
        name = self._row.loss
        if isinstance(name, str):
            return find_loss(name, self._kinds)
        asked = self.loss  # type: ignore[attr-defined]
        return find_loss(asked if name is None else name[asked], self._kinds)

    def regularizer_name(self) -> str:
        """Our name of the regularizer, where no l1_ratio says it."""
        return self._row.regularizer

    def ratio(self) -> float | None:
        """The part of the 1-norm in an elastic net, None where it is not said so."""
        return getattr(self, "l1_ratio", None)

    def _asked_intercept(self) -> str:
        asked = self.fit_intercept
        return asked if isinstance(asked, str) else self._row.intercept if asked else ""

    def _intercept_kind(self, loss: LossRow, regularizer: str, kind: SolverRow) -> str:
        """How the intercept gets into the problem, "" for none."""
        asked = self._asked_intercept()
        if asked != "unregularized":
            return REGULARIZED if asked else ""
        blocks = loss.kind == "multiclass" and kind.number == PROX_SDCA
        if "free_bias" not in kind.choices or (blocks and regularizer != "l2"):
            return COLUMN
        return FREE

    def _chosen(self, problem: Problem, loss: LossRow, **more: Any) -> tuple[Problem, Selection]:
        """The problem with its intercept, and the choices; errors speak of the parameters."""
        renamed = {choice: name for name, choice in self._row.numbers.items()}
        with own_words(self._solvers, **renamed):
            return self._selection(problem, loss, **more)

    def _selection(self, problem: Problem, loss: LossRow, **more: Any) -> tuple[Problem, Selection]:
        kind = find_solver_type(self.solver, self._solvers)
        if is_unregularized(self) and kind.number == AUTO and not getattr(self, "positive", False):
            kind = find_solver_type("newton", SOLVERS)
        if self.warm_start and not kind.starts:
            raise ValueError(
                f"warm_start has no effect with solver {self.solver!r}, which begins at weights of "
                "zero"
            )
        choices, self._scale = objective_of(self, self._row, problem.weights, problem.n_examples)
        choices |= self._rules() | more
        if "loss" in kind.choices:
            choices["loss"] = loss.name
        if "regularizer" not in kind.choices:
            choices.pop("regularizer")
        self._intercept = self._intercept_kind(loss, choices.get("regularizer", "l2"), kind)
        if self._intercept in (REGULARIZED, FREE):
            problem = problem.with_bias(float(getattr(self, "intercept_scaling", 1.0)))
        if self._intercept == FREE:
            choices["free_bias"] = True
        known = {**NAMED_LOSSES, loss.name: loss}
        return problem, select(Parameter(solver=kind.number, **choices), known)

    def _solve(
        self, problem: Problem, chosen: Selection, start: Start, stacklevel: int = 5
    ) -> tuple[Model, Result]:
        with own_words(self._solvers):
            if self._intercept != COLUMN:
                start = self._with_weights(start, problem, chosen)
            if is_unregularized(self):
                model, result = solve_unregularized(
                    problem, chosen, self._solve_one, start, stacklevel + 1
                )
            else:
                model, result = self._solve_one(problem, chosen, start, stacklevel)
        self._training_ = Training.of(model)
        if self.warm_start and self._intercept != COLUMN:
            self._last_weights = model.labels, model.weights
        return model, result

    def _solve_one(
        self, problem: Problem, chosen: Selection, start: Start, stacklevel: int
    ) -> tuple[Model, Result]:
        how = solve_with_column if self._intercept == COLUMN else solve
        return how(problem, chosen, self._on_pass(), start, stacklevel)

    def _with_weights(self, duals: Start, problem: Problem, chosen: Selection) -> Start:
        """The duals of the last fit with its weights, unless these are of other classes."""
        last = getattr(self, "_last_weights", None)
        if duals is None or last is None:
            return duals
        labels, weights = last
        numbers = chosen.kind == "regression"
        same = numbers or np.array_equal(labels, group_labels(problem.labels)[0])
        return Point(weights if same else None, duals)

    def _set_weights(self, model: Model, weights: NDArray[np.float64]) -> None:
        """``weights``: a row for each score, the appended column last if there is one."""
        self.coef_ = np.ascontiguousarray(weights[:, : model.n_features])
        self.intercept_: Any = (
            weights[:, -1] * model.bias if self._intercept else np.zeros(len(weights))
        )


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


@dataclass(eq=False, repr=False, kw_only=True)
class Classifier(SparseCoef, Scored, ClassifierMixin, LinearModel):
    """The class of x is the one with the largest score."""

    _kinds = CLASSIFYING

    class_weight: Any = None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on X (n_samples × n_features, dense or sparse) with labels y (n_samples).

        X may also be the path of a container or an open `Problem`, which have labels and weights
        in themselves. ``sample_weight`` (n_samples, at least 0) multiplies ``C``. Raises ValueError
        for parameters out of range, NaN or infinity, fewer than two classes, weights that are all
        zero, and y or weights beside a container.
        """
        self._validate_params()
        X, y, sample_weight = self._checked_data(X, y, sample_weight)
        self._set_certificate(self._fit_labels(X, y, sample_weight), self._scale)
        return self

    def refit(self, X: Any, y: Any, sample_weight: Any) -> None:
        """`fit` again on the same data, which is not checked again."""
        self._set_certificate(self._fit_labels(X, y, sample_weight), self._scale)

    def _fit_labels(self, X: Any, y: Any, sample_weight: Any) -> Result:
        """Set weights, intercept and duals for data that is checked; the result of the solver."""
        problem, chosen, classes = self._prepared(X, y, sample_weight)
        index = problem.labels.astype(np.intp)
        start = self._duals_of_last_fit(classes, index, chosen.kind) if self.warm_start else None
        model, result = self._solve(problem, chosen, start, stacklevel=6)
        self._set_solution(model, result, classes)
        return result

    def _prepared(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Problem, Selection, NDArray[Any]]:
        check_labels(y)
        classes = np.unique(y)
        index = np.searchsorted(classes, y)
        check_several_classes(self, classes)
        problem = problem_of(X, index, sample_weight)
        factors = class_factors(self.class_weight, classes, index, problem.weights)
        check_some_weight(problem, None if factors is None else factors[index])
        weights = {} if factors is None else dict(enumerate(factors.tolist()))
        loss = self._loss(len(classes))
        return *self._chosen(problem, loss, class_weights=weights), classes

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

        For float32 X they are computed in float32.
        """
        scores = self._scores(X)
        return scores.ravel() if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The label with the largest score for each row of X; ties go to the first class."""
        return labels_of(self.decision_function(X), self.classes_)

    @available_if(links_scores)
    def predict_proba(self, X: Any) -> NDArray[np.floating[Any]]:
        """Probabilities of shape (n_samples, n_classes).

        The sigmoid of the score, normalized over the classes where each was trained against the
        rest, as in LIBLINEAR; or the softmax of the scores.
        """
        return self.probabilities_of(self.decision_function(X))

    def probabilities_of(self, scores: NDArray[Any]) -> NDArray[np.floating[Any]]:
        """Probabilities of scores that are as `decision_function` makes them."""
        if scores.ndim == 1:
            return expit(np.column_stack([-scores, scores]))
        one_by_one = self._loss(scores.shape[1]).link == "sigmoid"
        return softmax(log_expit(scores) if one_by_one else scores, axis=1)

    @available_if(links_scores)
    def predict_log_proba(self, X: Any) -> NDArray[np.floating[Any]]:
        """The logarithms of `predict_proba`."""
        return np.log(self.predict_proba(X))


@dataclass(eq=False, repr=False, kw_only=True)
class Regressor(Scored, RegressorMixin, LinearModel):
    """Predictions are scores."""

    _kinds = REGRESSING

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on X (n_samples × n_features, dense or sparse) with numbers y (n_samples).

        X may also be the path of a container or an open `Problem`, which have numbers and weights
        in themselves. ``sample_weight`` (n_samples, at least 0) counts examples as repeated. Raises
        ValueError for parameters out of range, NaN or infinity, weights that are all zero, and y or
        weights beside a container.
        """
        self._validate_params()
        X, y, sample_weight = self._checked_data(X, y, sample_weight, y_numeric=True)
        self._set_certificate(self._fit_target(X, y, sample_weight), self._scale)
        return self

    def refit(self, X: Any, y: Any, sample_weight: Any) -> None:
        """`fit` again on the same data, which is not checked again, with one target."""
        self._set_certificate(self._fit_target(X, y, sample_weight), self._scale)

    def _fit_target(self, X: Any, y: Any, sample_weight: Any) -> Result:
        """Set weights, intercept and duals for data that is checked; the result of the solver."""
        problem, chosen = self._prepared(X, y, sample_weight)
        last = getattr(self, "dual_coef_", None) if self.warm_start else None
        start = last if last is not None and len(last) == len(y) else None
        model, result = self._solve(problem, chosen, start, stacklevel=6)
        self._set_weights(model, model.weights.T)
        self.coef_ = self.coef_[0]
        self.intercept_ = self._single_intercept(float(self.intercept_[0]))
        self.dual_coef_ = result.duals
        return result

    def _single_intercept(self, intercept: float) -> Any:
        """``intercept_`` in the form that scikit-learn's class of this name has."""
        return intercept

    def _prepared(self, X: Any, y: Any, sample_weight: Any) -> tuple[Problem, Selection]:
        problem = problem_of(X, y, sample_weight, self._takes_any_order())
        check_some_weight(problem, None)
        return self._chosen(problem, self._loss(0))

    def predict(self, X: Any) -> NDArray[np.floating[Any]]:
        """Predicted numbers, of shape (n_samples,)."""
        return self._scores(X).ravel()


def labels_of(scores: NDArray[Any], classes: NDArray[Any]) -> NDArray[Any]:
    """The classes of the largest scores."""
    return classes[(scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)]
