"""The problem of each class against the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import Selection
from rrmlinear.data.problem import Problem
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.solvers.loop.result import OnPass, Result
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.training.classes.joint import JointClasses
from rrmlinear.training.classes.steps import ClassSteps, Steps
from rrmlinear.training.costs import checked_costs
from rrmlinear.training.single import solve_scalars
from rrmlinear.training.starts import Point, scalar_duals

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
        self.steps = self.joint = None
        if not known and duals is None:
            steps = Steps.of(problem.rows, chosen, np.where(label == 0, 1.0, -1.0), costs)
            if steps is not None:
                self.steps = ClassSteps(steps, label, costs, factors)
            else:
                self.joint = JointClasses.of(problem.rows, chosen, label, costs, factors)

    def solve(self, j: int, rest: Stopping, see: OnPass | None) -> Result:
        """The problem of class j, by the rule ``rest``."""
        y = np.where(self.label == j, 1.0, -1.0)
        costs = self._costs_of(j)
        if self.steps is not None:
            found = self.steps.solved(j, y, costs, rest)
            if found is not None:
                if see is not None:
                    see(found.last)
                return found

        def alone(begin: Point, rest: Stopping, see: OnPass | None) -> Result:
            return solve_scalars(self.problem, self.chosen, y, costs, begin, see, rest)

        if self.joint is None:
            return alone(self.point.column(j), rest, see)
        return self.joint.solved(j, alone, rest, see)

    def at_zero(self) -> list[tuple[float, float]]:
        """(primal, dual) of each problem at weights and duals of zero.

        Raises ValueError for costs that overflow or are all 0, before any problem is solved.
        """
        own = np.bincount(self.label, self.costs, len(self.factors))
        rest = max(self.costs.sum(), 0.0) - own
        wrong = ~(np.isfinite(self.factors * own + rest) & (self.factors * own + rest > 0))
        for j in np.flatnonzero(wrong).tolist():
            checked_costs(self._costs_of(j))
        return values_at_zero(self.chosen.loss, np.column_stack([self.factors * own, rest]))

    def _costs_of(self, j: int) -> Vector:
        if self.factors[j] == 1:
            return self.costs
        return self.costs * np.where(self.label == j, self.factors[j], 1.0)


def values_at_zero(loss: ScalarLoss, sums: Any) -> list[tuple[float, float]]:
    """The same from the ``sums`` of the costs of each problem's class and of the rest."""
    values, conjugates = loss.values([1.0, -1.0], 0.0), loss.conjugates([1.0, -1.0], 0.0)
    each = np.asarray(sums)
    return list(zip((each @ values).tolist(), (-each @ conjugates).tolist(), strict=True))
