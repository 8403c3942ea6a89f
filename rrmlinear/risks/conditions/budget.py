"""Risks whose duals obey one more condition: a budget ‖α‖₁ ≤ m, or any α'v ≤ ρ."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.risks.conditions._piece_duals import PieceDuals
from rrmlinear.risks.conditions.free_intercept import check_scores
from rrmlinear.risks.decomposable import ScalarRisk
from rrmlinear.risks.hessian import Hessian

Vector = NDArray[np.float64]

# What rounding may put a sum above its limit, as a part of what it adds up.
ROUNDING = 1e-10


class Budget(ScalarRisk):
    """F(w) = max over α of −Σ c_i (m_i α_i + φ*(−α_i)), m = Xw, subject to Σ c_i v_i α_i ≤ ρ.

    It is the minimum over η ≥ 0 of η ρ + Σ c_i φ(m_i + η v_i). With ``direction`` None the
    condition is Σ c_i |α_i| ≤ ρ, which is v_i = sign α_i: for the hinge, whose α_i lie in [0, 1] up
    to their sign, F is then the sum of the ρ/C largest losses where every c_i is C. A cost counts
    as repetitions do, so that ‖α‖₁ ≤ m over examples of cost C is ``limit`` ρ = C m.

    Everything else is as in `ScalarRisk`: derivatives are −α for the best α, duals are feasible
    only within the limit (to a rounding of 1e-10), else the conjugate is infinite, and dual steps
    are the best that keep to it; each is found in O(n) by the knapsack's root finder, or a weighted
    median, in η, from the η found last. For losses of `ScalarLoss.pieces`.

    Raises ValueError for other losses, for a limit that is not positive and finite, and for a
    direction that is not n finite numbers. Source: Yang, Mahdavi, Jin and Zhu, An Efficient Primal
    Dual Prox Method for Non-Smooth Optimization, lemma 13 and problem (19).
    """

    def __new__(
        cls,
        rows: Rows,
        loss: ScalarLoss,
        y: Vector,
        costs: Vector,
        limit: float,
        direction: Vector | None = None,
        threads: int = 1,
    ) -> Budget:
        return ScalarRisk.__new__(cls, rows, loss, y, costs, threads)

    def __init__(
        self,
        rows: Rows,
        loss: ScalarLoss,
        y: Vector,
        costs: Vector,
        limit: float,
        direction: Vector | None = None,
        threads: int = 1,
    ) -> None:
        pieces = checked_pieces(loss, y, limit)
        if direction is not None:
            direction = np.ascontiguousarray(direction, dtype=np.float64)
            if direction.shape != (len(y),) or not np.isfinite(direction).all():
                raise ValueError(
                    f"a direction of duals must be {len(y)} finite numbers, got shape "
                    f"{direction.shape}"
                )
            scales: list[Any] = [direction] * len(pieces)
        else:
            pieces, scales = _by_sign(pieces)
        self.limit, self.direction, self.y = limit, direction, y
        self.found = PieceDuals(pieces, costs, loss.smoothing, scales, limit)
        self.eta = self.step_eta = (
            0.0  # where the searches for derivatives and for dual steps ended
        )
        self.move = 0.0

    def smoothed(self, smoothing: float) -> Budget:
        """The same with the loss smoothed, as `ScalarLoss.smoothed` says."""
        loss = self.loss.smoothed(smoothing)
        result = Budget(
            self.rows, loss, self.y, self.costs, self.limit, self.direction, self.threads
        )
        result.eta, result.step_eta = self.eta, self.step_eta
        return result

    def value(self, scores: Vector) -> float:
        """F at scores m."""
        return self._value(scores, *self._best(scores))

    def derivatives(self, scores: Vector) -> Vector:
        """−α for the best α."""
        return -self._best(scores)[0]

    def along(self, scores: Vector, moves: Vector, x: float) -> tuple[float, float]:
        """(F, its derivative by x) at scores m + x d, d the moves."""
        at = scores + x * moves
        alphas, eta = self._best(at)
        return self._value(at, alphas, eta), -float(np.vdot(self.costs * alphas, moves))

    def curvatures(self, scores: Vector) -> Vector:
        """c_i φ''(m_i + η v_i)."""
        alphas, eta = self._best(scores)
        return self._curvatures(scores, alphas, eta)

    def hessian(self, scores: Vector) -> Hessian:
        """∇²F at scores X w, of a smooth loss."""
        alphas, eta = self._best(scores)
        free = (self._scale(alphas),) if eta > 0 else ()
        return Hessian(self.rows, self._curvatures(scores, alphas, eta), free)

    def conjugate(self, alphas: Vector) -> float:
        """Σ c_i φ*(−α_i), infinite beyond the limit."""
        used = self.costs * self._scale(alphas) * alphas
        room = self.limit + ROUNDING * float(np.abs(used).sum())
        return super().conjugate(alphas) if float(used.sum()) <= room else np.inf

    def dual_steps(
        self, scores: Vector, alphas: Vector | float, curvatures: Vector | float
    ) -> Vector:
        """The α' within the limit that maximize Σ c_i [−φ*(−α') − m_i α' − ½ q_i (α' − α_i)²]."""
        check_scores(scores)
        steps, self.step_eta = self.found.lines(scores, alphas, curvatures, self.step_eta, True)
        return steps

    def _best(self, scores: Vector) -> tuple[Vector, float]:
        check_scores(scores)
        last = self.eta
        if self.loss.smoothing > 0:
            alphas, self.eta = self.found.lines(scores, 0.0, 0.0, last, True)
        else:
            alphas, self.eta = self.found.scaled_steps(scores, last, self.move, True)
            self.move = 2 * abs(self.eta - last) or self.move
        return alphas, self.eta

    def _scale(self, alphas: Vector) -> Vector:
        return np.sign(alphas) if self.direction is None else self.direction

    def _value(self, scores: Vector, alphas: Vector, eta: float) -> float:
        if eta == 0:
            return super().value(scores)
        return super().value(self._moved(scores, alphas, eta)) + eta * self.limit

    def _curvatures(self, scores: Vector, alphas: Vector, eta: float) -> Vector:
        curvatures = super().curvatures(self._moved(scores, alphas, eta) if eta else scores)
        if self.direction is None and eta > 0:
            curvatures[alphas == 0] = 0.0
        return curvatures

    def _moved(self, scores: Vector, alphas: Vector, eta: float) -> Vector:
        if self.direction is not None:
            return scores + eta * self.direction
        return moved_apart(scores, alphas, eta, eta, self.y)


def checked_pieces(loss: ScalarLoss, y: Vector, limit: float) -> list[tuple[Any, Any, Any, Any]]:
    """`ScalarLoss.pieces`, or a ValueError for a loss without and for a limit out of range."""
    pieces = loss.pieces(y) if isinstance(loss, ScalarLoss) else None
    if pieces is None:
        raise ValueError(
            "a budget takes a loss of one score whose dual is a sum of clipped lines, and "
            f"{type(loss).__name__} is none"
        )
    if not 0 < limit < math.inf:
        raise ValueError(f"the limit of duals must be positive and finite, got {limit}")
    return pieces


def _by_sign(pieces: list[tuple[Any, Any, Any, Any]]) -> tuple[list[Any], list[Any]]:
    """The same cut at α = 0, and the signs of what is left."""
    parts: list[Any] = []
    signs: list[Any] = []
    for t, o, low, high in pieces:
        if np.any((np.asarray(low) < 0) & (np.asarray(high) > 0)):
            parts += [(t, o, 0.0, high), (t, o, low, 0.0)]
            signs += [1.0, -1.0]
        else:
            parts.append((t, o, low, high))
            signs.append(np.where(np.asarray(high) > 0, 1.0, -1.0))
    return parts, signs


def moved_apart(scores: Vector, alphas: Vector, above: float, below: float, y: Vector) -> Vector:
    """Scores at which losses are what they add to F; where α_i = 0 they are 0, as at m_i = y_i."""
    moved = np.where(alphas > 0, scores + above, scores - below)
    return np.where(alphas == 0, y, moved)
