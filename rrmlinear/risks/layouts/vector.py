"""F of a matrix of targets: Σ c_i ‖y_i − W'x_i‖₂ over all examples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.block_base import BlockLoss
from rrmlinear.risks.base import Evaluation
from rrmlinear.risks.loss_risk import LossRisk

Array = NDArray[np.float64]

# ‖α_i‖² may exceed 1 by this much: rounding.
UNIT_BALL_ROUNDING = 1e-12


class VectorTerms:
    """Σ_i c_i φ(y_i − s_i) as a function of the scores s, n × k; ``loss`` holds its smoothing γ."""

    #: What a risk of these offers.
    offers = frozenset({"gram"})

    def __init__(self, loss: BlockLoss, y: Array, costs: Array) -> None:
        self.loss, self.y, self.k = loss, y, y.shape[1]
        #: The score that moves against the others where rounding is bounded: any one will do.
        self.labels = np.zeros(len(y), dtype=np.int32)
        self.costs = costs.reshape(-1, 1)

    @property
    def lipschitz(self) -> float:
        """The Lipschitz constant of the loss."""
        return self.loss.lipschitz(self.k)

    def of_loss(self, loss: BlockLoss) -> VectorTerms:
        """The terms with another loss."""
        return VectorTerms(loss, self.y, self.costs)

    def smoothed(self, smoothing: float) -> VectorTerms:
        """The terms with the loss smoothed."""
        return self.of_loss(self.loss.smoothed(smoothing))

    def total(self, scores: Array) -> float:
        """Σ c_i φ."""
        length, gamma = _lengths(self.y - scores), self.loss.smoothing
        if gamma > 0:
            length = np.where(length < gamma, length**2 / (2 * gamma), length - gamma / 2)
        return float(np.einsum("i,i->", self.costs.ravel(), length))

    def derivatives(self, scores: Array) -> Array:
        """∂φ/∂s_ij; 0 where all residuals are 0."""
        residuals = self.y - scores
        longest = np.maximum(_lengths(residuals), self.loss.smoothing)
        return -residuals / np.where(longest > 0, longest, 1)[:, np.newaxis]

    def tangent(self, scores: Array) -> tuple[float, Array]:
        """(Σ c_i φ, ∂φ/∂s_ij)."""
        return self.total(scores), self.derivatives(scores)

    def conjugate(self, alphas: Array) -> float:
        """Σ c_i φ*(−α_i), infinite where ‖α_i‖ > 1 for a cost above 0."""
        squares, costs = np.einsum("ij,ij->i", alphas, alphas), self.costs.ravel()
        if (squares[costs > 0] > 1 + UNIT_BALL_ROUNDING).any():
            return np.inf
        each = self.loss.smoothing / 2 * squares - np.einsum("ij,ij->i", self.y, alphas)
        return float(np.einsum("i,i->", costs, each))

    def dual_steps(self, scores: Array, alphas: Array | float, curvatures: Array | float) -> Array:
        """The α' of each example that maximizes −φ*(−α') − s_i'α' − ½ q_i ‖α' − α_i‖²."""
        q = np.broadcast_to(np.float64(curvatures), len(self.y))[:, np.newaxis]
        steps = (q * alphas + self.y - scores) / (q + self.loss.smoothing)
        return steps / np.maximum(_lengths(steps), 1)[:, np.newaxis]


class VectorRisk(LossRisk):
    """F(W) = Σ_i c_i φ(y_i − W'x_i), φ the length of a vector of k residuals; W is d × k.

    Smoothed by γ > 0, φ(r) is ‖r‖²/(2γ) up to ‖r‖ = γ and ‖r‖ − γ/2 beyond. Targets, scores W'x_i,
    derivatives and duals are n × k. Duals have ‖α_i‖₂ ≤ 1 and φ*(−α) = −y'α + (γ/2)‖α‖²; a dual
    step is a projection on that ball. ``loss`` holds γ, as ``smoothing``.
    """

    def __init__(
        self, rows: Rows, loss: BlockLoss, y: Array, costs: Array, threads: int = 1
    ) -> None:
        super().__init__(rows, VectorTerms(loss, y, costs), threads)

    def at(self, scores: Array, warm: Any = None) -> Evaluation:
        """F at these scores."""
        return Evaluation(self, self.terms, scores)


def _lengths(rows: Array) -> Array:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows)))
