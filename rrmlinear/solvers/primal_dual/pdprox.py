"""Pdprox: prox steps of weights and duals in turn, for losses and regularizers with kinks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.swept import swept
from rrmlinear.solvers.gradient.agm import nearest_duals
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.epochs import Epoch
from rrmlinear.solvers.loop.inner import Array, weighted
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.primal_dual.dual_repair import DualRepair
from rrmlinear.solvers.primal_dual.weights_metric import DataMetric, PlainMetric, metric_of

ORDERS = ("dual", "primal")
STORAGES = ("double-primal", "double-dual")
# The certificate is looked at after the first pass, at restarts and every so many passes.
LOOK = 8
# An epoch ends when the fixed-point residual has fallen to SUFFICIENT_DECREASE of its first, when
# it has fallen to NECESSARY_DECREASE and rises, and when it has LONGEST_EPOCH of all passes.
SUFFICIENT_DECREASE, NECESSARY_DECREASE, LONGEST_EPOCH = 0.2, 0.8, 0.36


class Pdprox(Solver):
    """minimize Ω(w) + F(w), F(w) = Σ_i c_i φ(x_i'w, y_i), over w; Ω and φ* with a prox.

    It goes to the saddle point of Ω(w) − ⟨w, v(α)⟩ − Σ c_i φ*(−α_i), v(α) = Σ c_i α_i x_i, by prox
    steps of length τ in w and σ in α, where distances of duals are Σ c_i (·)² and those of weights
    such that τ σ = 1 is safe: ‖diag(√c) X‖² ‖·‖², or of the data themselves (`metric_of`).
    ``order`` says which of the two gets a second, extrapolated copy:

    - "dual": w⁺ = step from w along v(α), α⁺ = step from α at the scores of 2w⁺ − w.
    - "primal": α⁺ = step from α at the scores of w, w⁺ = step from w along v(2α⁺ − α).

    ``storage`` extrapolates weights and their like ("double-primal"; a pass is one way through the
    data) or scores and duals ("double-dual", where features are more than examples).

    With ``restarts`` z = (w, α) goes to (k+1)/(k+2) (2 T(z) − z) + z₀/(k+2), T the two steps and k
    of them made since z₀; and it begins again from T(z) when the residual ‖T(z) − z‖ has fallen or
    stopped to, with τ/σ balanced by how far weights and duals have gone. ``ratio`` is τ/σ by hand,
    in Euclidean lengths. ``start`` are duals α to begin from. The certificate is that of T(z), its
    duals repaired now and then where the lengths are those of the data (`DualRepair`).

    Without restarts it is the method of the paper, whose averages and last step both count. After
    T steps from 0 the averages have F(ŵ, α) − F(w, α̂) ≤ (‖w‖²/τ + Σ c_i α_i²/σ)/(2T) for any w, α.

    Raises ValueError for a ratio that is not positive and finite and for names that do not exist.
    Source: Yang, Mahdavi, Jin and Zhu, An Efficient Primal Dual Prox Method for Non-Smooth
    Optimization, algorithms 2 and 3; restarts: Lu and Yang, Restarted Halpern PDHG for linear
    programming, 2024.
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
        self.order, self.ratio, self.restarts, self.begin = order, ratio, restarts, start
        self.n = risk.rows.shape[0]
        self.storage = storage or STORAGES[self.n < risk.shape[0]]
        self.measuring_work = 1.5 * self.n

    def start(self) -> None:
        risk = self.risk
        if not np.isfinite(risk.costs.ravel() * risk.rows.squared_norms()).all():
            raise ValueError("the squared norm of an example overflows; scale the data")
        plain = not self.restarts or self.ratio is not None
        self.metric = (PlainMetric if plain else metric_of)(risk, self.regularizer)
        few = isinstance(self.metric, DataMetric)
        self.repair = DualRepair.of(risk, self.regularizer) if few else None
        self.certificate = Certificate(risk, self.regularizer)
        w = np.zeros(risk.shape)
        scores = risk.scores(w)
        self.certificate.offer_weights(w, scores)
        begin = self.begin
        alphas = 0 * scores if begin is None else nearest_duals(risk, begin, scores)
        vector = risk.gradient(alphas)
        self.certificate.offer_duals(alphas, vector)
        if self.ratio is None:
            self.balance = self._first_balance(scores)
        else:
            self.balance = self.ratio * self.metric.square(np.ones(1))
        self.steps, self.epochs = 0, 0
        # the measure is the residual's square
        self.epoch = Epoch(SUFFICIENT_DECREASE**2, NECESSARY_DECREASE**2, LONGEST_EPOCH)
        #: w, α, then v(α) or scores, or both, as order and storage ask for.
        self.state = [w, alphas]
        if self.order == "dual" or self.storage == "double-primal":
            self.state.append(vector)
        if self.order == "dual" and self.storage == "double-dual":
            self.state.append(scores)
        self._begin(self.state)

    def _first_balance(self, scores: Array) -> float:
        # ‖w‖²/‖α‖² if α are the derivatives at w = 0, and w as far along them as F(0) lasts.
        alphas = -self.risk.derivatives(scores)
        square = weighted(self.risk.costs, alphas, alphas)
        along = self.metric.dual_square(self.risk.gradient(alphas))
        if not (square > 0 and along > 0):
            return 1.0
        return self.risk.value(scores) ** 2 / along / square or 1.0

    def _begin(self, state: list[Array]) -> None:
        """A new epoch."""
        self.tau, self.sigma = math.sqrt(self.balance), 1 / math.sqrt(self.balance)
        self.state = self.anchor = state
        self.steps = 0
        self.epoch.begin()
        self.epochs += 1

    def _stepped(self, state: list[Array]) -> list[Array]:
        """T: both steps, from where the state is."""
        w, alphas, *more = state
        twice, curvature = self.storage == "double-dual", 1 / self.sigma
        if self.order == "dual":
            new_w = self.metric.step(w, more[0], self.tau)
            if not twice:
                return [new_w, *self._swept(2 * new_w - w, alphas)]
            scores = self.risk.scores(new_w)
            new = self.risk.dual_steps(2 * scores - more[1], alphas, curvature)
            return [new_w, new, self.risk.gradient(new), scores]
        if not twice:
            new, vector = self._swept(w, alphas)
            return [self.metric.step(w, 2 * vector - more[0], self.tau), new, vector]
        new = self.risk.dual_steps(self.risk.scores(w), alphas, curvature)
        return [self.metric.step(w, self.risk.gradient(2 * new - alphas), self.tau), new]

    def _swept(self, w: Array, alphas: Array) -> tuple[Array, Array]:
        sweep = getattr(self.risk, "sweep", None) or (lambda *given: swept(self.risk, *given))
        steps, vector, _ = sweep(w, alphas, 1 / self.sigma, False)
        return steps, vector

    def run_pass(self, number: int) -> None:
        self.work += self.n
        if self.restarts:
            self._halpern_step(number)
        else:
            self._average_step(number)

    def _halpern_step(self, number: int) -> None:
        state, new = self.state, self._stepped(self.state)
        w, alphas = new[0] - state[0], new[1] - state[1]
        squares = self.metric.square(w), weighted(self.risk.costs, alphas, alphas)
        residual = squares[0] / self.tau + squares[1] / self.sigma
        self.moved = self.n if residual > 0 else 0
        over = self.epoch.is_over(residual, number)
        if over or number % LOOK == 0 or number == 1:
            self._look_at(*new)
        if over:
            self._rebalance(new)
            self._begin(new)
            return
        k = self.steps
        self.steps += 1
        self.state = [
            ((k + 1) * (2 * to - z) + first) / (k + 2)
            for to, z, first in zip(new, state, self.anchor, strict=True)
        ]

    def _rebalance(self, new: list[Array]) -> None:
        if self.ratio is not None:
            return
        w, alphas = new[0] - self.anchor[0], new[1] - self.anchor[1]
        squares = self.metric.square(w), weighted(self.risk.costs, alphas, alphas)
        if min(squares) > 0:
            self.balance = math.sqrt(self.balance * squares[0] / squares[1])

    def _average_step(self, number: int) -> None:
        if number == 1:  # the half of a step by which the paper's pairs are ahead of those of T
            self._half_step()
            self.sums = [np.zeros_like(z) for z in self.state[:2]]
        state, new = self.state, self._stepped(self.state)
        pair = [new[0], state[1]] if self.order == "dual" else [state[0], new[1]]
        self.moved = self.n if any(map(np.any, map(np.subtract, new, state))) else 0
        self.state = new
        self.steps += 1
        for total, z in zip(self.sums, pair, strict=True):
            total += z
        if number % LOOK == 0 or number == 1:
            self._look_at(*pair)
            self._look_at(*self.averages())

    def _half_step(self) -> None:
        w, alphas, *more = self.state
        if self.order == "dual":
            self.state[1], self.state[2] = self._swept(w, alphas)
        else:
            vector = more[0] if more else self.risk.gradient(alphas)
            self.state[0] = self.metric.step(w, vector, self.tau)

    def averages(self) -> tuple[Array, Array]:
        """(ŵ, α̂) of all steps, without restarts."""
        return self.sums[0] / self.steps, self.sums[1] / self.steps

    def _look_at(
        self, w: Array, alphas: Array, vector: Array | None = None, scores: Array | None = None
    ) -> None:
        self.certificate.offer_weights(w, self.risk.scores(w) if scores is None else scores)
        vector = self.risk.gradient(alphas) if vector is None else vector
        self.certificate.offer_duals(alphas, vector)
        if self.repair is not None:
            self.work += self.n * self.repair.look(self.certificate, alphas, vector)
