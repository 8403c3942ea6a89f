"""The softmax of several classes with few examples for each weight: L-BFGS about a diagonal."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.risks.conditions.classes import BALANCE_ROUNDING
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.second_order.descent.curvature_pairs import CurvaturePairs, Spans
from rrmlinear.solvers.second_order.paths._class_shares import ClassShares, conjugate
from rrmlinear.solvers.second_order.paths._dense_products import sums, times
from rrmlinear.solvers.second_order.paths.class_paths import SHORT_MOVE, balancing_move
from rrmlinear.solvers.second_order.paths.fold_paths import LEAST_FALL, MAX_TRIALS, ROUNDING

Array = NDArray[np.float64]

# Moves and changes of the gradient that are remembered.
PAIRS = 10
# A step that is too long is shortened to at least and at most these parts.
LEAST_PART, MOST_PART = 0.1, 0.5


@dataclass(frozen=True, eq=False)
class _Point:
    """Weights k × d and intercepts, the scores X W without these, the objective, and its gradient
    by the weights of centred rows and the intercepts.
    """

    weights: Array
    intercepts: Array
    scores: Array
    objective: float
    gradient: Array


class ClassTangents:
    """minimize ½‖W‖² + C Σ_i c_i (log Σ_j exp(s_ij) − s_iy_i), s = X W + b, over W and b.

    A step takes one product of scores, one look at them, and one gradient. L-BFGS begins at weights
    of 0, and intercepts that are the logarithms of the costs of the classes, about the diagonal of
    the second derivative there. b is a variable beside W, with rows less their mean. Duals are
    y − p, balanced as in `ClassPaths`.

    It stands for `ClassPaths` of one problem in a `PathDescent`: arrays have a first axis of
    length 1. Source: Liu and Nocedal, On the limited memory BFGS method for large scale
    optimization, 1989.
    """

    def __init__(
        self,
        rows: Rows,
        label: NDArray[np.intp],
        count: int,
        costs: Array,
        C: float,
        tolerance: float,
    ) -> None:
        self.rows, self.k, self.C, self.tolerance = rows, count, C, tolerance
        self.label, self.costs = label.astype(np.int64, copy=False), costs[np.newaxis]
        n, d = rows.shape[0], rows.width
        totals = np.bincount(label, costs, count)
        total = float(totals.sum())
        p = totals / total
        self.centre = sums(rows, self.costs)[0] / total
        squares = Hessian(rows, costs, (np.ones(n),)).diagonal()
        diagonal = C * np.outer(p * (1 - p), np.append(squares, total))
        diagonal[:, :d] += 1
        self.pairs = CurvaturePairs(1 / diagonal.ravel(), PAIRS, Spans(0, 1))
        #: Probabilities and duals at the last weights that were looked at.
        self.shares, self.pulls = np.empty((count, n)), np.empty((1, count, n))
        #: The scores and Σ c_i α_i x_i of the last proof.
        self.scores, self.sums = np.zeros((1, count * n)), np.zeros((1, count * d))
        self.at = self._look(np.zeros((count, d)), np.log(p))

    @property
    def weights(self) -> Array:
        return self.at.weights.reshape(1, -1)

    @property
    def intercepts(self) -> Array:
        return self.at.intercepts[np.newaxis]

    def _look(self, weights: Array, intercepts: Array) -> _Point:
        scores, d = times(self.rows, weights), self.rows.width
        shares = self._shares(scores, intercepts, False)
        shares.pulls(np.zeros(self.k), self.pulls[0])
        gradient = np.empty((self.k, d + 1))
        inner = np.multiply(sums(self.rows, self.pulls[0]), -self.C, out=gradient[:, :d])
        left = self.C * shares.left
        inner += weights + left[:, np.newaxis] * self.centre
        gradient[:, d] = -left
        objective = float(np.vdot(weights, weights)) / 2 + self.C * shares.loss
        return _Point(weights, intercepts, scores, objective, gradient)

    def _shares(self, scores: Array, b: Array, slopes: bool) -> ClassShares:
        return ClassShares(scores, b, self.label, self.costs[0], self.shares, slopes)

    def improve(self, C: float, some: NDArray[np.intp], tangents: tuple[Array, ...]) -> None:
        """A step that lowers the objective; none where no length does."""
        at, d = self.at, self.rows.width
        direction, rate = self.pairs.direction(at.gradient.ravel())
        moves = direction.reshape(self.k, -1)
        shift, t = moves[:, d] - moves[:, :d] @ self.centre, 1.0
        for _ in range(MAX_TRIALS):
            new = self._look(at.weights + t * moves[:, :d], at.intercepts + t * shift)
            change = new.objective - at.objective
            if change <= LEAST_FALL * t * rate + ROUNDING * at.objective:
                break
            part = -t * rate / (2 * (change - t * rate))  # nan where the objective overflows
            t *= min(max(part, LEAST_PART), MOST_PART) if part > 0 else LEAST_PART
        else:
            return
        after, before = new.gradient.ravel(), at.gradient.ravel()
        if float(direction @ (after - before)) > 0:
            self.pairs.take(direction, t, t * math.sqrt(direction @ direction), after, before)
        self.at = new

    def tangents(self, C: float) -> tuple[Array, Array, Array]:
        """The gradient, the objective and the gap, which counts the move of the intercepts only
        where the rest is small enough.
        """
        at = self.at
        inner = at.gradient[:, : self.rows.width]
        gap = float(np.einsum("jf,jf->", inner, inner)) / 2
        if gap <= self.tolerance * at.objective:
            shares = self._shares(at.scores, at.intercepts, True)
            gap += self.C * self._move(shares)[1]
        return at.gradient.reshape(1, -1), np.array([at.objective]), np.array([gap])

    def _move(self, shares: ClassShares) -> tuple[Array, float]:
        """The move of the intercepts that balances the duals, and what it costs the dual over C;
        infinite where it is too long.
        """
        move, away = balancing_move(shares)
        is_met = away <= BALANCE_ROUNDING * shares.size and np.abs(move).max() <= SHORT_MOVE
        return (move, float(move @ shares.left)) if is_met else (np.zeros(self.k), np.inf)

    def proof(self, f: int) -> tuple[float, float]:
        """(Σ c_i φ, Σ (c_i φ)*(−α_i)) at the weights, intercepts and balanced duals; the second is
        infinite for duals that do not balance.
        """
        scores, pulls = times(self.rows, self.at.weights), self.pulls[0]
        shares = self._shares(scores, self.at.intercepts, True)
        shares.pulls(self._move(shares)[0], pulls)
        self.scores, self.sums = scores.reshape(1, -1), sums(self.rows, pulls).reshape(1, -1)
        dual, size = conjugate(pulls, self.label, self.costs[0])
        away = np.abs(pulls.sum(axis=1)).sum()
        return shares.loss, dual if away <= BALANCE_ROUNDING * size else np.inf
