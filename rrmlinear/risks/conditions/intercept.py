"""A free intercept: the duals sum to 0, and F is the minimum over b of Σ c_i φ(x_i'w + b, y_i)."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.cached import cached_property
from rrmlinear.risks.conditions.balance import BRACKET_ACCURACY, Look, balanced, faded
from rrmlinear.risks.conditions.base import Best, Bound, Search, check_scores
from rrmlinear.risks.conditions.classes import BalancedClasses
from rrmlinear.risks.line import BalancedLine, Line
from rrmlinear.risks.terms import PieceDuals, ScalarTerms

Vector = NDArray[np.float64]
Numbers = Vector | float

# Searches after which the duals of a loss of k scores attain F.
MAX_SEARCHES = 40
# Σ c_i α_i below this fraction of Σ c_i |α_i| counts as 0: means of many duals round as well.
BALANCE_ROUNDING = 1e-10
# Test point where labels reach 1: a domain of duals reaches beyond 0 if it holds this or −this.
DUAL_NEAR_ZERO = 1e-9
# The first labels, which mostly tell of all.
FEW_LABELS = 32


@dataclass(frozen=True)
class Intercept:
    """Σ c_i α_i = 0; for losses of k scores, over each class. Raises ValueError where no example
    has a cost.

    ``searches`` limit the work for a loss of k scores with kinks: see `BalancedClasses`.
    """

    searches: int = MAX_SEARCHES
    has_intercept: ClassVar[bool] = True

    def over(self, terms: Any) -> Any:
        return BalancedDuals(terms) if terms.k == 1 else BalancedClasses(terms, self.searches)


def ways_of_duals(loss: Any, y: Vector) -> tuple[bool, bool]:
    """Whether duals of these labels can be above 0, and below."""
    box = loss.box(y)
    if box is not None:
        return bool(box[1].max() > 0), bool(box[0].min() < 0)
    near = DUAL_NEAR_ZERO * (min(float(np.abs(y).max()), 1.0) or 1.0)

    def reaches(sign: int) -> bool:
        parts = y[:FEW_LABELS], y[FEW_LABELS:]
        return any(np.isfinite(loss.conjugates(y, sign * near)).any() for y in parts)

    return reaches(1), reaches(-1)


class BalancedDuals(Bound):
    """The duals with Σ c_i α_i = 0 to rounding.

    Examples at a kink of φ take the subgradient that makes the sum 0. If all examples with a cost
    above 0 are of one class, their loss falls to 0 with b; then derivatives and duals are 0, and b
    is where the loss is 0 or rounding.

    For losses with `ScalarLoss.pieces` b comes from the knapsack's root finder or a weighted
    median, in O(n); for others from secant steps. If several b are best, it is the middle one.
    """

    offers: frozenset[Hashable] = frozenset({"balance", "box", "hessian"})

    def __init__(self, terms: ScalarTerms) -> None:
        loss, y, costs = terms.loss, terms.labels, terms.costs
        if not costs.max(initial=0) > 0:
            raise ValueError("no example has a cost above 0")
        #: Whether some example with a cost above 0 may have a dual above 0, and below 0.
        self.rises, self.falls = ways_of_duals(loss, y if costs.min() > 0 else y[costs > 0])
        self.terms, self.y, self.costs = terms, y, costs
        self.first = Search(rate=float(costs.sum()) / max(loss.smoothing, 1.0))

    @cached_property
    def pieces(self) -> PieceDuals | None:
        """The lines or steps of the duals, for the losses that have them."""
        loss = self.terms.loss
        pieces = loss.pieces(self.y)
        return None if pieces is None else PieceDuals(pieces, self.costs, loss.smoothing)

    def best(self, scores: Vector, warm: Search | None) -> Best:
        check_scores(scores)
        last = warm or self.first
        known = self._by_formula(scores, last) if self.rises and self.falls else None
        if known is not None:
            return known
        if not (self.rises and self.falls):
            alphas, end = np.zeros(len(scores)), Search(self._end(scores, last.at))
        elif self.pieces is None:
            alphas, end = self._balanced(
                lambda b: -self.terms.derivatives(scores + b), last, lambda b: self._look(scores, b)
            )
        elif self.terms.loss.smoothing > 0:
            alphas, b = self.pieces.lines(scores, 0.0, 0.0, last.at)
            end = Search(b)
        else:
            alphas, b = self.pieces.steps(scores, last.at, last.move)
            end = Search(b, 2 * abs(b - last.at) or last.move)
        return Best(self._without_noise(alphas), end.at, 0.0, end)

    def dual_steps(
        self, scores: Vector, alphas: Numbers, curvatures: Numbers, warm: Search | None
    ) -> tuple[Vector, Search]:
        check_scores(scores)
        last = warm or self.first
        if not (self.rises and self.falls):
            return np.zeros(len(scores)), last
        if self.pieces is not None:
            steps, shift = self.pieces.lines(scores, alphas, curvatures, last.at)
            end = Search(shift)
        else:
            steps, end = self._balanced(
                lambda b: self.terms.dual_steps(scores + b, alphas, curvatures), last
            )
        return self._without_noise(steps), end

    def admits(self, alphas: Vector) -> bool:
        total, size = self.costs @ alphas, self.costs @ np.abs(alphas)
        return bool(abs(total) <= BALANCE_ROUNDING * size)

    def total(self, best: Best) -> float | None:
        return best.total

    def _by_formula(self, scores: Vector, last: Search) -> Best | None:
        """The duals at an intercept known in closed form; None without one."""
        b = self.terms.balance(scores)
        if not np.isfinite(b):
            return None
        end = Search(b, rate=last.rate)
        alphas = np.empty(len(scores))
        total, size, value = self.terms.sums(scores, b, alphas)
        if abs(total) > BRACKET_ACCURACY * size:
            return None
        return Best(alphas, b, 0.0, end, value)

    def line(self, at: Any, moves: Vector) -> Line:
        """On a line of scores and intercepts, for a loss without kinks."""
        loss = self.terms.loss
        is_smooth = loss.differentiable and self.pieces is None and self.rises and self.falls
        return BalancedLine(at, moves) if is_smooth else Line(at, moves)

    def answer(self, at: Any, moves: Vector) -> float:
        """By how much the intercept falls where the scores change by ``moves``, to first order."""
        curvatures, size = at.curvatures, float(at.curvatures.sum())
        return float(curvatures @ moves) / size if size > 0 else 0.0

    def _look(self, scores: Vector, b: float) -> tuple[float, float]:
        total, size, _ = self.terms.sums(scores, b)
        return -total, size

    def _balanced(
        self, response: Callable[[float], Vector], last: Search, look: Look | None = None
    ) -> tuple[Vector, Search]:
        rate = last.rate or self.first.rate
        assert rate is not None
        alphas, b, rate = balanced(response, self.costs, last.at, rate, look)
        return alphas, Search(b, rate=rate)

    def _without_noise(self, alphas: Vector) -> Vector:
        # If all duals are rounding, their sum is as large as they are: set them to 0.
        return alphas if self.admits(alphas) else np.zeros_like(alphas)

    def _end(self, scores: Vector, b: float) -> float:
        # one class: the b at which its loss becomes 0
        direction = 1.0 if self.rises else -1.0
        if self.pieces is None:
            return faded(lambda b: self.terms.derivatives(scores + b), self.costs, b, direction)
        kinks = direction * (self.y - scores)
        return direction * float(kinks[self.costs > 0].max())
