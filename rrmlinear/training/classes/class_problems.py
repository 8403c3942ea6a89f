"""The problem of each class against the rest, and of one class against the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import Selection
from rrmlinear.core.records import replace
from rrmlinear.data.problem import Problem
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.solvers.loop.result import DualBlocks, OnPass, Result, Stopping, TraceRow
from rrmlinear.training.classes.joint import JointClasses, Left, signs
from rrmlinear.training.classes.steps import ClassSteps
from rrmlinear.training.costs import checked_costs
from rrmlinear.training.single import solve_scalars
from rrmlinear.training.starts import Point, block_duals, scalar_duals

Vector = NDArray[np.float64]


class ClassProblems:
    """For each class j, +1 its examples, with costs times factors[j], and −1 the others.

    Each begins from its column of ``start``; without one several ascend together.
    """

    def __init__(
        self,
        problem: Problem,
        chosen: Selection,
        label: NDArray[np.int32],
        costs: Vector,
        factors: Vector,
        start: Point,
    ) -> None:
        self.problem, self.chosen, self.label = problem, chosen, label
        self.costs, self.factors = costs, factors
        duals = scalar_duals(start.duals, (problem.n_examples, len(factors)))
        known = start.weights is not None and start.weights.shape[1] == len(factors)
        self.point = Point(start.weights if known else None, duals)
        self.steps: ClassSteps | None = None
        self.joint: JointClasses | None = None
        if not known and duals is None:
            task = problem.rows, chosen, label, costs, factors
            steps = ClassSteps(*task)
            self.steps = None if steps.examples is None else steps
            self.joint = None if self.steps else JointClasses.of(*task)

    def solve(self, j: int, rest: Stopping, see: OnPass | None) -> Result:
        """The problem of class j, by the rule ``rest``."""
        left = None if self.joint is None else self.joint.solved(j, rest, see)
        if isinstance(left, Result):
            return left
        found = None if self.steps is None else self.steps.solved[0][j]
        if found is not None:
            if see is not None:
                see(found.last)
            return found
        left = left or Left(self.point.column(j))

        def later(row: TraceRow) -> bool | None:
            assert see is not None
            return see(left.later(row))

        task = self.problem, self.chosen, signs(self.label, j), self._costs_of(j), left.point
        found = solve_scalars(*task, see and later, left.rest(rest))
        return left.whole(found, () if self.joint is None else self.joint.notes)

    def at_zero(self) -> list[tuple[float, float]]:
        """(primal, dual) of each problem at weights and duals of zero.

        Raises ValueError for costs that overflow or are all 0, before any problem is solved.
        """
        own = np.bincount(self.label, self.costs, len(self.factors))
        sums = np.array([self.factors * own, max(self.costs.sum(), 0.0) - own])
        for j, total in enumerate(sums.sum(axis=0).tolist()):
            if not 0 < total < np.inf:
                checked_costs(self._costs_of(j))
        return values_at_zero(self.chosen.loss, sums.T)

    def _costs_of(self, j: int) -> Vector:
        if self.factors[j] == 1:
            return self.costs
        return self.costs * np.where(self.label == j, self.factors[j], 1.0)


def values_at_zero(loss: ScalarLoss, sums: Any) -> list[tuple[float, float]]:
    """The same from the ``sums`` of the costs of each problem's class and of the rest."""
    values, conjugates = loss.values([1.0, -1.0], 0.0), loss.conjugates([1.0, -1.0], 0.0)
    each = np.asarray(sums)
    return list(zip((each @ values).tolist(), (-each @ conjugates).tolist(), strict=True))


def solve_two(
    problem: Problem,
    chosen: Selection,
    label: NDArray[np.int32],
    costs: Vector,
    start: Point,
    on_pass: OnPass | None,
) -> Result:
    """The problem with labels +1 of class 0 and −1 of class 1, from ``start``.

    Raises ValueError for costs that overflow or are all 0, and for duals of another problem.
    """
    duals = scalar_duals(start.duals, (problem.n_examples,))
    point = Point(start.weights, None if duals is None else duals[:, np.newaxis])
    classes = ClassProblems(problem, chosen, label, checked_costs(costs), np.ones(1), point)
    return classes.solve(0, chosen.stopping, on_pass)


def solve_as_hinge(
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
    y = signs(label, 0)
    duals, weights = block_duals(start.duals, label, 2), start.weights
    if duals is not None:
        sums = duals.dense(2).sum(axis=1)
        duals = y * np.divide(2 * sums, costs, out=np.zeros_like(y), where=costs > 0)
    if weights is not None:
        weights = weights[:, :1] - weights[:, 1:] if weights.shape[1] == 2 else None
    see = None if on_pass is None else lambda row: on_pass(_halved(row))
    result = solve_two(problem, chosen.as_hinge, label, costs, Point(weights, duals), see)
    values = costs / 2 * np.abs(result.duals)
    stored = values != 0
    indptr = np.concatenate([[0], np.cumsum(stored)])
    blocks = DualBlocks(indptr, 1 - label[stored], values[stored])
    return replace(
        result,
        weights=np.multiply.outer(result.weights, [0.5, -0.5]),
        trace=[_halved(row) for row in result.trace],
        target=result.target / 2,
        duals=blocks,
        notes=(*result.notes, "two classes: it is solved as the hinge of one score"),
    )


def _halved(row: TraceRow) -> TraceRow:
    values = row.primal / 2, row.dual / 2, row.gap / 2
    return TraceRow(row.number, row.seconds, *values, row.estimated, row.part, row.note)
