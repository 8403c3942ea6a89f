"""Paths of several targets: one strength after the other, each begun from the one before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.features._feature_descent import lower_groups
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
    whole = WholeGram(problem) if X.shape[1] <= len(Y) else None
    ends: list[tuple[float, Array]] = []
    for l1, modulus in strengths:
        if whole is not None:
            if whole.lower(l1, modulus, tolerance):
                before = l1
                yield problem.whole()
                continue
            whole = None
            problem.look()
        if len(ends) == 2 and ends[1][0] < ends[0][0]:
            _go_ahead(problem, ends, l1, modulus)
        # features whose sizes grow at most as fast as l1 falls are not in use
        problem.take(max(2 * l1 - before, l1 / 2) if before < np.inf else l1)
        before = l1
        is_solved = _solves(problem, l1, modulus, tolerance)
        found = problem.whole()
        ends = [*ends[-1:], (l1, found[0])]
        yield found if is_solved else None


class WholeGram:
    """The problem of a `GroupSet` on the Gram matrix of all features, for few features."""

    def __init__(self, problem: GroupSet) -> None:
        problem.add(np.arange(len(problem.means)))
        self.problem, self.linear = problem, problem.aim @ problem.lines.T
        self.square = float(np.vdot(problem.aim, problem.aim))
        self.ends: list[tuple[float, Array]] = []

    def lower(self, l1: float, modulus: float, tolerance: float) -> bool:
        """Minimize, from the line through the last two solutions; whether a gap proves it."""
        problem, ends = self.problem, self.ends
        W = problem.weights
        if len(ends) == 2 and ends[1][0] < ends[0][0]:
            (one, before), (two, last) = ends
            W += min((l1 - two) / (two - one), 1.0) * (last - before)
        pulls = self.linear - W @ problem.gram
        how = l1, modulus, tolerance, MAX_LOOKS
        given = problem.gram, problem.squares, self.linear, self.square
        found = bool(lower_groups(*given, *how, W, pulls))
        self.ends = [*ends[-1:], (l1, W.copy())]
        return found


def _go_ahead(
    problem: GroupSet, ends: list[tuple[float, Array]], l1: float, modulus: float
) -> None:
    """Go on along the line through the last two solutions, where that is lower."""
    (one, before), (two, last) = ends
    some, weights, primal = problem.features, problem.weights, problem.primal(l1, modulus)
    ahead = last + (l1 - two) / (two - one) * (last - before)
    problem.weights = np.ascontiguousarray(ahead[:, some] * weights.any(axis=0))
    problem.look()
    if not problem.primal(l1, modulus) < primal:
        problem.weights = weights
        problem.look()


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
