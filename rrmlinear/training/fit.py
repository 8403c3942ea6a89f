"""The functional door: problem and parameter in, model out."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.labels import group_labels
from rrmlinear.data.problem import Problem
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.solvers.loop.result import DualBlocks, OnPass, Result
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.training.model import Model
from rrmlinear.training.one_vs_rest import solve_one_vs_rest
from rrmlinear.training.parameter import Parameter
from rrmlinear.training.registry import find_solver, loss_of, regularizer_of
from rrmlinear.training.regularizer_types import news_of_limit
from rrmlinear.training.task import Task

#: Duals to start from: those of a model, or blocks, or α_i: n, or n × k of one-vs-rest problems.
Start = Model | DualBlocks | NDArray[np.float64] | None


class NotSolvedWarning(UserWarning):
    """The solver stopped before its tolerance; the message says how far it is."""


def fit(
    problem: Problem,
    parameter: Parameter,
    on_pass: OnPass | None = None,
    start: Start = None,
) -> Model:
    """minimize Ω(W) + Σ_i C_i φ(W'x_i, y_i), C_i = C · class weight · sample weight.

    Ω is ½‖W‖², plus l1 ‖W‖₁ for the elastic net; ``parameter`` names it and the loss φ. Losses of
    two classes have one column of weights, positive for the first label; with k > 2 classes they
    are k problems, each class against the rest, and where a class is not the one its weight does
    not count (LIBLINEAR's rule). Regression takes labels as they are.

    ``on_pass`` sees a TraceRow after each pass and stops the run by returning True. The model's
    ``result`` holds the certificate: primal, dual and gap in the scale of this objective, and the
    trace. ``start`` is a model trained on the same examples, by another C say, whose duals the
    solver begins from; or such duals themselves, their classes numbered in the order of
    `group_labels`.

    Raises ValueError for parameters out of range, a start for a solver that has none, labels that
    are not whole numbers and data of one class (but for regression); warns (NotSolvedWarning) where
    the tolerance was not reached.
    """
    model, result = solve(problem, parameter, on_pass, start)
    if not result.solved:
        warnings.warn(result.shortfall(), NotSolvedWarning, stacklevel=2)
    return model


def solve(
    problem: Problem,
    parameter: Parameter,
    on_pass: OnPass | None = None,
    start: Start = None,
) -> tuple[Model, Result]:
    """What `fit` does, for callers that themselves say where the tolerance was not reached."""
    parameter.check(problem)
    if start is not None and not find_solver(parameter.solver).starts:
        raise ValueError(f"-s {parameter.solver} begins at weights of zero and takes no start")
    kind = loss_of(parameter).kind
    labels, label = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
    if kind != "regression":
        labels, label = group_labels(problem.labels)
        if len(labels) < 2:
            raise ValueError(
                f"all {problem.n_examples} examples have label {labels[0]}: training takes at "
                "least two classes"
            )
    duals = _duals_of(start, labels)
    costs = _base_costs(problem, parameter)
    factors = _class_factors(parameter, labels)
    run = _Run(problem, parameter)
    if kind == "multiclass":
        result = run.blocks(label, len(labels), _checked(costs * factors[label]), duals, on_pass)
    elif kind == "regression":
        result = run.scalars(problem.labels, _checked(costs), duals, on_pass)
    elif len(labels) == 2:
        y = np.where(label == 0, 1.0, -1.0)
        result = run.scalars(y, _checked(costs * factors[label]), duals, on_pass)
    else:
        result = run.one_vs_rest(label, costs, factors, duals, on_pass)
    width, weights = problem.rows.width, result.weights
    weights = weights if weights.ndim == 2 else weights[:, np.newaxis]
    if news := news_of_limit(weights, run.regularizer):
        warnings.warn(news, UserWarning, stacklevel=3)
    model = Model(
        solver_name=find_solver(parameter.solver).name,
        labels=labels,
        weights=weights[:width],
        n_features=problem.n_features,
        bias=problem.bias,
        parameter=parameter,
        result=result,
        loss=loss_of(parameter).name,
    )
    return model, result


class _Run:
    """A problem and the choices for it, on the way to a Result."""

    def __init__(self, problem: Problem, parameter: Parameter):
        self.problem, self.parameter = problem, parameter
        self.kind = find_solver(parameter.solver)
        self.loss = loss_of(parameter).build(parameter)
        self.regularizer = regularizer_of(parameter).build(parameter)
        self.stopping = Stopping(
            parameter.delta, parameter.gap_tol, parameter.max_passes, parameter.time_limit
        )

    def blocks(
        self,
        label: NDArray[np.int32],
        n_classes: int,
        costs: NDArray[np.float64],
        duals: Any,
        on_pass: OnPass | None,
    ) -> Result:
        """All classes in one problem."""
        if duals is not None:
            if not isinstance(duals, DualBlocks):
                raise ValueError("the duals to start from are not those of a multiclass loss")
            duals.check(label, n_classes)
        return self._solver(label, n_classes, costs, duals).solve(self.stopping, on_pass)

    def scalars(
        self, y: NDArray[np.float64], costs: NDArray[np.float64], duals: Any, on_pass: OnPass | None
    ) -> Result:
        """One problem with one score for each example."""
        duals = _scalar_duals(duals, (self.problem.n_examples,))
        result = self._solver(y, None, costs, duals).solve(self.stopping, on_pass)
        return _with_support(result, self.loss, y)

    def one_vs_rest(
        self,
        label: NDArray[np.int32],
        costs: NDArray[np.float64],
        factors: NDArray[np.float64],
        duals: Any,
        on_pass: OnPass | None,
    ) -> Result:
        """A problem for each class: +1 its examples, −1 the others."""
        duals = _scalar_duals(duals, (self.problem.n_examples, len(factors)))

        values = self.loss.values([1.0, -1.0], 0.0)
        conjugates = self.loss.conjugates([1.0, -1.0], 0.0)

        def costs_of(j: int) -> NDArray[np.float64]:
            return _checked(costs * np.where(label == j, factors[j], 1.0))

        def at_zero(j: int) -> tuple[float, float]:
            all_costs, own = costs_of(j), label == j
            each = np.array([all_costs[own].sum(), all_costs[~own].sum()])
            return float(each @ values), -float(each @ conjugates)

        def solve_class(j: int, stopping: Stopping, see: OnPass) -> Result:
            y = np.where(label == j, 1.0, -1.0)
            first = None if duals is None else np.ascontiguousarray(duals[:, j])
            result = self._solver(y, None, costs_of(j), first).solve(stopping, see)
            return _with_support(result, self.loss, y)

        zeros = [at_zero(j) for j in range(len(factors))]
        return solve_one_vs_rest(solve_class, zeros, self.stopping, on_pass)

    def _solver(
        self, targets: NDArray[Any], n_classes: int | None, costs: NDArray[np.float64], start: Any
    ) -> Solver:
        rows, parameter = self.problem.rows, self.parameter
        columns = rows.width - bool(parameter.free_bias)
        return self.kind.build(
            Task(
                rows,
                targets,
                n_classes,
                costs,
                self.loss,
                self.regularizer.over(
                    (columns,) if n_classes is None else (columns, n_classes),
                    intercept=columns > self.problem.n_features,
                ),
                self.parameter,
                start,
            )
        )


def _with_support(result: Result, loss: ScalarLoss, y: NDArray[np.float64]) -> Result:
    """The same, with counts of the duals α that are not zero and of those that can grow no more."""
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


def _duals_of(start: Start, labels: NDArray[np.int64]) -> Any:
    if not isinstance(start, Model):
        return start
    if start.result is None:
        raise ValueError("a loaded model has no duals to start from")
    if not np.array_equal(start.labels, labels):
        raise ValueError(
            f"the model to start from has labels {start.labels.tolist()}; "
            f"the problem has {labels.tolist()}"
        )
    return start.result.duals


def _scalar_duals(duals: Any, shape: tuple[int, ...]) -> NDArray[np.float64] | None:
    if duals is None:
        return None
    if isinstance(duals, DualBlocks):
        raise ValueError("the duals to start from are those of a multiclass loss")
    array = np.ascontiguousarray(duals, dtype=np.float64)
    if array.shape != shape:
        raise ValueError(f"the duals to start from have shape {array.shape}, not {shape}")
    if not np.isfinite(array).all():
        raise ValueError("duals must be finite")
    return array


def _class_factors(parameter: Parameter, labels: NDArray[np.int64]) -> NDArray[np.float64]:
    factors = np.ones(len(labels))
    for name, weight in parameter.class_weights.items():
        at = np.flatnonzero(labels == name)
        if at.size == 0:
            warnings.warn(
                f"class label {name} specified in weight is not found", UserWarning, stacklevel=4
            )
        factors[at] = weight
    return factors


def _base_costs(problem: Problem, parameter: Parameter) -> NDArray[np.float64]:
    """C times the weight of every example."""
    if problem.weights is None:
        return np.full(problem.n_examples, parameter.C)
    return _checked(parameter.C * problem.weights)


def _checked(costs: NDArray[np.float64]) -> NDArray[np.float64]:
    if not np.isfinite(costs).all():
        raise ValueError("C times the weights overflows; use smaller weights")
    if not costs.any():
        raise ValueError("every example has weight 0; at least one must count")
    return costs
