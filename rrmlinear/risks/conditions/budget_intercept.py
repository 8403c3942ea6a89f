"""The risk at the best intercept whose duals obey a budget ‖α‖₁ ≤ m."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.risks.conditions._piece_duals import PieceDuals
from rrmlinear.risks.conditions.budget import ROUNDING, checked_pieces, moved_apart
from rrmlinear.risks.conditions.free_intercept import FreeIntercept
from rrmlinear.risks.decomposable import ScalarRisk
from rrmlinear.risks.hessian import Hessian

Vector = NDArray[np.float64]


class BudgetIntercept(FreeIntercept):
    """The risk of `Budget` with a limit ρ of Σ c_i |α_i|, at the best intercept b.

    Duals have Σ c_i α_i = 0 besides: those above 0 and those below each weigh ρ/2 at most. Where
    balance alone would have them weigh more, the two sides have roots of their own, θ₊ = b + η and
    θ₋ = η − b, and no search for b and η together is needed. The rest is as in `FreeIntercept`.
    """

    def __new__(
        cls,
        rows: Rows,
        loss: ScalarLoss,
        y: Vector,
        costs: Vector,
        limit: float,
        threads: int = 1,
    ) -> BudgetIntercept:
        risk = FreeIntercept.__new__(cls, rows, loss, y, costs, threads)
        assert isinstance(risk, BudgetIntercept)
        return risk

    def __init__(
        self,
        rows: Rows,
        loss: ScalarLoss,
        y: Vector,
        costs: Vector,
        limit: float,
        threads: int = 1,
    ) -> None:
        super().__init__(rows, loss, y, costs, threads)
        pieces = checked_pieces(loss, y, limit)
        self.limit = limit
        above = [(t, o, 0.0, np.maximum(u, 0.0)) for t, o, _, u in pieces]
        below = [(t, o, np.minimum(low, 0.0), 0.0) for t, o, low, _ in pieces]
        self.sides = [
            PieceDuals(part, costs, loss.smoothing, [sign] * len(part), limit / 2)
            for sign, part in ((1.0, above), (-1.0, below))
        ]
        self.guesses = {"derivatives": [0.0, 0.0], "steps": [0.0, 0.0]}
        self.eta = 0.0  # of the last derivatives
        self.side_moves = [0.0, 0.0]

    def smoothed(self, smoothing: float) -> BudgetIntercept:
        """The same with the loss smoothed, as `ScalarLoss.smoothed` says."""
        loss, rows = self.loss.smoothed(smoothing), self.rows.with_bias(self.bias)
        result = BudgetIntercept(rows, loss, self.y, self.costs, self.limit, self.threads)
        result.b, result.shift = self.b, self.shift
        result.guesses = {name: list(guess) for name, guess in self.guesses.items()}
        return result

    def value(self, scores: Vector) -> float:
        """F at scores m."""
        alphas, b = self._best(scores)
        return self._value(scores, alphas, b)

    def along(self, scores: Vector, moves: Vector, x: float) -> tuple[float, float]:
        """(F, its derivative by x) at scores m + x d, d the moves."""
        at = scores + x * moves
        alphas, b = self._best(at)
        return self._value(at, alphas, b), -float(np.vdot(self.costs * alphas, moves))

    def curvatures(self, scores: Vector) -> Vector:
        """c_i φ'' at scores moved by b, and η towards the side of α_i."""
        alphas, b = self._best(scores)
        return self._curvatures(scores, alphas, b)

    def hessian(self, scores: Vector) -> Hessian:
        """∇²F at scores X w, of a smooth loss."""
        alphas, b = self._best(scores)
        ones = np.ones(len(alphas))
        free = [ones * (alphas > 0), ones * (alphas < 0)] if self.eta > 0 else [ones]
        return Hessian(self.rows, self._curvatures(scores, alphas, b), free)

    def conjugate(self, alphas: Vector) -> float:
        """Σ c_i φ*(−α_i), infinite out of balance and beyond the limit."""
        return super().conjugate(alphas) if self._within(alphas) else np.inf

    def dual_steps(
        self, scores: Vector, alphas: Vector | float, curvatures: Vector | float
    ) -> Vector:
        """As `FreeIntercept.dual_steps`, within the limit."""
        steps = super().dual_steps(scores, alphas, curvatures)
        if self._within(steps):
            return steps
        guesses = self.guesses["steps"]
        result = np.zeros(len(scores))
        for k, side in enumerate(self.sides):
            part, guesses[k] = side.lines(scores, alphas, curvatures, guesses[k])
            result += part
        return result

    def _best(self, scores: Vector) -> tuple[Vector, float]:
        alphas, b = super()._best(scores)
        self.eta = 0.0
        if self._within(alphas):
            return alphas, b
        guesses = self.guesses["derivatives"]
        alphas = np.zeros(len(scores))
        for k, side in enumerate(self.sides):
            last = guesses[k]
            if self.loss.smoothing > 0:
                part, guesses[k] = side.lines(scores, 0.0, 0.0, last)
            else:
                part, guesses[k] = side.scaled_steps(scores, last, self.side_moves[k])
                self.side_moves[k] = 2 * abs(guesses[k] - last) or self.side_moves[k]
            alphas += part
        self.eta = max((guesses[0] + guesses[1]) / 2, 0.0)
        self.b = (guesses[0] - guesses[1]) / 2
        return alphas, self.b

    def _within(self, alphas: Vector) -> bool:
        return float(np.vdot(self.costs, np.abs(alphas))) <= self.limit * (1 + ROUNDING)

    def _value(self, scores: Vector, alphas: Vector, b: float) -> float:
        moved = (
            moved_apart(scores, alphas, b + self.eta, self.eta - b, self.y)
            if self.eta
            else scores + b
        )
        return ScalarRisk.value(self, moved) + self.eta * self.limit

    def _curvatures(self, scores: Vector, alphas: Vector, b: float) -> Vector:
        if not self.eta:
            return ScalarRisk.curvatures(self, scores + b)
        moved = moved_apart(scores, alphas, b + self.eta, self.eta - b, self.y)
        curvatures = ScalarRisk.curvatures(self, moved)
        curvatures[alphas == 0] = 0.0
        return curvatures
