"""The base of estimators of weights: parameters to choices, fit, and predictions."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.errors import ChoiceError
from rrmlinear.catalog.losses import NAMED_LOSSES
from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.rows import LossRow, SolverRow
from rrmlinear.catalog.selection import Selection, select
from rrmlinear.catalog.solvers import OF_SMALL_FITS
from rrmlinear.core.blas import find_libraries
from rrmlinear.core.loading import named
from rrmlinear.core.plain_state import PlainState
from rrmlinear.core.records import replace
from rrmlinear.data.labels import group_labels
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.base import Certified
from rrmlinear.estimators.objective import (
    SOLVERS,
    ProblemRow,
    find_loss,
    find_solver_type,
    is_negligible,
    is_unregularized,
    objective_of,
    own_words,
)
from rrmlinear.estimators.reporting import Reported
from rrmlinear.estimators.scores import LinearScores
from rrmlinear.estimators.unregularized.intercepts import solve_with_column
from rrmlinear.estimators.unregularized.likelihoods import solve_likelihood
from rrmlinear.estimators.unregularized.solving import Fit, solve_negligible, solve_unregularized
from rrmlinear.exports.exported import Exported, Saved, Tabled
from rrmlinear.solvers.loop.result import Result
from rrmlinear.training.fit import solve
from rrmlinear.training.model import Model
from rrmlinear.training.offsets import with_room
from rrmlinear.training.starts import Point, Start

# beside the import of scikit-learn this takes no time, beside a small fit thirty times as long
for place in OF_SMALL_FITS:
    named(place)
find_libraries()

#: How an intercept gets into the problem.
REGULARIZED, FREE, COLUMN = "regularized", "free", "column"
#: The ascent, which leaves several intercepts free with the squared norm alone.
PROX_SDCA, AUTO = SOLVERS["prox-sdca"], SOLVERS["auto"]


@dataclass(eq=False, repr=False, kw_only=True)
class LinearModel(Reported, LinearScores, Exported, Tabled, Saved, PlainState, Certified, ABC):
    """The parameters of all estimators of a linear problem; ``_row`` says the problem.

    ``_solvers`` are solver types by their names here.
    """

    _row: ClassVar[ProblemRow]
    _kinds: ClassVar[tuple[str, ...]]
    _solvers: ClassVar[Mapping[str, int | str]] = SOLVERS
    #: Whether ½‖w‖² or the 1-norm of weights of X is the penalty, which may be rounding.
    _may_be_negligible: ClassVar[bool] = False

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

    @abstractmethod
    def _prepared(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, ...]:
        """The problem, the choices and what else a kind of labels needs, all of them checked."""

    def refit(self, X: Any, y: Any, sample_weight: Any) -> None:
        """`fit` again on the same data, which is not checked again, with one target."""
        self._set_certificate(self._fit_checked(X, y, sample_weight), self._scale)

    def _fit_checked(self, X: Any, y: Any, sample_weight: Any) -> Result:
        """Set weights, intercept and duals for data that is checked; the result of the solver."""
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
        kind = find_solver_type(self.solver, self._solvers)
        self._unregularized = is_unregularized(self)
        is_order = "order" in loss.features
        if self._unregularized and kind.number == AUTO and not (problem.rows.is_dense or is_order):
            kind = kind if getattr(self, "positive", False) else find_solver_type("newton", SOLVERS)
        if self.warm_start and not kind.starts:
            raise ValueError(
                f"warm_start has no effect with solver {self.solver!r}, which begins at weights of "
                "zero"
            )
        counted = problem.weights, problem.n_examples
        choices, self._scale = objective_of(self, self._row, *counted, self._unregularized)
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
        try:
            chosen = select(Parameter(solver=kind.number, **choices), known)
            has_rows = isinstance(problem, Problem)  # not where workers have them
            return problem, with_room(problem, chosen, known) if has_rows else chosen
        except ChoiceError as error:
            renamed = {choice: name for name, choice in self._row.numbers.items()}
            raise own_words(error, self._solvers, **renamed) from None

    def _solve(self, problem: Problem, chosen: Selection, start: Start) -> tuple[Model, Result]:
        by_column, on_pass = self._intercept == COLUMN, self._on_pass()
        if self.warm_start and not by_column:
            start = self._with_weights(start, problem, chosen)
        try:
            found: Any = None
            if self._unregularized and by_column:
                problem = problem.with_bias(1.0)
            is_small = self._may_be_negligible and self._intercept in ("", FREE)
            if self._unregularized or (is_small and is_negligible(problem, chosen)):
                given = problem, chosen, on_pass, start
                asked = Fit(*given, bool(self._intercept))
                alone = solve_unregularized if self._unregularized else solve_negligible
                found = solve_likelihood(*given) if chosen.has_order else alone(asked)
            if not isinstance(found, tuple):
                start = start if found is None else found
                how = solve_with_column if by_column else solve
                found = how(problem, chosen, on_pass, start)
        except ChoiceError as error:
            raise own_words(error, self._solvers) from None
        model, result = found
        used: Any = model.parameter
        self._training_ = model.loss, replace(used, C=math.inf) if self._unregularized else used
        if self.warm_start and not by_column:
            self._last_weights = model.labels, model.weights
        return model, result

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
