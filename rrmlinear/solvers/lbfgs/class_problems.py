"""The softmax of several classes under several costs of its examples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.risks.conditions.classes import BALANCE_ROUNDING
from rrmlinear.solvers.lbfgs._classes import ClassShares, conjugate
from rrmlinear.solvers.lbfgs.descent import How, RowDescent
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.tolerances import MIN_DIVISOR, SUM_ROUNDING

Array = NDArray[np.float64]

# Duals are balanced to first order by moves of the intercepts. A move is at most SHORT_MOVE, so
# that probabilities stay positive. All moves together may add at most LEFT_PART of the gap before
# the step, or of that allowed.
SHORT_MOVE, LEFT_PART = 0.3, 0.05
# Newton's steps of the intercepts are taken up to this length. Longer ones, and those that raise
# the loss, are replaced by iterative scaling, which never raises it.
LONG_MOVE = 10.0
# Limit on the weights of all classes whose second derivative is factorized as a whole.
MAX_WHOLE = 1000
# Limit on the scores of all problems, which are kept several times.
MAX_SCORES = 5_000_000
# Steps of the intercepts at given scores.
MAX_MOVES = 30


class ClassProblems(RowDescent):
    """minimize ½‖W‖² + C Σ_i c_fi (log Σ_j exp(s_ij) − s_iy_i), s = X W + b, for each row of costs.

    W is k × d here, one line after the other, and scores are k × n; b is 0 unless it is ``free``.

    Duals are y − p for the probabilities p at b, and the sums of those of each class must be 0
    where b is free. Newton's step Δ of b makes them so to first order: with Σ_j p_j Δ_j = Δ̄ the
    probabilities p_j (1 + Δ_j − Δ̄) are balanced exactly, and cost at most C Σ_i c_i Σ_j p_j
    (Δ_j − Δ̄)² of the dual: the relative entropy is below the χ² distance. So the gap is
    ½‖w − C Σ c α x‖² and that.
    """

    def __init__(
        self, rows: Rows, label: NDArray[np.intp], count: int, costs: Array, how: How
    ) -> None:
        super().__init__(rows, costs, how, count)
        self.k = count
        self.intercepts = np.zeros((len(costs), count))
        #: The last moves of the intercepts, which balance the duals: the next look begins there.
        self.moves = np.zeros((len(costs), count))
        #: The own classes, and Σ c_i of each.
        self.label = label.astype(np.int64, copy=False)
        self.totals = np.array([np.bincount(label, each, count) for each in self.costs])
        #: p_ij at the scores and intercepts.
        self.shares = np.zeros((len(costs), count, rows.shape[0]))

    def coefs(self, f: int) -> Array:
        """The weights of the features in problem f, k × d."""
        return self.weights[f].reshape(self.k, -1).copy()

    def held(self, f: int, examples: NDArray[np.intp]) -> Array:
        """The scores of some examples in problem f, n × k."""
        scores = self.scores[f].reshape(self.k, -1)[:, examples]
        return (scores + self.intercepts[f][:, np.newaxis]).T

    def _look(self, f: int) -> None:
        """Duals and the loss of a problem, at intercepts that nearly balance them."""
        b, best, scaled = self.intercepts[f] + self.moves[f], np.inf, np.zeros(self.k)
        gap = self.last[f] / self.cost if self.cost and self.last[f] < np.inf else 0.0
        at = self._shares(f, b)
        move, excess = np.zeros(self.k), 0.0
        for _ in range(MAX_MOVES if self.free else 0):
            move, away = _balancing_move(at)
            excess, longest = float(move @ at.left), np.abs(move).max()
            is_met = away <= BALANCE_ROUNDING * at.size
            enough = LEFT_PART * max(self.tolerance * at.loss, gap)
            if is_met and longest <= SHORT_MOVE and excess <= enough:
                break
            if at.loss > best:  # Newton's step was too long
                b = scaled
            else:
                scaled = b + np.log(self.totals[f] / np.maximum(at.sums, MIN_DIVISOR))
                best, b = at.loss, b + move if is_met and longest <= LONG_MOVE else scaled
            at = self._shares(f, b)
        else:
            move, excess = np.zeros(self.k), np.inf if self.free else 0.0
        self.intercepts[f], self.moves[f], self.excess[f] = b, move, excess
        # less the fall along the move that is left, which else would hide that of a short step
        self.losses[f] = at.loss - (excess / 2 if np.isfinite(excess) else 0.0)
        away = np.abs(at.pulls(move, self.pulls[f].reshape(self.k, -1))).sum()
        self.balanced[f] = not self.free or away <= BALANCE_ROUNDING * at.size

    def _shares(self, f: int, b: Array) -> ClassShares:
        scores = self.scores[f].reshape(self.k, -1)
        return ClassShares(scores, b, self.label, self.costs[f], self.shares[f], self.free)

    def proof(self, f: int) -> tuple[float, float]:
        """(Σ c_i φ, Σ (c_i φ)*(−α_i)) at the weights, intercepts and duals of a problem.

        Scores are computed from the weights, for those at hand come from sums over steps, and
        intercepts take the last move. The second is infinite for duals that do not balance.
        """
        self.scores[f] = self._products(np.array([f]), [self.weights[f]])[0]
        self.intercepts[f] += self.moves[f]
        self.moves[f] = 0.0
        loss = self._shares(f, self.intercepts[f]).loss
        pulls = self.pulls[f].reshape(self.k, -1)
        dual, size = conjugate(pulls, self.label, self.costs[f])
        away = np.abs(pulls.sum(axis=1)).sum()
        return loss, dual if not self.free or away <= BALANCE_ROUNDING * size else np.inf

    def offer(self, certificate: Certificate, C: float) -> None:
        """Offer the weights of one problem, and the intercepts, which the duals need not attain."""
        risk, omega = certificate.risk, certificate.regularizer
        largest = C * omega.modulus
        loss, conjugate = (largest * value for value in self.proof(0))
        w = self._by_rows(self.weights[0])
        alphas, scores = self._by_rows(self.pulls[0]), self._by_rows(self.scores[0])
        costs = self.costs[0][:, np.newaxis]
        np.divide(alphas, costs, out=alphas, where=costs > 0)
        at = risk.at(scores)
        if risk.condition is not None:
            vars(at)["best"] = risk.condition.near(alphas, self.intercepts[0].copy())
        vars(at)["value"] = loss
        primal = certificate.primal_of(w, at)
        certificate.offer_weights(w, at, primal=primal, exact=True)
        vector = largest * self._by_rows(self.sums[0])
        dual = -conjugate - float(omega.conjugate_of(vector.ravel()))
        certificate.offer_duals(alphas, dual=dual, exact=True)

    def _by_rows(self, numbers: Array) -> Array:
        """Those given, a row for each class, with a column for each."""
        return np.ascontiguousarray(numbers.reshape(self.k, -1).T)

    def _curvatures(self, f: int) -> Array:
        weighed: Array = self.shares[f] * self.costs[f]
        return weighed.ravel()


def _balancing_move(at: ClassShares) -> tuple[Array, float]:
    """The move of intercepts, of mean 0, that balances the duals to first order, and the size of
    the sums of classes that it leaves.
    """
    slopes, left = at.slopes(), at.left
    # slopes take equal moves of all classes to 0, which a constant beside them mends
    size = float(slopes.trace())
    try:
        move = np.linalg.solve(slopes + size / len(left) ** 2, left)
    except np.linalg.LinAlgError:
        move = np.full(len(left), np.nan)
    if not np.abs(left - slopes @ move).sum() <= BALANCE_ROUNDING * at.size:
        values, vectors = np.linalg.eigh(slopes)
        some = values > SUM_ROUNDING * max(values[-1], 0.0)
        parts = (vectors.T @ left) * some
        move = vectors @ np.divide(parts, values, out=np.zeros_like(parts), where=some)
    move -= move.mean()
    return move, float(np.abs(left - slopes @ move).sum())
