"""The rivals of section 5 of the Pdprox paper in NumPy, for P(w) = 1/n Σ φ + λ Ω(w).

Each is a generator of iterates from w = 0; the best of them counts. ``scale`` is a factor on the
theoretical step. D is the norm of the optimum, taken from a long run; G bounds subgradients. An
iteration takes all examples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pdprox_problem import Objective

Array = NDArray[np.float64]
RISE, FALL = 2.0, 0.9  # of L in agd, after a trial that failed and after a step
TRIALS = 20  # of one step: with a kink between, no L may serve


@dataclass(frozen=True)
class Scales:
    """The constants of the theory: D = ‖w*‖, ‖X‖²/n, and the Lipschitz constant of the loss."""

    D: float
    curvature: float
    steepest: float

    @classmethod
    def of(cls, objective: Objective, distance: float) -> Scales:
        loss = objective.loss
        steepest = float(max(np.max(loss.hi), -np.min(loss.lo)))
        return cls(distance, objective.curvature(), steepest)

    @property
    def G(self) -> float:
        """‖X'a/n‖ ≤ ‖X‖/√n · max |a|."""
        return math.sqrt(self.curvature) * self.steepest


def gd(objective: Objective, scales: Scales, scale: float) -> Iterator[Array]:
    """Subgradient descent: w ← w − η g, g of loss and norm, η = scale · D/(G √t)."""
    lam, norm = objective.lam, objective.norm
    G = scales.G + lam * math.sqrt(2 * norm.spread(objective.X.shape[1]))
    w = np.zeros(objective.X.shape[1])
    t = 0
    while True:
        t += 1
        g = objective.gradient(objective.loss.slopes(objective.residuals(w)))
        w = w - scale * scales.D / (G * math.sqrt(t)) * (g + lam * norm.slope(w))
        yield w


def fobos(objective: Objective, scales: Scales, scale: float) -> Iterator[Array]:
    """Duchi and Singer, 2009: a subgradient step of the loss, then the prox of η λ Ω."""
    w = np.zeros(objective.X.shape[1])
    t = 0
    while True:
        t += 1
        eta = scale * scales.D / (scales.G * math.sqrt(t))
        g = objective.gradient(objective.loss.slopes(objective.residuals(w)))
        w = objective.norm.prox(w - eta * g, eta * objective.lam)
        yield w


def rda(objective: Objective, scales: Scales, scale: float) -> Iterator[Array]:
    """Xiao, 2009: argmin ⟨mean of all subgradients, w⟩ + λ Ω + G/(scale D √t) · ½‖w‖²."""
    w = mean = np.zeros(objective.X.shape[1])
    t = 0
    while True:
        t += 1
        g = objective.gradient(objective.loss.slopes(objective.residuals(w)))
        mean = mean + (g - mean) / t
        step = scale * scales.D * math.sqrt(t) / scales.G
        w = objective.norm.prox(-step * mean, step * objective.lam)
        yield w


def agd(objective: Objective, scales: Scales, scale: float) -> Iterator[Array]:
    """Accelerated proximal steps with subgradients (Chen et al., 2009), L by trial.

    L begins at ‖X‖²/(n · scale), which is what the loss smoothed by 1 would ask for, rises where
    the quadratic is below the loss, and may fall again.
    """
    loss = objective.loss
    w = last = np.zeros(objective.X.shape[1])
    r = r_last = objective.residuals(w)
    L, t = scales.curvature / scale, 1.0
    while True:
        t_new = (1 + math.sqrt(1 + 4 * t * t)) / 2
        beta, t = (t - 1) / t_new, t_new
        u, r_u = w + beta * (w - last), r + beta * (r - r_last)
        f, g = loss.mean(r_u), objective.gradient(loss.slopes(r_u))
        before = L
        for _ in range(TRIALS):
            new = objective.norm.prox(u - g / L, objective.lam / L)
            r_new, step = objective.residuals(new), new - u
            if loss.mean(r_new) <= f + float(g @ step) + L / 2 * float(step @ step):
                break
            L *= RISE
        else:
            L = RISE * before
        w, last, r, r_last = new, w, r_new, r
        L *= FALL
        yield w


