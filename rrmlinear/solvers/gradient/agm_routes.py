"""Regularized risks as composite functions: in the weights, or in the duals."""

from __future__ import annotations

from typing import Any

import numpy as np

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.gradient.bregman import Euclidean
from rrmlinear.solvers.gradient.composite import EstimateFunctions, Tangent
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.inner import Array, inner, weighted
from rrmlinear.solvers.loop.tolerances import SMALLEST


class DualSquare:
    """½ Σ c_i r_i (α_i − centre_i)², the prox-function of duals; r = ``ratios``, n of them or 1."""

    def __init__(self, risk: Any, ratios: Array | None = None) -> None:
        self.ratios: Any = 1.0 if ratios is None else ratios
        self.smallest = 1.0 if ratios is None else float(ratios.min())
        self.largest = 1.0 if ratios is None else float(ratios.max())
        shape = risk.costs.shape
        self.weights = risk.costs if ratios is None else risk.costs * ratios.reshape(shape)
        self.centre: Any = 0.0

    def value(self, alphas: Array) -> float:
        away = alphas - self.centre
        return weighted(self.weights, away, away) / 2


class PrimalRoute:
    """J(w) = F_μ(w) + Ω(w) in w: Ω stands in the prox, and F is smoothed by μ times a `DualSquare`,

    F_μ(w) = max over α of −Σ c_i (m_i α_i + φ*(−α_i)) − μ square(α), m = Xw; it is F for μ = 0.
    """

    def __init__(self, risk: Any, regularizer: Regularizer, mu: float, square: DualSquare) -> None:
        self.risk, self.regularizer, self.mu, self.square = risk, regularizer, mu, square
        self.geometry = Euclidean()
        self.lam2 = regularizer.modulus

    def first(self, start: Any) -> Array:
        """The weights that belong to duals, where they determine them."""
        if start is None or self.lam2 == 0:
            return np.zeros(self.risk.shape)
        vector = self.risk.gradient(start)
        return self.regularizer.primal_of(vector.ravel()).reshape(vector.shape)

    def steepness(self, bound: float) -> float:
        """L of F_μ by a bound of ‖diag(√c) X‖²."""
        curvature = self.mu * self.square.smallest or self.risk.loss.smoothing
        return max(bound / curvature, self.lam2, SMALLEST)

    def image(self, w: Array) -> Array:
        return self.risk.scores(w)

    def alphas(self, scores: Array) -> Array:
        """α(w)."""
        if self.mu == 0:
            return -self.risk.derivatives(scores)
        return self.risk.dual_steps(scores, self.square.centre, self.mu * self.square.ratios)

    def smooth(self, scores: Array) -> float:
        return self._at(scores, self.alphas(scores) if self.mu else scores)

    def _at(self, scores: Array, alphas: Array) -> float:
        if self.mu == 0:
            return self.risk.value(scores)
        linear = weighted(self.risk.costs, scores, alphas)
        return -linear - self.risk.conjugate(alphas) - self.mu * self.square.value(alphas)

    def tangent(self, scores: Array) -> Tangent:
        alphas = self.alphas(scores)
        return Tangent(self._at(scores, alphas), self.risk.gradient(-alphas), alphas)

    def bend(self, scores: Array, tangent: Tangent, other: Array) -> float:
        return weighted(self.risk.costs, tangent.dual - self.alphas(other), other - scores) / 2

    def rest(self, w: Array) -> float:
        return self.regularizer.value_of(w.ravel())

    def dot(self, gradient: Array, step: Array) -> float:
        return inner(gradient, step)

    def lowest(self, gradient: Array, t: float, c: float, mirror: Array) -> Array:
        point = (mirror - gradient / c).ravel()
        return self.regularizer.prox_of(point, t / c).reshape(gradient.shape)

    def gap(self, run: EstimateFunctions, best: Certificate) -> float:
        """Of the problem that is smoothed; ``best`` sees both sides of the other."""
        best.offer_weights(run.x, run.image)
        best.offer_duals(run.tangent.dual, -run.tangent.gradient)
        dual = best.offer_duals(run.dual, -run.slope)
        if self.mu:
            dual -= self.mu * self.square.value(run.dual)
        return run.value - dual


class DualRoute:
    """J(α) = Ω*(Σ c_i α_i x_i) + Σ c_i φ*(−α_i) + μ square(α) in α, of which all but Ω* stands in
    the prox. Gradients are scores of ∇Ω*: ⟨g, α⟩ = Σ c_i g_i α_i. d is the square itself.
    """

    def __init__(self, risk: Any, regularizer: Regularizer, mu: float, square: DualSquare) -> None:
        self.risk, self.regularizer, self.mu, self.square = risk, regularizer, mu, square
        self.geometry = Euclidean(square.weights)
        smoothing = risk.loss.smoothing
        if len(risk.shape) == 2:  # of blocks without the own class, whose dual is minus their sum
            smoothing /= risk.shape[1]
        self.lam2 = smoothing / square.largest + mu

    def first(self, start: Any) -> Array:
        """The duals to start from, 0 by default."""
        if start is not None:
            return start
        n = self.risk.rows.shape[0]
        return np.zeros((n, *self.risk.shape[1:]))

    def steepness(self, bound: float) -> float:
        """L of Ω* of the sum, by a bound of ‖diag(√c) X‖²."""
        return max(bound / (self.square.smallest * self.regularizer.modulus), SMALLEST)

    def image(self, alphas: Array) -> Array:
        return self.risk.gradient(alphas)

    def smooth(self, vector: Array) -> float:
        return self.regularizer.conjugate_of(vector.ravel())

    def tangent(self, vector: Array) -> Tangent:
        w = self.regularizer.primal_of(vector.ravel()).reshape(vector.shape)
        return Tangent(self.smooth(vector), self.risk.scores(w), w)

    def bend(self, vector: Array, tangent: Tangent, other: Array) -> float:
        w = self.regularizer.primal_of(other.ravel()).reshape(other.shape)
        return inner(w - tangent.dual, other - vector) / 2

    def rest(self, alphas: Array) -> float:
        total = self.risk.conjugate(alphas)
        return total + self.mu * self.square.value(alphas) if self.mu else total

    def dot(self, gradient: Array, step: Array) -> float:
        return weighted(self.risk.costs, gradient, step)

    def lowest(self, gradient: Array, t: float, c: float, mirror: Array) -> Array:
        curvature, centre = c / t, mirror
        if self.mu:
            curvature += self.mu
            centre = mirror + self.mu / curvature * (self.square.centre - mirror)
        return self.risk.dual_steps(gradient / t, centre, curvature * self.square.ratios)

    def gap(self, run: EstimateFunctions, best: Certificate) -> float:
        """As `PrimalRoute.gap`."""
        best.offer_duals(run.x, run.image)
        best.offer_weights(run.tangent.dual, run.tangent.gradient)
        primal = best.offer_weights(run.dual, run.slope)
        if not self.mu:
            return primal + run.value
        smoothed = PrimalRoute(self.risk, self.regularizer, self.mu, self.square)
        return smoothed.smooth(run.slope) + smoothed.rest(run.dual) + run.value
