"""The risk at the best intercept: what a solver of the weights alone sees of w and b."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.risks.conditions._piece_duals import PieceDuals
from rrmlinear.risks.conditions.balance import balanced, faded
from rrmlinear.risks.decomposable import ScalarRisk
from rrmlinear.risks.hessian import Hessian

Vector = NDArray[np.float64]

# An imbalance Σ c_i α_i of this part of Σ c_i |α_i| is rounding, of means of many duals too.
BALANCE = 1e-10
# A dual so near to 0 that it lies in every domain that goes beyond 0.
NEAR_ZERO = 1e-9


class FreeIntercept(ScalarRisk):
    """F(w) = min over b of Σ_i c_i φ(x_i'w + b, y_i), for any loss of one score.

    As `ScalarRisk`, ``threads`` included, with w and scores without b: value, derivatives and
    `intercept` are those at the best b. Derivatives s_i ∈ ∂φ(m_i + b) have Σ c_i s_i = 0 to
    rounding; where φ has a kink, examples on it take the share that makes it so. They give a
    gradient of F, or a subgradient. Duals are feasible only with Σ c_i α_i = 0, else the conjugate
    is infinite; dual steps are those at scores moved alike so that it holds.

    ``rows.bias`` > 0 is the value of an appended column that products leave out; `complete` gives
    the weight, b / bias, that it has in a Result. Where all examples that cost are of one class
    their loss falls with b to 0, derivatives and duals are 0, and b is where it is reached or next
    to nothing.

    The b is that of a clipped line or of steps for a loss of `ScalarLoss.pieces`, found by the
    knapsack's root finder and a weighted median in O(n), and by secant steps for others. Each
    search starts from the b found last, so that bits depend on what has been asked before.

    Raises ValueError for a loss of several scores, for rows without such a column, and where no
    example has a cost.
    """

    bias: float

    def __new__(
        cls, rows: Rows, loss: ScalarLoss, y: Vector, costs: Vector, threads: int = 1
    ) -> FreeIntercept:
        if not isinstance(loss, ScalarLoss):
            raise ValueError(
                "an unregularized intercept takes a loss of one score, and "
                f"{type(loss).__name__} is one of several scores"
            )
        if not rows.bias > 0:
            raise ValueError(f"an intercept takes an appended column, and bias is {rows.bias}")
        if not costs.max(initial=0) > 0:
            raise ValueError("no example has a cost above 0")
        return ScalarRisk.__new__(cls, rows.with_bias(-1.0), loss, y, costs, threads)

    def __init__(
        self, rows: Rows, loss: ScalarLoss, y: Vector, costs: Vector, threads: int = 1
    ) -> None:
        self.bias = rows.bias
        at = costs > 0
        #: Whether duals above 0 and below 0 are allowed to any example that costs.
        self.rises, self.falls = (
            bool(np.isfinite(loss.conjugates(y[at], sign * NEAR_ZERO)).any()) for sign in (1, -1)
        )
        pieces = loss.pieces(y)
        self.pieces = None if pieces is None else PieceDuals(pieces, costs, loss.smoothing)
        self.y = y
        self.b = self.shift = 0.0  # where the searches for b and for dual steps ended
        self.move = 0.0
        self.slope = self.step_slope = float(costs.sum()) / max(loss.smoothing, 1.0)

    def smoothed(self, smoothing: float) -> FreeIntercept:
        """The same with the loss smoothed, as `ScalarLoss.smoothed` says."""
        loss, rows = self.loss.smoothed(smoothing), self.rows.with_bias(self.bias)
        result = FreeIntercept(rows, loss, self.y, self.costs, self.threads)
        result.b, result.shift = self.b, self.shift
        return result

    def intercept(self, scores: Vector) -> float:
        """The b that minimizes Σ c_i φ(m_i + b), the middle one where there are many."""
        return self._best(scores)[1]

    def value(self, scores: Vector) -> float:
        """Its minimum, Σ c_i φ(m_i + b)."""
        return super().value(scores + self._best(scores)[1])

    def derivatives(self, scores: Vector) -> Vector:
        """s_i ∈ ∂φ(m_i + b) with Σ c_i s_i = 0."""
        return -self._best(scores)[0]

    def along(self, scores: Vector, moves: Vector, x: float) -> tuple[float, float]:
        """(value, slope) of F at scores m + x · moves, along x."""
        at = scores + x * moves
        alphas, b = self._best(at)
        return super().value(at + b), -float(np.vdot(self.costs * alphas, moves))

    def curvatures(self, scores: Vector) -> Vector:
        """c_i φ''(m_i + b)."""
        return super().curvatures(scores + self._best(scores)[1])

    def hessian(self, scores: Vector) -> Hessian:
        """∇²F at scores X w, of a smooth loss."""
        return Hessian(self.rows, self.curvatures(scores), (np.ones(len(scores)),))

    def gram(self) -> Vector:
        """Σ c_i x_i x_i' of rows counted from their mean by costs, as duals sum to 0."""
        return Hessian(self.rows, self.costs, (np.ones(len(self.costs)),)).matrix()

    def conjugate(self, alphas: Vector) -> float:
        """Σ c_i φ*(−α_i), infinite unless Σ c_i α_i = 0 to a rounding of 1e-10 Σ c_i |α_i|."""
        return super().conjugate(alphas) if self._balances(alphas) else np.inf

    def dual_steps(
        self, scores: Vector, alphas: Vector | float, curvatures: Vector | float
    ) -> Vector:
        """The α' with Σ c_i α_i' = 0 that maximize Σ c_i [−φ*(−α') − m_i α' − ½ q_i (α' − α_i)²].

        Arguments are those of `ScalarRisk.dual_steps`.
        """
        check_scores(scores)
        if not (self.rises and self.falls):
            steps = np.zeros(len(scores))
        elif self.pieces is not None:
            steps, self.shift = self.pieces.lines(scores, alphas, curvatures, self.shift)
        else:
            steps, self.shift, self.step_slope = balanced(
                lambda b: super(FreeIntercept, self).dual_steps(scores + b, alphas, curvatures),
                self.costs,
                self.shift,
                self.step_slope,
            )
        return self._without_noise(steps)

    def complete(self, w: Vector) -> Vector:
        """The weights as a Result has them: w and b / bias."""
        return np.append(w, self.intercept(self.scores(w)) / self.bias)

    def _best(self, scores: Vector) -> tuple[Vector, float]:
        # duals at the best b, and b
        check_scores(scores)
        last = self.b
        if not (self.rises and self.falls):
            alphas, self.b = np.zeros(len(scores)), self._end(scores)
        elif self.pieces is None:
            alphas, self.b, self.slope = balanced(
                lambda b: -super(FreeIntercept, self).derivatives(scores + b),
                self.costs,
                last,
                self.slope,
            )
        elif self.loss.smoothing > 0:
            alphas, self.b = self.pieces.lines(scores, 0.0, 0.0, last)
        else:
            alphas, self.b = self.pieces.steps(scores, last, self.move)
            self.move = 2 * abs(self.b - last) or self.move
        return self._without_noise(alphas), self.b

    def _balances(self, alphas: Vector) -> bool:
        weighed = self.costs * alphas
        return abs(float(weighed.sum())) <= BALANCE * float(np.abs(weighed).sum())

    def _without_noise(self, alphas: Vector) -> Vector:
        # Where all duals are 0 but for rounding, their sum is no smaller than they are.
        return alphas if self._balances(alphas) else np.zeros_like(alphas)

    def _end(self, scores: Vector) -> float:
        # one class: where its loss ends
        direction = 1.0 if self.rises else -1.0
        if self.pieces is None:
            return faded(
                lambda b: super(FreeIntercept, self).derivatives(scores + b),
                self.costs,
                self.b,
                direction,
            )
        kinks = direction * (self.y - scores)
        return direction * float(kinks[self.costs > 0].max())


def check_scores(scores: Vector) -> None:
    """Raise FloatingPointError for scores that have overflowed."""
    if not np.isfinite(scores.sum()):
        raise FloatingPointError("scores are not finite; scale the data")
