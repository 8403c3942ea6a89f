"""Pragam: weights and duals whose gap an excessive gap bounds at every pass."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rrmlinear.core.loading import loading
from rrmlinear.solvers.gradient.composite import between
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.first import nearest_duals
from rrmlinear.solvers.loop.inner import Array, weighted
from rrmlinear.solvers.loop.power import curvature_bound, mean_curvature
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.steps import EPOCH_DECREASE, Backtracking, Epoch
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.tolerances import LOSS_ROUNDING, MIN_LIPSCHITZ


class Pragam(Solver):
    """minimize Ω(w) + F(w), F(w) = Σ_i c_i φ(x_i'w, y_i), over w, Ω strongly convex.

    Dual: maximize D(α) = −Σ c_i φ*(−α_i) − Ω*(Σ c_i α_i x_i). With d(α) = ½ Σ c_i (α_i − s_i)²,
    s the duals it starts from (0 by default), every pair (w, α) has the excessive gap property
    J_μ(w) ≤ D(α), where J_μ ≤ Ω + F is J with μ d in the conjugate of F; μ falls.

    Step: β = (1 − τ) α + τ α_μ(w), w⁺ = (1 − τ) w + τ w(β), α⁺ = v(β), μ⁺ = (1 − τ) μ, where
    α_μ(w) attains J_μ(w), w(β) = ∇Ω*(Σ c_i β_i x_i), and v is a step of the prox of the dual for
    curvature L. τ is the root of τ² = (1 − τ)(γ + μ)/L, γ the modulus of φ*.

    ``L`` is the Lipschitz constant of the gradient of Ω*(Σ c_i α_i x_i) by ½ Σ c_i α_i², found by
    power iteration where it is None; unless the choice ``lipschitz`` is "fixed" it is a first guess
    that rises where a step loses the property, and falls otherwise. With ``restarts`` the method
    restarts from the present duals whenever the gap has fallen to a fifth. A pass is a trial: two
    products with the data for a fixed L, where J_μ(w) bounds the optimum; three for an adaptive
    one, where D(α) does.

    With a fixed L, no restarts and γ = 0, gap ≤ μ max d = 4 L max d / ((k+1)(k+2)) after k steps.
    A risk with a free intercept makes it Pragam-b. Raises ValueError for an Ω that is not strongly
    convex. Source: Zhang, Saha and Vishwanathan, Lower Bounds for BMRM and Faster Rates for
    Training SVMs, algorithm 1; Nesterov, Excessive gap technique in nonsmooth convex
    minimization, 2005.
    """

    w: Any
    vector: Any
    answer_vector: Any

    def __init__(self, task: Task, *, L: float | None = None, restarts: bool = True) -> None:
        super().__init__()
        risk, regularizer = task.whole(), task.regularizer
        if "chain" in task.features:  # dual steps of sequences are projections on their marginals
            with loading:
                from rrmlinear.risks.layouts.chains.edge_marginals import EdgeMarginalsRisk

            risk = EdgeMarginalsRisk(risk)
        if not regularizer.modulus > 0:
            raise ValueError(
                "Pragam needs a strongly convex regularizer, and "
                f"{type(regularizer).__name__} is not"
            )
        if L is not None and not 0 < L < math.inf:
            raise ValueError(f"L must be positive and finite, got {L}")
        self.risk, self.regularizer = risk, regularizer
        self.adaptive = task.choices.lipschitz != "fixed"
        self.given_L, self.restarts, self.begin = L, restarts, task.first_duals()
        self.n = risk.rows.shape[0]
        self.measuring_work = float(self.n)
        gamma = risk.loss.smoothing
        # blocks without the own class, as rows of k numbers sum to 0
        self.gamma = gamma / risk.shape[1] if len(risk.shape) == 2 else gamma

    def start(self) -> None:
        risk = self.risk
        longest = float((risk.costs.ravel() * risk.rows.squared_norms()).max(initial=0))
        if not math.isfinite(longest):
            raise ValueError("the squared norm of an example overflows; scale the data")
        if self.given_L is not None:
            L = self.given_L
        elif self.adaptive:
            L = mean_curvature(risk) / self.regularizer.modulus
        else:
            L = curvature_bound(risk) / self.regularizer.modulus
        least = MIN_LIPSCHITZ * longest / self.regularizer.modulus or 1.0
        factors = {} if self.adaptive else {"rise": 1.0, "fall": 1.0}
        self.trial = Backtracking(max(L, least), least, **factors)
        self.epoch = Epoch(EPOCH_DECREASE)
        self.certificate = Certificate(risk, self.regularizer)
        scores = risk.scores(np.zeros(risk.shape))
        begin = self.begin
        begin = 0 * scores if begin is None else nearest_duals(risk, begin, scores)
        self.certificate.offer_weights(np.zeros(risk.shape), risk.at(scores))
        self.warm: Any = None  # the end of the last search for dual steps
        vector = risk.gradient(begin)
        #: The largest lower bound of the accepted pairs, for restarts.
        self.taken_bound = self.certificate.offer_duals(begin, vector)
        self.alphas = begin
        self._begin(begin, vector)

    def _begin(self, centre: Array, vector: Array) -> None:
        # Start a run from duals; the first trial makes its first pair.
        self.centre, self.centre_vector = centre, vector
        self.w = self.vector = self.answer_vector = None
        #: The first pair's w and scores, once a trial has made them.
        self.first: tuple[Array, Array] | None = None
        self.epoch.begin()

    def _dual_steps(self, scores: Array, alphas: Array, curvature: float) -> Array:
        steps, self.warm = self.risk.dual_steps(scores, alphas, curvature, self.warm)
        return steps

    def _weights(self, vector: Array) -> Array:
        return self.regularizer.primal_of(vector.ravel()).reshape(vector.shape)

    def _smoothed_value(self, w: Array, scores: Array, mu: float, alphas: Array) -> float:
        # J_μ(w), which these α = α_μ(w) attain.
        away, costs = alphas - self.centre, self.risk.costs
        value = -weighted(costs, scores, alphas) - self.risk.conjugate(alphas)
        value -= mu / 2 * weighted(costs, away, away)
        return value + self.regularizer.value_of(w.ravel())

    def run_pass(self, number: int) -> None:
        self.work += self.n
        self.moved = self.n
        taken = self._first() if self.w is None else self._step()
        if not taken:
            self.trial.failed()
            return
        self.trial.served()
        over = self.epoch.is_over(self.certificate.primal - self.taken_bound)
        if self.restarts and over:
            vector = self.risk.gradient(self.alphas) if self.vector is None else self.vector
            self._begin(self.alphas, vector)

    def _first(self) -> bool:
        if self.first is None:
            w = self._weights(self.centre_vector)
            self.first = w, self.risk.scores(w)
        w, scores = self.first
        alphas = self._dual_steps(scores, self.centre, self.trial.L)
        vector = self.risk.gradient(alphas) if self.adaptive else None
        return self._kept(w, scores, self.trial.L, alphas, vector, answer=alphas)

    def _step(self) -> bool:
        rate = (self.gamma + self.mu) / self.trial.L
        tau = 2 / (1 + math.sqrt(1 + 4 / rate))
        beta = between(self.alphas, self.answer, tau)
        if self.adaptive:
            if self.answer_vector is None:
                self.answer_vector = self.risk.gradient(self.answer)
            beta_vector = between(self.vector, self.answer_vector, tau)
        else:
            beta_vector = self.risk.gradient(beta)
        target = self._weights(beta_vector)
        target_scores = self.risk.scores(target)
        alphas = self._dual_steps(target_scores, beta, self.trial.L)
        vector = self.risk.gradient(alphas) if self.adaptive else None
        w, scores = between(self.w, target, tau), between(self.scores, target_scores, tau)
        still = np.array_equal(w, self.w) and np.array_equal(alphas, self.alphas)
        mu = max((1 - tau) * self.mu, MIN_LIPSCHITZ * self.trial.L)  # a larger μ lowers J_μ
        if not self._kept(w, scores, mu, alphas, vector):
            return False
        self.moved = 0 if still else self.n
        return True

    def _kept(
        self,
        w: Array,
        scores: Array,
        mu: float,
        alphas: Array,
        vector: Array | None,
        answer: Array | None = None,
    ) -> bool:
        # Whether J_μ(w) ≤ D(α), which holds for any L from the true one on. If so, the pair is
        # accepted; J_μ(w) bounds the optimum, and ``answer`` α_μ(w) serves the next step.
        answer = self._dual_steps(scores, self.centre, mu) if answer is None else answer
        value = self._smoothed_value(w, scores, mu, answer)
        if vector is not None:
            dual = self.certificate.offer_duals(alphas, vector)
            if value > dual + LOSS_ROUNDING * (abs(value) + abs(self.certificate.primal)):
                return False
        else:
            dual = value
            self.certificate.offer_bound(value)
        self.taken_bound = max(self.taken_bound, dual)
        self.certificate.offer_weights(w, self.certificate.at(scores))
        self.w, self.scores, self.mu = w, scores, mu
        self.alphas, self.vector = alphas, vector
        self.answer, self.answer_vector = answer, None
        return True

    def measure(self) -> None:
        if not self.adaptive:
            self.certificate.offer_duals(self.alphas)
