"""The functional door: problem and parameter in, model out."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.labels import group_labels
from rrmlinear.data.problem import Problem
from rrmlinear.solvers.result import DualBlocks, OnPass, Result
from rrmlinear.solvers.stopping import Stopping
from rrmlinear.training.model import Model
from rrmlinear.training.parameter import Parameter
from rrmlinear.training.registry import find_solver


class NotSolvedWarning(UserWarning):
    """The solver stopped before its tolerance; the message says how far it is."""


def fit(
    problem: Problem,
    parameter: Parameter,
    on_pass: OnPass | None = None,
    start: Model | DualBlocks | None = None,
) -> Model:
    """minimize ½‖W‖² + Σ_i C_i φ(W'x_i, y_i), C_i = C · class weight · sample weight.

    The loss φ is that of ``parameter.solver``. ``on_pass`` sees a TraceRow after each pass and
    stops the run by returning True. The model's ``result`` holds the certificate: primal, dual and
    gap in the scale of this objective, and the trace. ``start`` is a model trained on the same
    examples, by another C say, whose duals the solver begins from; or such duals themselves, their
    classes numbered in the order of `group_labels`.

    Raises ValueError for parameters out of range, labels that are not whole numbers and data of
    one class; warns (NotSolvedWarning) where the tolerance was not reached.
    """
    model, result = solve(problem, parameter, on_pass, start)
    if not result.solved:
        warnings.warn(result.shortfall(), NotSolvedWarning, stacklevel=2)
    return model


def solve(
    problem: Problem,
    parameter: Parameter,
    on_pass: OnPass | None = None,
    start: Model | DualBlocks | None = None,
) -> tuple[Model, Result]:
    """What `fit` does, for callers that themselves say where the tolerance was not reached."""
    parameter.check(problem)
    kind = find_solver(parameter.solver)
    labels, label = group_labels(problem.labels)
    if len(labels) < 2:
        raise ValueError(
            f"all {problem.n_examples} examples have label {labels[0]}: training takes at least "
            "two classes"
        )
    costs = _costs(problem, parameter, labels, label)
    solver = kind.build(
        problem, label, len(labels), costs, parameter, _duals_of(start, labels, label)
    )
    stopping = Stopping(
        parameter.delta, parameter.gap_tol, parameter.max_passes, parameter.time_limit
    )
    result = solver.solve(stopping, on_pass)
    model = Model(
        solver_name=kind.name,
        labels=labels,
        weights=result.weights,
        n_features=problem.n_features,
        bias=problem.bias,
        parameter=parameter,
        result=result,
    )
    return model, result


def _duals_of(
    start: Model | DualBlocks | None, labels: NDArray[np.int64], label: NDArray[np.int32]
) -> DualBlocks | None:
    if isinstance(start, Model):
        if start.result is None:
            raise ValueError("a loaded model has no duals to start from")
        if not np.array_equal(start.labels, labels):
            raise ValueError(
                f"the model to start from has labels {start.labels.tolist()}; "
                f"the problem has {labels.tolist()}"
            )
        duals: DualBlocks | None = start.result.duals
    else:
        duals = start
    if duals is not None:
        duals.check(label, len(labels))
    return duals


def _costs(
    problem: Problem, parameter: Parameter, labels: NDArray[np.int64], label: NDArray[np.int32]
) -> NDArray[np.float64]:
    """C_i of every example."""
    factors = np.ones(len(labels))
    for name, weight in parameter.class_weights.items():
        at = np.flatnonzero(labels == name)
        if at.size == 0:
            warnings.warn(
                f"class label {name} specified in weight is not found", UserWarning, stacklevel=4
            )
        factors[at] = weight
    costs = parameter.C * factors[label]
    if problem.weights is not None:
        costs *= problem.weights
    if not np.isfinite(costs).all():
        raise ValueError("C times the weights overflows; use smaller weights")
    if not costs.any():
        raise ValueError("every example has weight 0; at least one must count")
    return costs
