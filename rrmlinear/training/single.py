"""One problem with one score for each example, or with a score for each class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import Selection
from rrmlinear.core.freed_memory import keep_freed
from rrmlinear.core.records import replace
from rrmlinear.data.problem import Problem
from rrmlinear.data.products import product
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.solvers.loop.result import DualBlocks, OnPass, Result, TraceRow
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.training.classes.steps import solved_by_steps, support_of
from rrmlinear.training.costs import checked_costs
from rrmlinear.training.starts import Point, block_duals, scalar_duals

Vector = NDArray[np.float64]
# Arrays with a number for each example whose memory is kept from pass to pass.
KEPT_ARRAYS = 8


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
    if n_classes == 2 and chosen.as_hinge is not None:
        return _solve_as_hinge(problem, chosen, label, costs, start, on_pass)
    duals = block_duals(start.duals, label, n_classes)
    checked = Point(start.weights, duals)
    solver = _solver(problem, chosen, label, n_classes, checked_costs(costs), checked)
    return solver.solve(chosen.stopping, on_pass)


def _solve_as_hinge(
    problem: Problem,
    chosen: Selection,
    label: NDArray[np.int32],
    costs: Vector,
    start: Point,
    on_pass: OnPass | None,
) -> Result:
    """The machine of two classes as that of one score, u = w_0 − w_1, for twice the costs.

    W = (u, −u)/2 is optimal: ½‖W‖² is ¼‖u‖², and the loss is the hinge of ±x'u. So all values are
    half of those of the hinge, and c_i |α_i| are the duals of the other classes.
    """
    assert chosen.as_hinge is not None
    costs = checked_costs(2 * checked_costs(costs))
    y = np.where(label == 0, 1.0, -1.0)
    duals, weights = block_duals(start.duals, label, 2), start.weights
    if duals is not None:
        sums = duals.dense(2).sum(axis=1)
        duals = y * np.divide(2 * sums, costs, out=np.zeros_like(y), where=costs > 0)
    if weights is not None:
        weights = weights[:, :1] - weights[:, 1:] if weights.shape[1] == 2 else None
    see = None if on_pass is None else lambda row: on_pass(_halved(row))
    problem_of_one = chosen.as_hinge, y, costs, Point(weights, duals), see
    result = solved_by_steps(problem.rows, *problem_of_one)
    result = result or solve_scalars(problem, *problem_of_one)
    values = costs / 2 * np.abs(result.duals)
    blocks = np.zeros((len(y), 2))
    blocks[np.arange(len(y)), 1 - label] = values
    return replace(
        result,
        weights=np.column_stack([result.weights, -result.weights]) / 2,
        trace=[_halved(row) for row in result.trace],
        target=result.target / 2,
        duals=DualBlocks.of(blocks),
        notes=(*result.notes, "two classes: it is solved as the hinge of one score"),
    )


def _halved(row: TraceRow) -> TraceRow:
    return replace(row, primal=row.primal / 2, dual=row.dual / 2, gap=row.gap / 2)


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
    if start.duals is not None:
        start = Point(start.weights, scalar_duals(start.duals, (problem.n_examples,)))
    keep_freed(KEPT_ARRAYS * y.nbytes)
    solver = _solver(problem, chosen, y, None, checked_costs(costs), start)
    result = solver.solve(stopping or chosen.stopping, on_pass)
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
    solver = _solver(problem, chosen, y, None, costs, Point(start.weights))
    result = solver.solve(chosen.stopping, on_pass)
    if not chosen.loss.ranks:
        return result, None
    n, k = problem.n_examples, chosen.choices.k or int(np.count_nonzero(y > 0))
    weights = result.weights[:, np.newaxis]
    scores = np.sort(product(problem.rows, weights, problem.n_features)[:, 0])
    if k >= n:
        return result, float(scores[0]) - 1
    return result, float(scores[n - k - 1] + scores[n - k]) / 2


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
        problem.rows,
        targets,
        n_classes,
        costs,
        omega,
        start.duals,
        weights=weights,
    )


def with_support(result: Result, loss: ScalarLoss, y: Vector) -> Result:
    """The result, its support with counts of the duals α that are not zero and at a bound."""
    if "duals" in result.support or result.duals is None:
        return result
    result.support.update(support_of(result.duals, loss, y))
    return result
