"""The risk of all parts with intercepts left free: each value is that at the best ones."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.cached import cached_property
from rrmlinear.risks.base import Evaluation
from rrmlinear.risks.block_hessian import inverse_of
from rrmlinear.risks.conditions.class_places import BALANCE_ACCURACY, MAX_MIN_SLOPE, step_of
from rrmlinear.risks.conditions.classes import BALANCE_ROUNDING, MIN_SLOPE, PATIENCE
from rrmlinear.solvers.loop.line_search import nearly_lowest_by_many
from rrmlinear.solvers.loop.tolerances import MAX_TRIALS
from rrmlinear.solvers.rounds.fleet import Fleet
from rrmlinear.solvers.rounds.spread import Combination, Spread
from rrmlinear.solvers.rounds.summed_risk import (
    MOST_TERMS,
    SummedEvaluation,
    SummedHessian,
    SummedLine,
    SummedRisk,
)

Array = NDArray[np.float64]

# A step of the intercepts is searched along where it leaves more than this fraction of the sums of
# duals, to a derivative of RATE_DECREASE. PATIENCE steps that bring it no nearer end it.
SUMS_DECREASE, RATE_DECREASE = 0.5, 0.1


class Place(NamedTuple):
    """F at scores plus intercepts: Σ c_i α_i of each class, Σ c_i |α_i|, and how the sums fall."""

    plain: SummedEvaluation
    b: Array
    sums: Array
    size: float
    slopes: Array

    @property
    def away(self) -> float:
        """The sums as a fraction of the size."""
        return float(np.abs(self.sums).sum()) / self.size if self.size > 0 else 0.0


class FreeIntercept(SummedRisk):
    """F(w) = min over b of Σ_k F_k(w, b), one intercept for each score.

    The rows of parts have a last column of ``bias``, whose weights are b over it; ``shape`` is that
    of the other weights. Duals sum to 0 over the examples, for each score. A search for b is a few
    steps of Newton's method, each with one sum over parts. Losses with kinks take the b that the
    last search of a smoothed one has found: an upper bound of F.
    """

    offers = frozenset({"hessian", "matrix", "balance"})

    def __init__(
        self, fleet: Fleet, loss: Any, lipschitz: float, shape: tuple[int, ...], n: int, bias: float
    ) -> None:
        super().__init__(fleet, loss, lipschitz, shape, n)
        self.bias = bias
        self.inner = SummedRisk(fleet, loss, lipschitz, (shape[0] + 1, *shape[1:]), n)
        self.inner.exchange = self.exchange

    @property
    def k(self) -> int:
        """The number of scores."""
        return math.prod(self.shape[1:])

    @property
    def squares(self) -> Array:  # type: ignore[override]
        return self.inner.squares[:-1]

    def smoothed(self, smoothing: float) -> FreeIntercept:
        """The risk with this smoothing."""
        risk = FreeIntercept.__new__(FreeIntercept)
        inner = self.inner.smoothed(smoothing)
        risk.__dict__ |= self.__dict__ | {"smoothing": smoothing, "inner": inner}
        return risk

    def with_row(self, w: Array, row: Any = 0.0) -> Array:
        """Weights with the row of the bias."""
        return np.concatenate([w, np.broadcast_to(row, (1, *self.shape[1:]))])

    def scores(self, w: Array) -> Spread:
        return self.inner.scores(self.with_row(w))

    def shifted(self, b: Array) -> Spread:
        """The scores of intercepts alone."""
        return self.exchange.known_vector("constant", b.tobytes(), b)

    def at(self, scores: Spread, warm: Any = None) -> FreeEvaluation:  # type: ignore[override]
        if len(scores.terms) >= MOST_TERMS:  # with the intercepts, one more than it says
            scores = self.combined(scores)
        return FreeEvaluation(self, scores, np.zeros(self.k) if warm is None else warm)

    def gradient(self, derivatives: Spread) -> Array:
        whole: Array = self.inner.gradient(derivatives)
        return whole[:-1]

    def conjugate(self, alphas: Spread) -> float:
        vector, value, size = self.inner.dual(alphas)
        away = float(np.abs(vector[-1]).sum()) / self.bias
        return value if away <= BALANCE_ROUNDING * size else math.inf

    def dual_steps(
        self, scores: Spread, alphas: Spread, curvatures: float, warm: Any = None
    ) -> tuple[Spread, None]:
        """Duals that have lost their balance with some parts begin at 0."""
        return 0.0 * alphas, None

    def complete(self, w: Array, at: FreeEvaluation | None = None) -> Array:  # type: ignore[override]
        """The weights with those of the bias."""
        at = self.at(self.scores(w)) if at is None else at
        return self.with_row(w, at.intercept / self.bias)


class FreeEvaluation(Evaluation):
    """F at scores, from a search for the intercepts that begins at ``first``."""

    risk: FreeIntercept
    scores: Any

    def __init__(self, risk: FreeIntercept, scores: Spread, first: Array) -> None:
        self.risk, self.terms, self.scores = risk, None, scores
        self.first = first
        self.is_searched = risk.smoothing > 0 or risk.loss.differentiable
        self.is_above = not self.is_searched

    @cached_property
    def plain(self) -> SummedEvaluation:
        """The sum of all losses at the scores and intercepts."""
        return self.best.plain if self.is_searched else self._at(self.first)

    def _at(self, b: Array) -> SummedEvaluation:
        inner = self.risk.inner
        return inner.at(self.scores + self.risk.shifted(b) if b.any() else self.scores)

    @property
    def intercept(self) -> Array:  # type: ignore[override]
        return self.best.b if self.is_searched else self.first

    @property
    def warm(self) -> Array:  # type: ignore[override]
        return self.intercept

    def nearby(self, warm: Any) -> Any:
        return self.intercept

    @property
    def place(self) -> tuple[float, Combination]:
        """The place of the scores and intercepts."""
        return self.plain.place

    @property
    def value(self) -> float:  # type: ignore[override]
        return self.plain.value

    @property
    def derivatives(self) -> Any:  # type: ignore[override]
        return self.plain.derivatives

    def tangent(self) -> tuple[float, Any]:
        return self.plain.tangent()

    def derivative_along(self, moves: Any) -> float:
        return self.plain.derivative_along(moves)

    def product(self, change: Any, moves: Any) -> float:
        return self.plain.product(change, moves)

    @property
    def squares(self) -> Array:
        return self.risk.squares

    def square(self, change: Any) -> float:
        return self.plain.square(change)

    @cached_property
    def best(self) -> Place:
        """The intercepts at which duals sum to 0."""
        at = best = self._look(self.first)
        waited = 0
        for _ in range(MAX_TRIALS):
            if at.away <= BALANCE_ACCURACY or waited == PATIENCE:
                break
            step = self._step(at)
            new = self._look(at.b + step)
            if new.away > SUMS_DECREASE * at.away and at.away > BALANCE_ROUNDING:
                line = at.plain.line(self.risk.shifted(step))
                t = nearly_lowest_by_many(line.derivatives, RATE_DECREASE)
                new = self._look(at.b + t * step)
            waited = waited + 1 if new.away > best.away / 2 else 0
            at, best = new, new if new.away < best.away else best
        return best

    def _look(self, b: Array) -> Place:
        plain = self._at(b)
        sums, size, slopes = self.risk.exchange.sums("balance", plain.place)
        return Place(plain, b, sums, size, slopes)

    def _step(self, at: Place) -> Array:
        if self.risk.k == 1:
            slope = float(at.slopes[0, 0])
            step = at.sums / slope if slope > 0 else 0 * at.sums
        else:
            least = min(max(at.away, MIN_SLOPE), MAX_MIN_SLOPE)
            step = step_of(at.slopes, at.sums, least, np.zeros(self.risk.k, dtype=bool))
        if step.any():
            return step
        # no dual moves here: the step of all of them
        curvature = self.risk.smoothing + self.risk.loss.smoothing
        return at.sums * curvature / self.risk.total

    def line(self, moves: Any) -> FreeLine:  # type: ignore[override]
        return FreeLine(self, moves)

    def hessian(self) -> FreeHessian:
        """∇² of the minimum over the intercepts."""
        return FreeHessian(self)


class FreeLine(SummedLine):
    """A line on which the intercepts move too, as the best ones do at its begin."""

    def __init__(self, begin: FreeEvaluation, moves: Spread) -> None:
        self.free, self.alone = begin, moves
        sums = begin.risk.exchange.sums("moved", begin.place, moves.combination)[0]
        self.shift = -inverse_of(begin.best.slopes) @ sums
        super().__init__(begin.plain, moves + begin.risk.shifted(self.shift))

    def at(self, t: float) -> FreeEvaluation:  # type: ignore[override]
        """F at t and the best intercepts there."""
        warm = self.free.intercept + t * self.shift
        return self.free.risk.at(self.free.scores + t * self.alone, warm)


class FreeHessian(SummedHessian):
    """The Schur complement of the intercepts in the second derivative by weights and intercepts."""

    def __init__(self, at: FreeEvaluation) -> None:
        super().__init__(at.plain)
        self.free, self.d = at, math.prod(at.risk.shape)

    def product(self, p: Array) -> Array:
        risk, bias = self.free.risk, self.free.risk.bias
        whole = super().product(risk.with_row(p.reshape(risk.shape)).ravel())
        answer = inverse_of(self.free.best.slopes) @ whole[self.d :] / bias**2
        row = risk.with_row(np.zeros(risk.shape), answer.reshape(1, *risk.shape[1:]))
        rest: Array = whole[: self.d] - super().product(row.ravel())[: self.d]
        return rest

    def diagonal(self) -> Array:
        """That without intercepts, above its own: for preconditioners."""
        return super().diagonal()[: self.d]

    def matrix(self) -> Array:
        both = super().matrix()
        beside, inverse = both[: self.d, self.d :], inverse_of(both[self.d :, self.d :])
        rest: Array = both[: self.d, : self.d] - beside @ inverse @ beside.T
        return rest