class ExcessiveGap:
    """Nesterov, Excessive gap technique in nonsmooth convex minimization, 2005, section 6.

    f(w) = max over (a, u) of 1/n Σ (a_i (s_i − y_i) − ε |a_i|) + λ u'w, w in the ball that
    P(w) ≤ P(0) allows, prox-functions ½‖w‖² and θ_a/(2n) ‖a‖² + θ_u/2 ‖u‖²; θ makes ‖A‖² times the
    size of the dual's domain least. Even steps shrink μ₁, odd ones μ₂, τ = 2/(k + 3), with
    μ₁ μ₂ = 2 ‖A‖² and μ₁/μ₂ = D₂/(scale D₁) at first, which keeps f_μ₂(w) ≤ φ_μ₁(a, u).
    """

    def __init__(self, objective: Objective, scales: Scales, scale: float) -> None:
        self.objective = objective
        lam, norm, d = objective.lam, objective.norm, objective.X.shape[1]
        spread_a, spread_u = scales.steepest**2 / 2, norm.spread(d)
        self.theta_a = math.sqrt(scales.curvature / spread_a)
        self.theta_u = lam / math.sqrt(spread_u)
        square = scales.curvature / self.theta_a + lam**2 / self.theta_u
        D1, D2 = scales.D**2 / 2, self.theta_a * spread_a + self.theta_u * spread_u
        self.mu1 = math.sqrt(2 * square * D2 / D1 / scale)
        self.mu2 = 2 * square / self.mu1
        floor, at_zero = norm.floor, objective.loss.mean(-objective.y)
        self.radius = at_zero / (lam * floor) if floor else math.inf
        zero = np.zeros(d)
        self.s = np.zeros(len(objective.y))  # X w
        self.a, self.u = self.best_duals(zero, self.s)
        self.v = self.pull(self.a, self.u)  # A'(a, u)
        self.w = self.within(-self.mu2 / square * self.v)
        self.s = self.scores(self.w)
        self.k = 0

    def scores(self, w: Array) -> Array:
        return self.objective.residuals(w) + self.objective.y

    def pull(self, a: Array, u: Array) -> Array:
        return self.objective.gradient(a) + self.objective.lam * u

    def within(self, w: Array) -> Array:
        return w * min(1.0, self.radius / max(float(np.linalg.norm(w)), np.finfo(float).tiny))

    def best_weights(self, v: Array) -> Array:
        """argmin ⟨v, w⟩ + μ₁/2 ‖w‖²."""
        return self.within(-v / self.mu1)

    def best_duals(self, w: Array, s: Array) -> tuple[Array, Array]:
        """The maximum of f smoothed by μ₂."""
        zeros = np.zeros_like(s), np.zeros_like(w)
        return self.duals_near(*zeros, w, s, self.mu2)

    def duals_near(self, a: Array, u: Array, w: Array, s: Array, mu: float) -> tuple[Array, Array]:
        """The maximum of f's terms at w less μ times the distance from (a, u)."""
        objective, mu_a, mu_u = self.objective, mu * self.theta_a, mu * self.theta_u
        r = s - objective.y + mu_a * a
        near = u + objective.lam / mu_u * w
        return objective.loss.smoothed_slopes(r, mu_a), objective.norm.project(near)

    def step(self) -> None:
        tau = 2 / (self.k + 3)
        kept = 1 - tau
        if self.k % 2 == 0:
            near = self.best_weights(self.v)
            w, s = kept * self.w + tau * near, kept * self.s + tau * self.scores(near)
            a, u = self.best_duals(w, s)
            v = self.pull(a, u)
            self.a, self.u = kept * self.a + tau * a, kept * self.u + tau * u
            self.v = kept * self.v + tau * v
            far = self.within(near - tau / (kept * self.mu1) * v)
            self.w, self.s = kept * self.w + tau * far, kept * self.s + tau * self.scores(far)
            self.mu1 *= kept
        else:
            a, u = self.best_duals(self.w, self.s)
            w = self.best_weights(kept * self.v + tau * self.pull(a, u))
            s = self.scores(w)
            self.w, self.s = kept * self.w + tau * w, kept * self.s + tau * s
            a, u = self.duals_near(a, u, w, s, kept * self.mu2 / tau)
            self.a, self.u = kept * self.a + tau * a, kept * self.u + tau * u
            self.v = kept * self.v + tau * self.pull(a, u)
            self.mu2 *= kept
        self.k += 1


def pdexg(objective: Objective, scales: Scales, scale: float) -> Iterator[Array]:
    """The weights of `ExcessiveGap`."""
    method = ExcessiveGap(objective, scales, scale)
    while True:
        method.step()
        yield method.w


Baseline = Callable[[Objective, Scales, float], Iterator[Any]]
BASELINES: dict[str, Baseline] = {
    "gd": gd,
    "FOBOS": fobos,
    "RDA": rda,
    "agd": agd,
    "Pdexg": pdexg,
}
