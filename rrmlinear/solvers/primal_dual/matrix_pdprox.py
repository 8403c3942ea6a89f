"""Pdprox with the trace norm over a matrix that stands as factors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.base import Evaluation
from rrmlinear.risks.layouts.tasks import EntriesRisk
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.inner import inner
from rrmlinear.solvers.loop.power import norm_bound, norm_estimate
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.steps import LOOK_GROWTH, Anderson
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS, MANY_ROUNDINGS
from rrmlinear.solvers.primal_dual.low_rank import LowRank, Threshold

Array = NDArray[np.float64]

# Older steps mixed with the newest.
MEMORY = 5
# The dual is measured every LOOKS passes. If one half of the gap exceeds MAX_GAP_RATIO times the
# other, step lengths change by at most the factor MAX_STEP_CHANGE, but not within PATIENCE passes
# of the last change. PATIENCE grows by LOOK_GROWTH each time, so that the method can converge.
LOOKS, PATIENCE = 5, 10
MAX_GAP_RATIO, MAX_STEP_CHANGE = 3.0, 4.0
# Largest fraction of the gap that the bound of a norm may add.
NORM_GAP_FRACTION = 0.05
# Cost of a full measurement in passes.
MEASURING_PASSES = 0.5


class MatrixPdprox(Solver):
    """minimize ‖W‖_* + F(W), F(W) = Σ_i c_i φ(W[r_i, k_i], y_i), over W of p × q.

    It steps towards the saddle point of ‖W‖_* − ⟨W, A(α)⟩ − Σ c_i φ*(−α_i), with the sparse
    A(α) = Σ c_i α_i e_r e_k' and distances of duals being Σ c_i (·)²:

        α⁺ = dual step of length σ from α at the entries of W
        W⁺ = prox of τ ‖·‖_* from W + τ A(2α⁺ − α)

    τ σ = 1/‖diag(√c) X‖², the largest sum of costs at one place. W is a mix of the last few prox
    steps, each by factors. Anderson's weights θ fit best on the known entries and on the duals. The
    ratio τ/σ is tuned so that both halves of the gap, that of Fenchel and Young in the loss and
    that in the norm, fall together.

    Certificate: the primal value at W⁺ is exact, and α⁺ is made feasible, ‖A(t α)‖ ≤ 1, by the
    factor t = 1/max(1, s), s a bound of the norm that holds (`norm_bound`). Final weights are L and
    R of W = L R', one above the other, (p + q) × rank. Source: Yang, Mahdavi, Jin and Zhu, An
    Efficient Primal Dual Prox Method for Non-Smooth Optimization, algorithm 1.
    """

    def __init__(self, risk: EntriesRisk) -> None:
        super().__init__()
        self.risk = risk
        self.n = len(risk.costs)
        self.measuring_work = MEASURING_PASSES * self.n

    def start(self) -> None:
        risk, (p, q) = self.risk, self.risk.matrix_shape
        self.threshold = Threshold((p, q))
        self.certificate = FactorsCertificate(risk)
        self.scores, self.alphas = np.zeros(self.n), np.zeros(self.n)
        at = risk.at(self.scores)
        self.certificate.offer_weights(LowRank.zero(p, q), at)
        self.certificate.offer_duals(self.alphas, dual=-risk.conjugate(self.alphas))
        self.thetas, self.parts = [1.0], [self.certificate.weights]
        self.mixing, self.memory = Anderson(MEMORY), [(self.scores, self.alphas)]
        self.tau, self.since, self.patience = self._first_tau(at), 0, float(PATIENCE)

    def _first_tau(self, at: Evaluation) -> float:
        # ‖W‖/‖A(α)‖ with −α the derivatives at W = 0, scaled into the dual ball, and W = t A(α)
        # such that F would fall to 0 along it
        sums = self.risk.sums(-at.derivatives)
        square = inner(sums.data, sums.data)
        if not square > 0:
            return 1.0
        tau = self.certificate.primal / square * max(1.0, norm_estimate(sums))
        return tau if 0 < tau < math.inf else 1.0

    def run_pass(self, number: int) -> None:
        self.work += self.n
        risk, tau = self.risk, self.tau
        alphas, _ = risk.dual_steps(self.scores, self.alphas, tau * risk.curvature)
        ahead = risk.sums(tau * (2 * alphas - self.alphas))
        w = self.threshold(self.thetas, self.parts, ahead, tau)
        scores = risk.scores_of(w.left, w.right)
        at = risk.at(scores)
        self.certificate.offer_weights(w, at)
        still = np.array_equal(alphas, self.alphas) and np.array_equal(scores, self.scores)
        self.moved = 0 if still else self.n
        self.since += 1
        uneven = 1.0
        if number % LOOKS == 0 or number == 1:
            uneven = self._balance(w, at, alphas)
        if uneven != 1 and self.since >= self.patience:
            self.tau, self.since, self.patience = (
                self.tau * uneven,
                0,
                LOOK_GROWTH * self.patience,
            )
            self.mixing.forget()
            self.memory = []
        self._mix(w, scores, alphas)

    def _balance(self, w: LowRank, at: Evaluation, alphas: Array) -> float:
        """Offer the dual at these duals; returns the best factor for τ."""
        risk = self.risk
        of_loss = at.value + risk.conjugate(alphas)
        of_loss = max(of_loss + inner(risk.costs * alphas, at.scores), 0.0)
        alphas = alphas / max(1.0, norm_estimate(risk.sums(alphas)))
        dual = self.certificate.offer_duals(alphas, dual=-risk.conjugate(alphas))
        # the dual value lost by scaling belongs to the norm's half
        of_norm = max(w.norm + at.value - dual - of_loss, 0.0)
        if max(of_loss, of_norm) <= MAX_GAP_RATIO * min(of_loss, of_norm):
            return 1.0
        factor = math.sqrt(of_norm / max(of_loss, 1e-300))
        return float(np.clip(factor, 1 / MAX_STEP_CHANGE, MAX_STEP_CHANGE))

    def _mix(self, w: LowRank, scores: Array, alphas: Array) -> None:
        # distances of W have weight 1/τ, those of duals 1/σ = τ times the largest cost
        of_w, of_alphas = math.sqrt(1 / self.tau), np.sqrt(self.tau * self.risk.costs)
        if self.risk.curvature > 0:
            of_alphas *= math.sqrt(self.risk.curvature)
        x = np.concatenate([of_w * self.scores, of_alphas * self.alphas])
        g = np.concatenate([of_w * scores, of_alphas * alphas])
        thetas = self.mixing.weights(x, g)
        count = len(thetas)
        self.parts = [*self.parts, w][-count:]
        self.memory = [*self.memory, (scores, alphas)][-count:]
        self.thetas = thetas.tolist()
        self.scores = thetas @ np.array([scores for scores, _ in self.memory])
        self.alphas = thetas @ np.array([alphas for _, alphas in self.memory])

    def support(self) -> dict[str, int]:
        return {"rank": self.certificate.weights.rank}


class FactorsCertificate(Certificate):
    """A certificate for W = L R' by its factors and the trace norm: duals have ‖A(α)‖ ≤ 1."""

    def __init__(self, risk: EntriesRisk) -> None:
        super().__init__(risk)
        self._weights = LowRank.zero(*risk.matrix_shape)

    def primal_of(self, w: Any, at: Evaluation) -> float:
        """‖W‖_* + F(W)."""
        return float(w.norm + at.value)

    def measure(self, enough: float = 0.0) -> tuple[float, float]:
        """(primal, dual), computed from the factors and the duals alone."""
        risk, part = self.risk, NORM_GAP_FRACTION * self.gap / max(abs(self.primal), 1e-300)
        u, s, v = self.weights.svd()
        w = LowRank(np.ascontiguousarray(u * s), np.ascontiguousarray(v))
        bound = norm_bound(risk.sums(self.alphas), max(part, MANY_ROUNDINGS))
        alphas = self.alphas / max(bound, 1.0)
        self.offer_weights(
            lambda: w, primal=self.primal_of(w, risk.at(risk.scores_of(w.left, w.right)))
        )
        self.offer_duals(lambda: alphas, dual=-risk.conjugate(alphas))
        return self.primal, self.dual

    def rounding(self, enough: float = 0.0, squares: Array | None = None) -> float:
        return FEW_ROUNDINGS * max(abs(self.primal), abs(self.dual))

    def final_weights(self) -> Array:
        return np.vstack([self.weights.left, self.weights.right])

    def final_duals(self) -> Array:
        return self.alphas
