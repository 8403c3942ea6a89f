"""A condition on the duals of each group of examples, as of each task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.conditions.base import Bound, Condition
from rrmlinear.risks.terms import ScalarTerms

Vector = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class InGroups:
    """``condition`` holds over the examples of each group 0 … k − 1; ``groups`` has n of them."""

    condition: Condition
    groups: Places
    k: int

    @property
    def has_intercept(self) -> bool:
        return self.condition.has_intercept

    def over(self, terms: ScalarTerms) -> GroupedDuals:
        return GroupedDuals(self, terms)


@dataclass(frozen=True, eq=False)
class GroupedBest:
    """The `Best` of each group; ``intercept`` has k numbers, 0 for a group without a cost."""

    alphas: Vector
    parts: tuple[Any, ...]
    intercept: Vector | None
    warm: tuple[Any, ...]


class GroupedDuals(Bound):
    """Duals that meet a condition in each group; in groups without a cost above 0 they are 0."""

    def __init__(self, given: InGroups, terms: ScalarTerms) -> None:
        order = np.argsort(given.groups, kind="stable")
        cuts = np.searchsorted(given.groups[order], np.arange(given.k + 1))
        self.k, self.n, self.has_intercept = given.k, terms.n, given.has_intercept
        self.parts: list[tuple[int, Places, Any]] = []
        for t in range(given.k):
            own = order[cuts[t] : cuts[t + 1]]
            if terms.costs[own].any():
                self.parts.append((t, own, given.condition.over(terms.among(own))))

    def best(self, scores: Vector, warm: tuple[Any, ...] | None) -> GroupedBest:
        begins = warm or (None,) * len(self.parts)
        alphas, found = np.zeros(self.n), []
        intercept = np.zeros(self.k) if self.has_intercept else None
        for (t, own, bound), begin in zip(self.parts, begins, strict=True):
            best = bound.best(scores[own], begin)
            alphas[own] = best.alphas
            if intercept is not None:
                intercept[t] = best.intercept
            found.append(best)
        return GroupedBest(alphas, tuple(found), intercept, tuple(best.warm for best in found))

    def dual_steps(
        self,
        scores: Vector,
        alphas: Vector | float,
        curvatures: Vector | float,
        warm: tuple[Any, ...] | None,
    ) -> tuple[Vector, tuple[Any, ...]]:
        begins, ends = warm or (None,) * len(self.parts), []
        alpha = np.broadcast_to(np.float64(alphas), self.n)
        q = np.broadcast_to(np.float64(curvatures), self.n)
        result = np.zeros(self.n)
        for (_, own, bound), begin in zip(self.parts, begins, strict=True):
            result[own], end = bound.dual_steps(scores[own], alpha[own], q[own], begin)
            ends.append(end)
        return result, tuple(ends)

    def admits(self, alphas: Vector) -> bool:
        return all(bound.admits(alphas[own]) for _, own, bound in self.parts)

    def moved(self, scores: Vector, best: GroupedBest) -> Vector:
        result = scores.copy()
        for (_, own, bound), part in zip(self.parts, best.parts, strict=True):
            result[own] = bound.moved(scores[own], part)
        return result

    def added(self, best: GroupedBest) -> float:
        pairs = zip(self.parts, best.parts, strict=True)
        return sum(bound.added(part) for (_, _, bound), part in pairs)

    def kept(self, curvatures: Vector, best: GroupedBest) -> Vector:
        for (_, own, bound), part in zip(self.parts, best.parts, strict=True):
            curvatures[own] = bound.kept(curvatures[own], part)
        return curvatures

    def directions(self, best: GroupedBest) -> tuple[Vector, ...]:
        raise TypeError("a risk with a condition in each group has no Hessian to be formed")
