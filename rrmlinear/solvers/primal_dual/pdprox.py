"""Pdprox: prox steps of weights and duals in turn, for losses and regularizers with kinks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from rrmlinear.risks.base import Evaluation
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.first import first_weights, nearest_duals
from rrmlinear.solvers.loop.inner import Array, inner, weighted
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.steps import EPOCH_DECREASE, Epoch
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.primal_dual.dual_repair import DualRepair
from rrmlinear.solvers.primal_dual.weights_metric import PlainMetric, metric_of

# A restart doubles the steps at most, and keeps them to this part of what the last epoch allowed.
STEP_MARGIN = 0.9
# The largest factor by which a restart changes τ/σ: duals at bounds may move by rounding alone.
MAX_REBALANCE = 100.0


class StepLengths:
    """τ for weights and σ for duals, constant within an epoch.

    ``balance`` is τ/σ: restarts set it by the distances that weights and duals have moved. τ σ = 1
    is safe. It is more as long as the steps made would allow it: each step from (w, α) must have
    2 |⟨Δw, v(Δα)⟩| ≤ ‖Δw‖²/τ + ‖Δα‖²/σ, as all steps do where τ σ = 1. With ``are_fixed`` the
    first lengths stay.
    """

    def __init__(self, balance: float, are_fixed: bool) -> None:
        self.balance, self.are_fixed = balance, are_fixed
        #: √(τ σ), at least the 1 that is safe, and at most ``longest``.
        self.stretch, self.longest = 1.0, math.inf

    def begin(self) -> None:
        """Set τ and σ for a new epoch."""
        root = math.sqrt(self.balance)
        self.tau, self.sigma = self.stretch * root, self.stretch / root
        #: The largest quotient of both sides of the condition in this epoch.
        self.tightness = 0.0

    def residual(self, of_weights: float, of_duals: float) -> float:
        """The right side of the condition, from ‖Δw‖² and ‖Δα‖²."""
        return of_weights / self.tau + of_duals / self.sigma

    def see(self, product: float, residual: float) -> bool:
        """Take the ⟨Δw, v(Δα)⟩ of a step; whether the step breaks the condition."""
        self.tightness = max(self.tightness, 2 * abs(product) / residual)
        if self.tightness <= 1 or self.stretch == 1:
            return False
        self.longest = STEP_MARGIN * self.stretch / self.tightness
        return True

    def rebalance(self, of_weights: float, of_duals: float) -> None:
        """Change both lengths by what an epoch has shown: the squares of its moves in all."""
        if self.tightness > 0:
            allowed = min(STEP_MARGIN * self.stretch / self.tightness, self.longest)
            self.stretch = max(1.0, min(2 * self.stretch, allowed))
        weights, duals = math.sqrt(of_weights), math.sqrt(self.balance * of_duals)
        if weights + duals > 0:
            change = weights / max(duals, weights / MAX_REBALANCE)
            self.balance *= max(change, 1 / MAX_REBALANCE)


ORDERS = ("dual", "primal")
STORAGES = ("double-primal", "double-dual")
# Points are offered to the certificate after the first pass, at restarts and every LOOK_PASSES.
LOOK_PASSES = 8
# An epoch ends when the fixed-point residual is below EPOCH_DECREASE of its first value, when it is
# below NECESSARY_DECREASE of that and rises, or after LONGEST_EPOCH of all passes.
NECESSARY_DECREASE, LONGEST_EPOCH = 0.8, 0.36


@dataclass(frozen=True, eq=False)
class State:
    """w and α. ``vector`` is v(α), kept where w steps along it or the step is extrapolated in it;
    ``scores`` are X w, kept where they are extrapolated.
    """

    w: Array
    alphas: Array
    vector: Any = None
    scores: Any = None

    def combined(self, mix: Callable[..., Array], *others: State) -> State:
        """``mix`` of each array with those of ``others``."""
        mixed: dict[str, Any] = {}
        for field in fields(self):
            arrays = [getattr(z, field.name) for z in (self, *others)]
            mixed[field.name] = None if arrays[0] is None else mix(*arrays)
        return State(**mixed)

    def equals(self, other: State) -> bool:
        """Whether all arrays agree to the last bit."""
        pairs = ((getattr(self, field.name), getattr(other, field.name)) for field in fields(self))
        return all(a is None or b is None or np.array_equal(a, b) for a, b in pairs)


class Pdprox(Solver):
    """minimize Ω(w) + F(w), F(w) = Σ_i c_i φ(x_i'w, y_i), over w; Ω and φ* with a prox.

    It goes to the saddle point of Ω(w) − ⟨w, v(α)⟩ − Σ c_i φ*(−α_i), v(α) = Σ c_i α_i x_i, by prox
    steps of length τ in w and σ in α. Distances of duals are Σ c_i (·)². Those of weights are such
    that τ σ = 1 is safe: ‖diag(√c) X‖² ‖·‖², or of the data themselves (`metric_of`).
    ``order`` says which of the two gets a second, extrapolated copy:

    - "dual": w⁺ = step from w along v(α), α⁺ = step from α at the scores of 2w⁺ − w.
    - "primal": α⁺ = step from α at the scores of w, w⁺ = step from w along v(2α⁺ − α).

    The choice ``storage`` extrapolates weights and v ("double-primal": a pass reads the rows once)
    or scores and duals ("double-dual", the default with more features than examples).

    Unless averages are chosen z = (w, α) goes to (k+1)/(k+2) (2 T(z) − z) + z₀/(k+2), T the two
    steps and k of them made since z₀. It restarts from T(z) when the residual ‖T(z) − z‖ has fallen
    or stopped falling, and at a step that is too long. Restarts choose τ and σ anew
    (`StepLengths`); a given ``ratio`` is a fixed τ/σ, in Euclidean norms, with τ σ = 1. It begins
    at the task's weights, or where its duals lead (`first_weights`). The certificate is that of
    T(z); its duals are repaired now and then if the metric is that of the data (`DualRepair`).

    Without restarts it is the method of the paper, whose averages and last step both count. After
    T steps from 0 the averages have F(ŵ, α) − F(w, α̂) ≤ (‖w‖²/τ + Σ c_i α_i²/σ)/(2T) for any w, α.

    Raises ValueError for a ratio that is not positive and finite and for names that do not exist.
    Source: Yang, Mahdavi, Jin and Zhu, An Efficient Primal Dual Prox Method for Non-Smooth
    Optimization, algorithms 2 and 3; restarts: Lu and Yang, Restarted Halpern PDHG for linear
    programming, 2024; the rule for τ σ: Applegate et al., Practical large-scale linear programming
    using primal-dual hybrid gradient, 2021.
    """

    def __init__(self, task: Task, order: str = "dual") -> None:
        super().__init__()
        ratio, storage = task.choices.ratio, task.choices.storage
        risk = task.whole()
        if order not in ORDERS:
            raise ValueError(f"unknown order {order!r}; there are {', '.join(ORDERS)}")
        if storage is not None and storage not in STORAGES:
            raise ValueError(f"unknown storage {storage!r}; there are {', '.join(STORAGES)}")
        if ratio is not None and not 0 < ratio < math.inf:
            raise ValueError(f"ratio must be positive and finite, got {ratio}")
        self.risk, self.regularizer = risk, task.regularizer
        self.order, self.ratio, self.restarts = order, ratio, not task.choices.averaging
        self.begin, self.given = task.first_duals(), task.weights
        self.n = risk.rows.shape[0]
        self.storage = storage or STORAGES[self.n < risk.shape[0]]
        self.measuring_work = 1.5 * self.n

    def start(self) -> None:
        risk = self.risk
        if not np.isfinite(risk.costs.ravel() * risk.rows.squared_norms()).all():
            raise ValueError("the squared norm of an example overflows; scale the data")
        plain = not self.restarts or self.ratio is not None
        self.metric = (PlainMetric if plain else metric_of)(risk, self.regularizer)
        affordable = self.metric.affords_matrices
        self.repair = DualRepair.of(risk, self.regularizer) if affordable else None
        self.certificate = Certificate(risk, self.regularizer)
        begin = self.begin
        w, at = first_weights(risk, self.regularizer, self.given, begin)
        scores = at.scores
        self.certificate.offer_weights(w, at)
        alphas = 0 * scores if begin is None else nearest_duals(risk, begin, scores)
        vector = risk.gradient(alphas)
        self.certificate.offer_duals(alphas, vector)
        if self.ratio is None:
            balance = self._first_balance(risk.at(0 * scores) if w.any() else at)
        else:
            balance = self.ratio * self.metric.square(np.ones(1))
        self.lengths = StepLengths(balance, self.ratio is not None)
        self.warm: Any = None  # the end of the last search for dual steps
        self.steps, self.epochs = 0, 0
        # the measure is the residual's square
        self.epoch = Epoch(EPOCH_DECREASE**2, NECESSARY_DECREASE**2, LONGEST_EPOCH)
        dual, stored = self.order == "dual", self.storage == "double-dual"
        self._begin(
            State(
                w,
                alphas,
                vector if dual or not stored else None,
                scores if dual and stored else None,
            )
        )

    def _first_balance(self, at: Evaluation) -> float:
        # ‖w‖²/‖α‖² with −α the derivatives at w = 0, and w = t v(α) such that F would fall to 0
        # along it.
        alphas = -at.derivatives
        square = weighted(self.risk.costs, alphas, alphas)
        along = self.metric.dual_square(self.risk.gradient(alphas))
        if not (square > 0 and along > 0):
            return 1.0
        return at.value**2 / along / square or 1.0

    def _begin(self, state: State) -> None:
        """A new epoch."""
        self.lengths.begin()
        self.state = self.anchor = state
        self.steps = 0
        self.epoch.begin()
        self.epochs += 1

    def _stepped(self, z: State) -> State:
        """T(z): both steps from z."""
        if self.order == "dual":
            w = self.metric.step(z.w, z.vector, self.lengths.tau)
            if self.storage == "double-primal":
                return State(w, *self._swept(2 * w - z.w, z.alphas))
            scores = self.risk.scores(w)
            alphas = self._dual_steps(2 * scores - z.scores, z.alphas)
            return State(w, alphas, self.risk.gradient(alphas), scores)
        if self.storage == "double-primal":
            alphas, vector = self._swept(z.w, z.alphas)
            return State(
                self.metric.step(z.w, 2 * vector - z.vector, self.lengths.tau), alphas, vector
            )
        alphas = self._dual_steps(self.risk.scores(z.w), z.alphas)
        vector = self.risk.gradient(2 * alphas - z.alphas)
        return State(self.metric.step(z.w, vector, self.lengths.tau), alphas)

    def _dual_steps(self, scores: Array, alphas: Array) -> Array:
        steps, self.warm = self.risk.dual_steps(scores, alphas, 1 / self.lengths.sigma, self.warm)
        return steps

    def _swept(self, w: Array, alphas: Array) -> tuple[Array, Array]:
        steps, vector, _, self.warm = self.risk.sweep(
            w, alphas, 1 / self.lengths.sigma, False, self.warm
        )
        return steps, vector

    def run_pass(self, number: int) -> None:
        self.work += self.n
        if self.restarts:
            self._halpern_step(number)
        else:
            self._average_step(number)

    def _halpern_step(self, number: int) -> None:
        state, new = self.state, self._stepped(self.state)
        residual = self.lengths.residual(*self._squares(state, new))
        self.moved = self.n if residual > 0 else 0
        over = self._are_too_long(state, new, residual) or self.epoch.is_over(residual, number)
        if over or number % LOOK_PASSES == 0 or number == 1:
            self._look_at(new)
        if over:
            if not self.lengths.are_fixed:
                self.lengths.rebalance(*self._squares(self.anchor, new))
            self._begin(new)
            return
        k = self.steps
        self.steps += 1
        self.state = state.combined(
            lambda z, to, first: ((k + 1) * (2 * to - z) + first) / (k + 2), new, self.anchor
        )

    def _are_too_long(self, old: State, new: State, residual: float) -> bool:
        """Whether this step is too long; see `StepLengths`."""
        if not residual > 0 or self.lengths.are_fixed:
            return False
        w = new.w - old.w
        if new.vector is not None:
            product = inner(new.vector - old.vector, w)
        elif new.scores is not None:
            product = weighted(self.risk.costs, new.alphas - old.alphas, new.scores - old.scores)
        else:
            return False
        return self.lengths.see(product, residual)

    def _squares(self, old: State, new: State) -> tuple[float, float]:
        """‖Δw‖² and ‖Δα‖²."""
        w, alphas = new.w - old.w, new.alphas - old.alphas
        return self.metric.square(w), weighted(self.risk.costs, alphas, alphas)

    def _average_step(self, number: int) -> None:
        if number == 1:  # the paper's pairs are half a step ahead of those of T
            self.state = self._half_step(self.state)
            self.sums = np.zeros_like(self.state.w), np.zeros_like(self.state.alphas)
        state, new = self.state, self._stepped(self.state)
        dual = self.order == "dual"
        pair = State(new.w, state.alphas) if dual else State(state.w, new.alphas)
        self.moved = 0 if state.equals(new) else self.n
        self.state = new
        self.steps += 1
        self.sums[0][...] += pair.w
        self.sums[1][...] += pair.alphas
        if number % LOOK_PASSES == 0 or number == 1:
            self._look_at(pair)
            self._look_at(State(*self.averages()))

    def _half_step(self, z: State) -> State:
        if self.order == "dual":
            alphas, vector = self._swept(z.w, z.alphas)
            return replace(z, alphas=alphas, vector=vector)
        vector = self.risk.gradient(z.alphas) if z.vector is None else z.vector
        return replace(z, w=self.metric.step(z.w, vector, self.lengths.tau))

    def averages(self) -> tuple[Array, Array]:
        """(ŵ, α̂) of all steps, without restarts."""
        return self.sums[0] / self.steps, self.sums[1] / self.steps

    def _look_at(self, z: State) -> None:
        scores = self.risk.scores(z.w) if z.scores is None else z.scores
        self.certificate.offer_weights(z.w, self.certificate.at(scores))
        vector = self.risk.gradient(z.alphas) if z.vector is None else z.vector
        self.certificate.offer_duals(z.alphas, vector)
        if self.repair is not None:
            self.work += self.n * self.repair.look(self.certificate, z.alphas, vector)
