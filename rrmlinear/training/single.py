"""One problem with one score for each example, or with a score for each class."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import Selection
from rrmlinear.data.problem import Problem
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.solvers.loop.result import OnPass, Result
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.training.costs import checked_costs
from rrmlinear.training.starts import Point, block_duals, scalar_duals

Vector = NDArray[np.float64]
#: A dual that cannot grow by this relative amount is at its bound.
BOUND_GROWTH = 1e-9


def solve_blocks(
    problem: Problem,
    chosen: Selection,
    label: NDArray[np.int32],
    n_classes: int,
    costs: Vector,
    start: Point,
    on_pass: OnPass | None,
) -> Result:
    """minimize Ω(W) + Σ_i c_i φ(W'x_i, y_i) for classes y_i = 0 … k − 1, from ``start``.

    Raises ValueError for costs that overflow or are all 0, and for duals of another problem.
    """
    duals = block_duals(start.duals, label, n_classes)
    checked = Point(start.weights, duals)
    solver = _solver(problem, chosen, label, n_classes, checked_costs(costs), checked)
    return solver.solve(chosen.stopping, on_pass)


def solve_scalars(
    problem: Problem,
    chosen: Selection,
    y: Vector,
    costs: Vector,
    start: Point,
    on_pass: OnPass | None,
    stopping: Stopping | None = None,
) -> Result:
    """minimize Ω(w) + Σ_i c_i φ(x_i'w, y_i) for labels y, from ``start``.

    ``stopping`` stands in for the rule chosen. Raises ValueError as `solve_blocks`.
    """
    duals = scalar_duals(start.duals, (problem.n_examples,))
    checked = Point(start.weights, duals)
    solver = _solver(problem, chosen, y, None, checked_costs(costs), checked)
    return _with_support(solver.solve(stopping or chosen.stopping, on_pass), chosen.loss, y)


def _solver(
    problem: Problem,
    chosen: Selection,
    targets: NDArray[Any],
    n_classes: int | None,
    costs: Vector,
    start: Point,
) -> Solver:
    columns = problem.rows.width - bool(chosen.choices.free_bias)
    shape = (columns,) if n_classes is None else (columns, n_classes)
    omega = chosen.regularizer.over(shape, intercept=columns > problem.n_features)
    weights = start.weights
    if weights is not None:
        fits = weights.shape[1] == (n_classes or 1)
        weights = np.ascontiguousarray(weights[:columns]).reshape(shape) if fits else None
    return chosen.solver_for(
        problem.rows, targets, n_classes, costs, omega, start.duals, weights=weights
    )


def _with_support(result: Result, loss: ScalarLoss, y: Vector) -> Result:
    """The result with counts of the duals α that are not zero and of those at a bound."""
    if "duals" in result.support or result.duals is None:
        return result
    alphas = result.duals
    beyond = loss.conjugates(y, alphas * (1 + BOUND_GROWTH))
    counts = {
        "examples": int(np.count_nonzero(alphas)),
        "duals": int(np.count_nonzero(alphas)),
        "at_bound": int(np.count_nonzero(np.isinf(beyond) & (alphas != 0))),
    }
    return replace(result, support=result.support | counts)
