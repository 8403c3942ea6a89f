"""One problem with one score for each example, or with a score for each class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import Selection
from rrmlinear.core.machine import keep_freed
from rrmlinear.core.records import replace
from rrmlinear.data.problem import Problem
from rrmlinear.data.products import product
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.solvers.loop.result import OnPass, Result, Stopping
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.training.costs import checked_costs
from rrmlinear.training.starts import Point, scalar_duals

Vector = NDArray[np.float64]
# Arrays with a number for each example whose memory is kept from pass to pass.
KEPT_ARRAYS = 8


#: A dual that cannot grow by this relative amount is at its bound.
BOUND_GROWTH = 1e-9


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

    ``stopping`` stands in for the rule chosen. Raises ValueError for costs that overflow or
    are all 0, and for duals of another problem.
    """
    if start.duals is not None:
        start = Point(start.weights, scalar_duals(start.duals, (problem.n_examples,)))
    keep_freed(KEPT_ARRAYS * y.nbytes)
    solver = solver_of(problem, chosen, y, None, checked_costs(costs), start)
    result = solver.solve(stopping or chosen.stopping, on_pass)
    if chosen.has_order and result.duals is not None:  # the last one is that of the bound of F*
        result = replace(result, duals=result.duals[: len(y)])
    del solver, costs  # memory for the rest
    return with_support(result, chosen.loss, y)


def solve_measure(
    problem: Problem, chosen: Selection, y: Vector, start: Point, on_pass: OnPass | None
) -> tuple[Result, float | None]:
    """minimize Ω(w) + C times the risk of a measure of all labels ±1; and the threshold ρ.

    ρ lies in the middle below the k largest scores, k by default the number of positive examples;
    None for a measure that takes 0. It begins from weights alone. Raises ValueError for weights of
    examples: measures count them.
    """
    weights = problem.weights
    if weights is not None and (weights != 1).any():
        at = int((weights != 1).argmax())
        raise ValueError(
            f"example {at + 1} has weight {weights[at]:g}; measures of all labels count "
            "examples, whose weights must be 1"
        )
    costs = checked_costs(np.full(problem.n_examples, float(chosen.choices.C)))
    solver = solver_of(problem, chosen, y, None, costs, Point(start.weights))
    result = solver.solve(chosen.stopping, on_pass)
    if not chosen.loss.ranks:
        return result, None
    n, k = problem.n_examples, chosen.choices.k or int(np.count_nonzero(y > 0))
    weights = result.weights[:, np.newaxis]
    scores = np.sort(product(problem.rows, weights, problem.n_features)[:, 0])
    if k >= n:
        return result, float(scores[0]) - 1
    return result, float(scores[n - k - 1] + scores[n - k]) / 2


def solver_of(
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
    if chosen.has_order:
        risk = chosen.order_risk(problem, costs)
        return chosen.solver_for(problem.rows, targets, None, costs, omega, None, risk, weights)
    return chosen.solver_for(
        problem.rows, targets, n_classes, costs, omega, start.duals, weights=weights
    )


def with_support(result: Result, loss: ScalarLoss, y: Vector) -> Result:
    """The result, its support with counts of the duals α that are not zero and at a bound."""
    if "duals" in result.support or result.duals is None or not isinstance(loss, ScalarLoss):
        return result
    result.support.update(support_of(result.duals, loss, y))
    return result


def support_of(duals: Vector, loss: ScalarLoss, y: Vector) -> dict[str, int]:
    """The numbers of the duals α that are not zero and of those at a bound."""
    moved = int(np.count_nonzero(duals))
    bounded = loss.count_bounded(y, duals, 1 + BOUND_GROWTH)
    return {"examples": moved, "duals": moved, "at_bound": bounded}
