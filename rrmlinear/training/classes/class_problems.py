"""The problem of each class against the rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import Selection
from rrmlinear.data.problem import Problem
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.solvers.loop.result import OnPass, Result
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.training.costs import checked_costs
from rrmlinear.training.single import solve_scalars
from rrmlinear.training.starts import JointStarts, Point, scalar_duals

Vector = NDArray[np.float64]


class ClassProblems:
    """For each class j, +1 its examples, with costs times factors[j], and −1 the others.

    Each begins from its column of ``start``, else from duals that several ascents find together.
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
        self.joint = None
        if not known and duals is None:
            self.joint = JointStarts.of(problem.rows, chosen, label, costs, factors)

    def solve(self, j: int, rest: Stopping, see: OnPass | None) -> Result:
        """The problem of class j, by the rule ``rest``."""
        y = np.where(self.label == j, 1.0, -1.0)
        costs = self._costs_of(j)

        def alone(begin: Point, rest: Stopping, see: OnPass | None) -> Result:
            return solve_scalars(self.problem, self.chosen, y, costs, begin, see, rest)

        if self.joint is None:
            return alone(self.point.column(j), rest, see)
        return self.joint.solved(j, alone, rest, see)

    def at_zero(self) -> list[tuple[float, float]]:
        """(primal, dual) of each problem at weights and duals of zero.

        Raises ValueError for costs that overflow or are all 0, before any problem is solved.
        """
        sums = []
        for j in range(len(self.factors)):
            costs, own = checked_costs(self._costs_of(j)), self.label == j
            sums.append((costs[own].sum(), costs[~own].sum()))
        return values_at_zero(self.chosen.loss, sums)

    def _costs_of(self, j: int) -> Vector:
        return self.costs * np.where(self.label == j, self.factors[j], 1.0)


def values_at_zero(
    loss: ScalarLoss, sums: Sequence[tuple[float, float]]
) -> list[tuple[float, float]]:
    """The same from the ``sums`` of the costs of each problem's class and of the rest."""
    values = loss.values([1.0, -1.0], 0.0)
    conjugates = loss.conjugates([1.0, -1.0], 0.0)
    each = [np.array(pair) for pair in sums]
    return [(float(pair @ values), -float(pair @ conjugates)) for pair in each]
