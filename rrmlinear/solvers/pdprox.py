"""Pdprox: prox steps of weights and duals in turn, for losses and regularizers with kinks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.agm import nearest_duals
from rrmlinear.solvers.base import Solver
from rrmlinear.solvers.certificate import Certificate
from rrmlinear.solvers.inner import Array, inner, weighted
from rrmlinear.solvers.power import curvature_bound
from rrmlinear.solvers.result import DualBlocks, duals_of

ORDERS = ("dual", "primal")
STORAGES = ("double-primal", "double-dual")
# The certificate is looked at after so many passes of an epoch, and then every so many.
LOOKS = 8
# A run begins again when its gap has fallen to this part of what it began with, when it has fallen
# to that and rises again, and when an epoch is that part of all passes.
SUFFICIENT, NECESSARY, LONG = 0.2, 0.8, 0.36
# The bound of ‖diag(√c) X‖² is no less than by the longest example times this.
LEAST = 1e-12


class Pdprox(Solver):
    """minimize Ω(w) + F(w), F(w) = Σ_i c_i φ(x_i'w, y_i), over w; Ω and φ* with a prox.

    It steps towards the saddle point of Ω(w) − ⟨w, v(α)⟩ − Σ c_i φ*(−α_i), v(α) = Σ c_i α_i x_i,
    by prox steps of length τ in w and σ in α, distances of duals being Σ c_i (·)², with
    τ σ ‖diag(√c) X‖² = 1. ``order`` says which of the two looks ahead:

    - "dual": α⁺ = step from α at the margins of 2w − w_last, w⁺ = prox of Ω from w + τ v(α⁺).
    - "primal": w⁺ = prox from w + τ v(2α − α_last), α⁺ = step from α at the margins of w⁺.

    ``storage`` is what is kept twice for that: weights and their like ("double-primal"), so that a
    step goes through the data once, or duals ("double-dual"), where features are more than
    examples. ``ratio`` is τ/σ; None balances ‖w‖²/‖α‖² of each epoch. Averages of all steps since
    the last restart count beside the last step; with ``restarts`` they begin again, from the better
    of both, when that has helped or stopped to. ``start`` are duals α to begin from.

    With a given ratio and no restarts it is the method of the paper, and after T steps the averages
    have F(ŵ, α) − F(w, α̂) ≤ (‖w‖²/τ + Σ c_i α_i²/σ)/(2T) for all w and α.

    Raises ValueError for a ratio that is not positive and finite and for names that do not exist.
    Source: Yang, Mahdavi, Jin and Zhu, An Efficient Primal Dual Prox Method for Non-Smooth
    Optimization, algorithms 2 and 3; restarts and the ratio: Applegate et al., 2021.
    """

    def __init__(
        self,
        risk: Any,
        regularizer: Regularizer,
        *,
        order: str = "dual",
        ratio: float | None = None,
        storage: str | None = None,
        restarts: bool = True,
        start: NDArray[np.float64] | None = None,
    ) -> None:
        super().__init__()
        if order not in ORDERS:
            raise ValueError(f"unknown order {order!r}; there are {', '.join(ORDERS)}")
        if storage is not None and storage not in STORAGES:
            raise ValueError(f"unknown storage {storage!r}; there are {', '.join(STORAGES)}")
        if ratio is not None and not 0 < ratio < math.inf:
            raise ValueError(f"ratio must be positive and finite, got {ratio}")
        self.risk, self.regularizer = risk, regularizer
        self.order, self.given_ratio, self.restarts, self.begin = order, ratio, restarts, start
        self.n = risk.rows.shape[0]
        self.storage = storage or STORAGES[self.n < risk.shape[0]]
        self.measuring_work = 1.5 * self.n

    def start(self) -> None:
        risk = self.risk
        longest = float((risk.costs.ravel() * risk.rows.squared_norms()).max(initial=0))
        if not math.isfinite(longest):
            raise ValueError("the squared norm of an example overflows; scale the data")
        self.length = 1 / math.sqrt(max(curvature_bound(risk), LEAST * longest) or 1.0)
        self.best = Certificate(risk, self.regularizer)
        self.w = np.zeros(risk.shape)
        margins = risk.margins(self.w)
        self.best.see_weights(self.w, margins)
        begin = self.begin
        self.alphas = 0 * margins if begin is None else nearest_duals(risk, begin, margins)
        self.vector = risk.gradient(self.alphas)
        self.best.see_duals(self.alphas, self.vector)
        self.ratio = self.given_ratio or self._first_ratio(margins)
        self.epochs = 0
        self._begin()

    def _first_ratio(self, margins: Array) -> float:
        # ‖w‖²/‖α‖² if α are the slopes at w = 0, and w as far along them as F(0) lasts.
        alphas = -self.risk.slopes(margins)
        vector = self.risk.gradient(alphas)
        square = weighted(self.risk.costs, alphas, alphas)
        along = inner(vector, vector)
        if not (square > 0 and along > 0):
            return 1.0
        return self.risk.value(margins) ** 2 / along / square or 1.0

    def _begin(self) -> None:
        """A new epoch, from the weights and duals at hand."""
        self.tau = self.length * math.sqrt(self.ratio)
        self.sigma = self.length / math.sqrt(self.ratio)
        self.steps = 0
        self.first_w, self.first_alphas = self.w, self.alphas
        self.sum_w, self.sum_alphas = np.zeros_like(self.w), np.zeros_like(self.alphas)
        self.last_w, self.last_alphas = self.w, self.alphas
        self.last_vector = self.vector
        if self.order == "dual" and self.storage == "double-dual":
            self.last_margins = self.risk.margins(self.w)
        self.gap_at_start = self.last_gap = math.inf
        self.epochs += 1

    def run_pass(self, number: int) -> None:
        self.work += self.n
        w, alphas = self.w, self.alphas
        twice = self.storage == "double-dual"
        if self.order == "dual" and twice:
            margins = self.risk.margins(w)
            self._dual_step(2 * margins - self.last_margins)
            self._primal_step(self.vector)
            self.last_margins = margins
        elif self.order == "dual":
            self._dual_step(self.risk.margins(2 * w - self.last_w))
            self._primal_step(self.vector)
            self.last_w = w
        else:
            if twice:
                ahead = self.risk.gradient(2 * alphas - self.last_alphas)
            else:
                ahead = 2 * self.vector - self.last_vector
            self.last_alphas, self.last_vector = alphas, self.vector
            self._primal_step(ahead)
            self._dual_step(self.risk.margins(self.w))
        still = np.array_equal(w, self.w) and np.array_equal(alphas, self.alphas)
        self.moved = 0 if still else self.n
        self.steps += 1
        self.sum_w += self.w
        self.sum_alphas += self.alphas
        if self.steps % LOOKS == 0 or number == 1:
            self._look_at_both(number)

    def _dual_step(self, margins: Array) -> None:
        self.alphas = self.risk.dual_steps(margins, self.alphas, 1 / self.sigma)
        self.vector = self.risk.gradient(self.alphas)

    def _primal_step(self, vector: Array) -> None:
        w = self.w + self.tau * vector
        self.w = self.regularizer.prox_of(w.ravel(), self.tau).reshape(w.shape)

    def averages(self) -> tuple[Array, Array]:
        """(ŵ, α̂) of the steps since the last restart."""
        return self.sum_w / self.steps, self.sum_alphas / self.steps

    def _look_at_both(self, number: int) -> None:
        w, alphas = self.averages()
        vector = self.risk.gradient(alphas)
        gap = self._gap(self.w, self.alphas, self.vector)
        gap_of_averages = self._gap(w, alphas, vector)
        if not self.restarts:
            return
        better = gap_of_averages < gap
        gap = min(gap, gap_of_averages)
        if self.gap_at_start == math.inf:
            self.gap_at_start = gap
        fallen = gap <= SUFFICIENT * self.gap_at_start
        turned = gap <= NECESSARY * self.gap_at_start and gap > self.last_gap
        self.last_gap = gap
        if fallen or turned or self.steps >= LONG * number:
            if better:
                self.w, self.alphas, self.vector = w, alphas, vector
            self._balance()
            self._begin()

    def _gap(self, w: Array, alphas: Array, vector: Array) -> float:
        primal = self.best.see_weights(w, self.risk.margins(w))
        return primal - self.best.see_duals(alphas, vector)

    def _balance(self) -> None:
        if self.given_ratio is not None:
            return
        w, alphas = self.w - self.first_w, self.alphas - self.first_alphas
        squares = inner(w, w), weighted(self.risk.costs, alphas, alphas)
        if min(squares) > 0:
            self.ratio = math.sqrt(self.ratio * squares[0] / squares[1])

    def estimate(self) -> tuple[float, float]:
        return self.best.dual, self.best.gap

    def measure(self) -> tuple[float, float]:
        return self.best.measure()

    def final_weights(self) -> NDArray[np.float64]:
        return self.risk.complete(self.best.weights)

    def duals(self) -> NDArray[np.float64] | DualBlocks:
        return duals_of(self.risk, self.best.alphas)
