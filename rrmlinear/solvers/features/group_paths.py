"""Paths of several targets: one strength after the other, each begun from the one before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.features.feature_newton import INNER_FALL_FRACTION
from rrmlinear.solvers.features.group_descent import GroupSet
from rrmlinear.solvers.features.set_paths import MAX_LOOKS
from rrmlinear.solvers.features.working_set import WORKING_SET_PULL
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS

Array = NDArray[np.float64]


def group_path(
    X: Any,
    Y: Array,
    costs: Array,
    centred: bool,
    strengths: Iterable[tuple[float, float]],
    tolerance: float,
) -> Iterator[tuple[Array, Array] | None]:
    """(W, b) of the problem of a `GroupSet` for each (l1, modulus), falling; None where no gap of
    at most ``tolerance`` of the objective proves them.
    """
    problem, before = GroupSet(X, Y, costs, centred), np.inf
    for l1, modulus in strengths:
        # features whose sizes grow at most as fast as l1 falls are not in use
        problem.take(max(2 * l1 - before, l1 / 2) if before < np.inf else l1)
        before = l1
        yield problem.whole() if _solves(problem, l1, modulus, tolerance) else None


def _solves(problem: GroupSet, l1: float, modulus: float, tolerance: float) -> bool:
    """Minimize; whether a gap proves it."""
    goal = np.inf
    for _ in range(MAX_LOOKS):
        primal = problem.primal(l1, modulus)
        gap = primal - problem.dual(l1, modulus)[1]
        if gap <= tolerance * primal:
            return True
        problem.leave(WORKING_SET_PULL * l1)
        has_grown = problem.take(l1)
        if goal <= FEW_ROUNDINGS * primal and not has_grown:
            break
        goal = INNER_FALL_FRACTION * min(goal, max(tolerance * primal, gap))
        problem.descend(l1, modulus, goal)
        problem.look()
    return False
