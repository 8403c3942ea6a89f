"""A budget on the duals: ‖α‖₁ ≤ m, or any α'v ≤ ρ, also beside a free intercept."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.losses.base import ScalarLoss
from rrmlinear.risks.conditions.base import Best, Bound, Search, check_scores
from rrmlinear.risks.conditions.intercept import BalancedDuals, Intercept
from rrmlinear.risks.terms import PieceDuals, ScalarTerms

Vector = NDArray[np.float64]
Numbers = Vector | float
#: (target, offset, lower, upper) of `ScalarLoss.pieces`.
Piece = tuple[Any, Any, Any, Any]

# Rounding may put Σ c_i |α_i| above its limit by this fraction of the limit.
LIMIT_ROUNDING = 1e-10


@dataclass(frozen=True, eq=False)
class Budget:
    """Σ c_i v_i α_i ≤ ρ, so that F is the minimum over η ≥ 0 of η ρ + Σ c_i φ(s_i + η v_i).

    With ``direction`` v None the condition is Σ c_i |α_i| ≤ ρ, which is v_i = sign α_i: for the
    hinge, whose α_i lie in [0, 1] up to their sign, F is then the sum of the ρ/C largest losses
    where every c_i is C. A cost counts as repetitions do, so that ‖α‖₁ ≤ m over examples of cost C
    is ``limit`` ρ = C m.

    ``beside`` is an `Intercept` that holds as well: Σ c_i α_i = 0. Then Σ c_i |α_i| is at most ρ/2
    over the duals above 0, and over those below.

    `over` raises ValueError for losses without `ScalarLoss.pieces`, for a limit that is not
    positive and finite, for a direction that is not n finite numbers, and for a direction beside an
    intercept. Source: Yang, Mahdavi, Jin and Zhu, An Efficient Primal Dual Prox Method for
    Non-Smooth Optimization, lemma 13 and problem (19).
    """

    limit: float
    direction: Vector | None = None
    beside: Intercept | None = None

    @property
    def has_intercept(self) -> bool:
        return self.beside is not None

    def over(self, terms: ScalarTerms) -> LimitedDuals:
        return LimitedDuals(self, terms)


@dataclass(frozen=True)
class Searches:
    """The ends of the search for the intercept and of those for the multipliers."""

    beside: Search | None = None
    sides: tuple[Search, ...] = field(default=(Search(), Search()))


class LimitedDuals(Bound):
    """The duals within a `Budget`, to a rounding of 1e-10.

    Without an intercept there is one search, for η. With an intercept, balanced duals are found
    first. Where these exceed the limit, b and η need no common search: the positive duals have the
    root θ₊ = b + η and the negative ones θ₋ = η − b.
    """

    def __init__(self, budget: Budget, terms: ScalarTerms) -> None:
        pieces = _checked_pieces(terms.loss, terms.labels, budget.limit)
        costs, smoothing = terms.costs, terms.loss.smoothing
        self.limit, self.terms, self.y, self.costs = budget.limit, terms, terms.labels, costs
        self.direction = _checked_direction(budget, terms.n)
        self.beside: BalancedDuals | None = None
        if budget.beside is not None:
            self.beside = budget.beside.over(terms)
            above = [(t, o, 0.0, np.maximum(u, 0.0)) for t, o, _, u in pieces]
            below = [(t, o, np.minimum(low, 0.0), 0.0) for t, o, low, _ in pieces]
            self.sides = [
                PieceDuals(part, costs, smoothing, [sign] * len(part), self.limit / 2)
                for sign, part in ((1.0, above), (-1.0, below))
            ]
            return
        scales: list[Any] = [self.direction] * len(pieces)
        if self.direction is None:
            pieces, scales = _by_sign(pieces)
        self.sides = [PieceDuals(pieces, costs, smoothing, scales, self.limit)]

    @property
    def offers(self) -> frozenset[Hashable]:  # type: ignore[override]
        return frozenset({"hessian"} if self.beside is None else {"hessian", "balance"})

    def best(self, scores: Vector, warm: Searches | None) -> Best:
        check_scores(scores)
        warm = warm or Searches()
        last = None
        if self.beside is not None:
            found = self.beside.best(scores, warm.beside)
            last = found.warm
            if self._within(found.alphas):
                return Best(found.alphas, found.intercept, 0.0, Searches(last, warm.sides))
        alphas, ends, at_most = np.zeros(len(scores)), [], self.beside is None
        for side, begin in zip(self.sides, warm.sides, strict=False):
            if self.terms.loss.smoothing > 0:
                part, theta = side.lines(scores, 0.0, 0.0, begin.at, at_most)
                ends.append(Search(theta))
            else:
                part, theta = side.scaled_steps(scores, begin.at, begin.move, at_most)
                ends.append(Search(theta, 2 * abs(theta - begin.at) or begin.move))
            alphas += part
        high, low = ends[0].at, ends[-1].at
        b = None if self.beside is None else (high - low) / 2
        # an intercept search from here begins at this b
        beside = None if b is None or last is None else Search(b, last.move, last.rate)
        return Best(alphas, b, max((high + low) / 2, 0.0), Searches(beside, tuple(ends)))

    def dual_steps(
        self, scores: Vector, alphas: Numbers, curvatures: Numbers, warm: Searches | None
    ) -> tuple[Vector, Searches]:
        check_scores(scores)
        warm = warm or Searches()
        last = None
        if self.beside is not None:
            steps, last = self.beside.dual_steps(scores, alphas, curvatures, warm.beside)
            if self._within(steps):
                return steps, Searches(last, warm.sides)
        result, ends = np.zeros(len(scores)), []
        for side, begin in zip(self.sides, warm.sides, strict=False):
            part, theta = side.lines(scores, alphas, curvatures, begin.at, self.beside is None)
            result += part
            ends.append(Search(theta))
        return result, Searches(last, tuple(ends))

    def admits(self, alphas: Vector) -> bool:
        if self.beside is not None:
            return self.beside.admits(alphas) and self._within(alphas)
        used = self.costs * self._scale(alphas) * alphas
        room = self.limit + LIMIT_ROUNDING * float(np.abs(used).sum())
        return float(used.sum()) <= room

    def moved(self, scores: Vector, best: Best) -> Vector:
        b = best.intercept or 0.0
        if best.penalty == 0:
            return scores if self.beside is None else scores + b
        if self.direction is not None:
            return scores + best.penalty * self.direction
        # Examples with α_i = 0 add nothing to F: they are put where their loss is 0.
        above, below = b + best.penalty, best.penalty - b
        moved = np.where(best.alphas > 0, scores + above, scores - below)
        return np.where(best.alphas == 0, self.y, moved)

    def added(self, best: Best) -> float:
        return best.penalty * self.limit

    def kept(self, curvatures: Vector, best: Best) -> Vector:
        if self.direction is None and best.penalty > 0:
            curvatures[best.alphas == 0] = 0.0
        return curvatures

    def directions(self, best: Best) -> tuple[Vector, ...]:
        alphas = best.alphas
        if self.beside is None:
            return (self._scale(alphas),) if best.penalty > 0 else ()
        ones = np.ones(len(alphas))
        return (ones * (alphas > 0), ones * (alphas < 0)) if best.penalty > 0 else (ones,)

    def _within(self, alphas: Vector) -> bool:
        used = float(np.vdot(self.costs, np.abs(alphas)))
        return used <= self.limit * (1 + LIMIT_ROUNDING)

    def _scale(self, alphas: Vector) -> Vector:
        return np.sign(alphas) if self.direction is None else self.direction


def _checked_pieces(loss: ScalarLoss, y: Vector, limit: float) -> list[Piece]:
    pieces = loss.pieces(y)
    if pieces is None:
        raise ValueError(
            "a budget takes a loss of one score whose dual is a sum of clipped lines, got "
            f"{type(loss).__name__}"
        )
    if not 0 < limit < math.inf:
        raise ValueError(f"the limit of duals must be positive and finite, got {limit}")
    return pieces


def _checked_direction(budget: Budget, n: int) -> Vector | None:
    if budget.direction is None:
        return None
    if budget.beside is not None:
        raise ValueError("a budget beside an intercept limits ‖α‖₁ and takes no direction")
    direction = np.ascontiguousarray(budget.direction, dtype=np.float64)
    if direction.shape != (n,) or not np.isfinite(direction).all():
        raise ValueError(
            f"a direction of duals must be {n} finite numbers, got shape {direction.shape}"
        )
    return direction


def _by_sign(pieces: list[Piece]) -> tuple[list[Piece], list[Any]]:
    """The pieces cut at α = 0, and the sign of α on each."""
    parts: list[Piece] = []
    signs: list[Any] = []
    for t, o, low, high in pieces:
        if np.any((np.asarray(low) < 0) & (np.asarray(high) > 0)):
            parts += [(t, o, 0.0, high), (t, o, low, 0.0)]
            signs += [1.0, -1.0]
        else:
            parts.append((t, o, low, high))
            signs.append(np.where(np.asarray(high) > 0, 1.0, -1.0))
    return parts, signs
