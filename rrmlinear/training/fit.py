"""The functional door: problem and parameter in, model out."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.errors import ChoiceError, Named
from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.regularizers import weight_at_limit
from rrmlinear.catalog.selection import Selection, select
from rrmlinear.data.labels import group_labels
from rrmlinear.data.problem import Problem
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.solvers.loop.result import OnPass, Result
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.training.costs import base_costs, checked_costs, class_factors
from rrmlinear.training.model import Model
from rrmlinear.training.one_vs_rest import solve_one_vs_rest
from rrmlinear.training.starts import Start, block_duals, duals_of, scalar_duals

Vector = NDArray[np.float64]


class NotSolvedWarning(UserWarning):
    """The solver stopped before its tolerance; the message says how far it is."""


def fit(
    problem: Problem,
    parameter: Parameter,
    on_pass: OnPass | None = None,
    start: Start = None,
) -> Model:
    """minimize Ω(W) + Σ_i C_i φ(W'x_i, y_i), C_i = C · class weight · sample weight.

    ``parameter`` names the regularizer Ω, by default ½‖W‖², and the loss φ. Losses of two classes
    have one column of weights, positive for the first label; with k > 2 classes they are k
    problems, each class against the rest, and the weight of a class counts in its own problem
    alone (LIBLINEAR's rule). Regression takes labels as they are.

    ``on_pass`` sees a TraceRow after each pass and stops the run by returning True. The model's
    ``result`` holds the certificate: primal, dual and gap in the scale of this objective, and the
    trace. ``start`` is a model trained on the same examples, by another C say, whose duals the
    solver begins from; or such duals themselves, their classes numbered in the order of
    `group_labels`.

    Raises ChoiceError (a ValueError) for parameters that cannot be meant, and ValueError for a
    start that does not fit, labels that are not whole numbers and data of one class (but for
    regression); warns (NotSolvedWarning) where the tolerance was not reached.
    """
    return fit_selection(problem, select(parameter), on_pass, start, stacklevel=3)


def fit_selection(
    problem: Problem,
    chosen: Selection,
    on_pass: OnPass | None = None,
    start: Start = None,
    stacklevel: int = 2,
) -> Model:
    """What `fit` does with choices that are looked up already."""
    model, result = solve(problem, chosen, on_pass, start, stacklevel + 1)
    if not result.solved:
        warnings.warn(result.shortfall(), NotSolvedWarning, stacklevel=stacklevel)
    return model


def solve(
    problem: Problem,
    chosen: Selection,
    on_pass: OnPass | None = None,
    start: Start = None,
    stacklevel: int = 2,
) -> tuple[Model, Result]:
    """What `fit_selection` does, without the warning that the tolerance was not reached.

    Other warnings name the caller ``stacklevel`` calls above.
    """
    chosen.check_problem(problem)
    if start is not None and not chosen.solver.starts:
        raise ChoiceError(
            Named("solver", chosen.solver.number),
            " begins at weights of zero and takes no start",
            field="solver",
            value=chosen.solver.number,
        )
    labels, label = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
    if chosen.kind != "regression":
        labels, label = group_labels(problem.labels)
        if len(labels) < 2:
            raise ValueError(
                f"all {problem.n_examples} examples have label {labels[0]}: training takes at "
                "least two classes"
            )
    duals = duals_of(start, labels)
    costs = base_costs(problem, chosen.choices.C)
    factors = class_factors(chosen.choices.class_weights, labels, stacklevel + 1)
    run = _Run(problem, chosen, on_pass)
    if chosen.kind == "multiclass":
        result = run.blocks(label, len(labels), checked_costs(costs * factors[label]), duals)
    elif chosen.kind == "regression":
        result = run.scalars(problem.labels, checked_costs(costs), duals)
    elif len(labels) == 2:
        y = np.where(label == 0, 1.0, -1.0)
        result = run.scalars(y, checked_costs(costs * factors[label]), duals)
    else:
        result = run.one_vs_rest(label, costs, factors, duals)
    weights = result.weights if result.weights.ndim == 2 else result.weights[:, np.newaxis]
    if news := weight_at_limit(weights, chosen.choices):
        warnings.warn(news, UserWarning, stacklevel=stacklevel)
    model = Model(
        solver_name=chosen.solver.name,
        labels=labels,
        weights=weights[: problem.rows.width],
        n_features=problem.n_features,
        bias=problem.bias,
        loss=chosen.loss_row.name,
        parameter=chosen.choices,
        result=result,
    )
    return model, result


class _Run:
    """A problem and the choices for it, on the way to a Result."""

    def __init__(self, problem: Problem, chosen: Selection, on_pass: OnPass | None):
        self.problem, self.chosen, self.on_pass = problem, chosen, on_pass

    def blocks(self, label: NDArray[np.int32], n_classes: int, costs: Vector, duals: Any) -> Result:
        """All classes in one problem."""
        start = block_duals(duals, label, n_classes)
        return self._solved(label, n_classes, costs, start, self.chosen.stopping, self.on_pass)

    def scalars(self, y: Vector, costs: Vector, duals: Any) -> Result:
        """One problem with one score for each example."""
        start = scalar_duals(duals, (self.problem.n_examples,))
        result = self._solved(y, None, costs, start, self.chosen.stopping, self.on_pass)
        return _with_support(result, self.chosen.loss, y)

    def one_vs_rest(
        self, label: NDArray[np.int32], costs: Vector, factors: Vector, duals: Any
    ) -> Result:
        """A problem for each class: +1 its examples, −1 the others."""
        loss = self.chosen.loss
        starts = scalar_duals(duals, (self.problem.n_examples, len(factors)))
        values = loss.values([1.0, -1.0], 0.0)
        conjugates = loss.conjugates([1.0, -1.0], 0.0)

        def costs_of(j: int) -> Vector:
            return checked_costs(costs * np.where(label == j, factors[j], 1.0))

        def at_zero(j: int) -> tuple[float, float]:
            all_costs, own = costs_of(j), label == j
            each = np.array([all_costs[own].sum(), all_costs[~own].sum()])
            return float(each @ values), -float(each @ conjugates)

        def solve_class(j: int, stopping: Stopping, see: OnPass) -> Result:
            y = np.where(label == j, 1.0, -1.0)
            first = None if starts is None else np.ascontiguousarray(starts[:, j])
            result = self._solved(y, None, costs_of(j), first, stopping, see)
            return _with_support(result, loss, y)

        zeros = [at_zero(j) for j in range(len(factors))]
        return solve_one_vs_rest(solve_class, zeros, self.chosen.stopping, self.on_pass)

    def _solved(
        self,
        targets: NDArray[Any],
        n_classes: int | None,
        costs: Vector,
        start: Any,
        stopping: Stopping,
        on_pass: OnPass | None,
    ) -> Result:
        rows, chosen = self.problem.rows, self.chosen
        columns = rows.width - bool(chosen.choices.free_bias)
        shape = (columns,) if n_classes is None else (columns, n_classes)
        omega = chosen.regularizer.over(shape, intercept=columns > self.problem.n_features)
        solver = chosen.solver_for(rows, targets, n_classes, costs, omega, start)
        return solver.solve(stopping, on_pass)


def _with_support(result: Result, loss: ScalarLoss, y: Vector) -> Result:
    """The same, with counts of the duals α that are not zero and of those at a bound."""
    if "duals" in result.support or result.duals is None:
        return result
    alphas = result.duals
    beyond = loss.conjugates(y, alphas * (1 + 1e-9))
    counts = {
        "examples": int(np.count_nonzero(alphas)),
        "duals": int(np.count_nonzero(alphas)),
        "at_bound": int(np.count_nonzero(np.isinf(beyond) & (alphas != 0))),
    }
    return replace(result, support=result.support | counts)
