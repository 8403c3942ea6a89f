"""Regularized risks as composite functions: in the weights, also where the risk smooths itself, or
in the duals.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rrmlinear.core.cached import cached_property
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.regularizers.coordinates import Coordinates, coordinates_of
from rrmlinear.risks.base import Evaluation
from rrmlinear.solvers.gradient.composite import Euclidean
from rrmlinear.solvers.gradient.estimate_functions import EstimateFunctions
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.inner import Array, inner, weighted
from rrmlinear.solvers.loop.power import steepness
from rrmlinear.solvers.loop.tolerances import MIN_DIVISOR, MIN_LIPSCHITZ


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


class ColumnMetric:
    """Σ_j h_j w_j² / 2, h the diagonal of ∇²F that a risk gives: it does not depend on the scaling
    of columns. Ω is a sum over the coordinates, so that its prox is as short in it.
    """

    def __init__(self, diagonal: Array, omega: Coordinates) -> None:
        least = MIN_LIPSCHITZ * float(diagonal.max())
        #: h, and the modulus of Ω relative to it.
        self.lengths = np.maximum(diagonal, least)
        self.modulus = float((omega.modulus / self.lengths).min())
        self.omega = omega

    def lowest(self, gradient: Array, t: float, c: float, mirror: Array) -> Array:
        """As `Composite.lowest`."""
        steps = 1 / (c * self.lengths)
        return self.omega.prox(mirror - steps * gradient, t * steps)


def metric_of(risk: Any, regularizer: Regularizer) -> ColumnMetric | None:
    """The metric of a risk that gives its diagonal, for a sum over coordinates."""
    if getattr(risk, "diagonal", None) is None:
        return None
    omega = coordinates_of(regularizer, math.prod(risk.shape))
    if omega is None:
        return None
    diagonal = risk.diagonal()
    return ColumnMetric(diagonal, omega) if diagonal.any() else None


class InWeights:
    """What routes in the weights share: scores, and Ω in the prox, perhaps in a metric."""

    def __init__(
        self, risk: Any, regularizer: Regularizer, mu: float, metric: ColumnMetric | None = None
    ) -> None:
        self.risk, self.regularizer, self.mu, self.metric = risk, regularizer, mu, metric
        self.geometry = Euclidean() if metric is None else Euclidean(metric.lengths)
        self.lam2 = regularizer.modulus if metric is None else metric.modulus
        self.warm: Any = None  # the end of the risk's last search

    def image(self, w: Array) -> Array:
        return self.risk.scores(w)

    def rest(self, w: Array) -> float:
        return self.regularizer.value_of(w.ravel())

    def dot(self, gradient: Array, step: Array) -> float:
        return inner(gradient, step)

    def lowest(self, gradient: Array, t: float, c: float, mirror: Array) -> Array:
        if self.metric is not None:
            return self.metric.lowest(gradient, t, c, mirror)
        point = (mirror - gradient / c).ravel()
        return self.regularizer.prox_of(point, t / c).reshape(gradient.shape)


class PrimalRoute(InWeights):
    """J(w) = F_μ(w) + Ω(w) in w: Ω stands in the prox, and F is smoothed by μ times a `DualSquare`,

    F_μ(w) = max over α of −Σ c_i (m_i α_i + φ*(−α_i)) − μ square(α), m = Xw; it is F for μ = 0.
    """

    def __init__(
        self,
        risk: Any,
        regularizer: Regularizer,
        mu: float,
        square: DualSquare,
        known: Evaluation | None = None,
        metric: ColumnMetric | None = None,
    ) -> None:
        super().__init__(risk, regularizer, mu, metric)
        self.square = square
        self.known = known  # F, perhaps at the first point

    def first(self, start: Any) -> Array:
        """The weights ∇Ω*(Σ c_i α_i x_i) of duals, or 0 if Ω is not strongly convex."""
        if start is None or self.lam2 == 0:
            return np.zeros(self.risk.shape)
        vector = self.risk.gradient(start)
        return self.regularizer.primal_of(vector.ravel()).reshape(vector.shape)

    def lipschitz(self, bound: float) -> float:
        """L of F_μ by a bound of ‖diag(√c) X‖²."""
        curvature = self.mu * self.square.smallest
        slope = 1 / curvature if curvature else steepness(self.risk)
        return max(bound * slope, self.lam2, MIN_DIVISOR)

    def at(self, scores: Array) -> PrimalTangent:
        return PrimalTangent(self, scores)

    def gap(self, run: EstimateFunctions, best: Certificate) -> float:
        """The gap of the smoothed problem; offers points of the problem itself to ``best``."""
        at: Any = run.at
        best.offer_weights(run.x, best.at(run.image) if self.mu else at.evaluation)
        dual = best.offer_duals(run.tangent.dual, -run.tangent.gradient)
        if run.dual is not run.tangent.dual:
            dual = best.offer_duals(run.dual, -run.gradient)
        if self.mu:
            dual -= self.mu * self.square.value(run.dual)
        return run.value - dual


class PrimalTangent:
    """F_μ at scores; ``dual`` attains it."""

    def __init__(self, route: PrimalRoute, scores: Array) -> None:
        self.route, self.scores = route, scores

    @cached_property
    def evaluation(self) -> Evaluation:
        """F, for μ = 0."""
        known, self.route.known = self.route.known, None
        if known is not None and np.array_equal(known.scores, self.scores):
            return known
        return self.route.risk.at(self.scores, self.route.warm)

    @cached_property
    def value(self) -> float:
        route, risk = self.route, self.route.risk
        if route.mu == 0:
            value = self.evaluation.value
            route.warm = self.evaluation.warm
            return value
        linear = weighted(risk.costs, self.scores, self.dual)
        return -linear - risk.conjugate(self.dual) - route.mu * route.square.value(self.dual)

    @cached_property
    def dual(self) -> Array:
        """α(w)."""
        route = self.route
        if route.mu == 0:
            _, derivatives = self.evaluation.tangent()
            route.warm = self.evaluation.warm
            return -derivatives
        alphas, route.warm = route.risk.dual_steps(
            self.scores, route.square.centre, route.mu * route.square.ratios, route.warm
        )
        return alphas

    @cached_property
    def gradient(self) -> Array:
        return self.route.risk.gradient(-self.dual)

    def gradient_rise(self, other: PrimalTangent) -> float:
        """As `Tangent.gradient_rise`, from the scores and duals."""
        change = self.dual - other.dual
        return weighted(self.route.risk.costs, change, other.scores - self.scores) / 2


class DualRoute:
    """J(α) = Ω*(Σ c_i α_i x_i) + Σ c_i φ*(−α_i) + μ square(α) in α, of which all but Ω* stands in
    the prox. Gradients are scores of ∇Ω*: ⟨g, α⟩ = Σ c_i g_i α_i. d is the square itself.
    """

    def __init__(self, risk: Any, regularizer: Regularizer, mu: float, square: DualSquare) -> None:
        self.risk, self.regularizer, self.mu, self.square = risk, regularizer, mu, square
        self.geometry = Euclidean(square.weights)
        smoothing = risk.loss.smoothing
        if len(risk.shape) == 2:  # in blocks without the own class: rows sum to 0
            smoothing /= risk.shape[1]
        self.lam2 = smoothing / square.largest + mu
        self.warm: Any = None  # the end of the risk's last search

    def first(self, start: Any) -> Array:
        """The duals to start from, 0 by default."""
        if start is not None:
            return start
        n = self.risk.rows.shape[0]
        return np.zeros((n, *self.risk.shape[1:]))

    def lipschitz(self, bound: float) -> float:
        """L of Ω* of the sum, by a bound of ‖diag(√c) X‖²."""
        return max(bound / (self.square.smallest * self.regularizer.modulus), MIN_DIVISOR)

    def image(self, alphas: Array) -> Array:
        return self.risk.gradient(alphas)

    def at(self, vector: Array) -> DualTangent:
        return DualTangent(self, vector)

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
        alphas, self.warm = self.risk.dual_steps(
            gradient / t, centre, curvature * self.square.ratios, self.warm
        )
        return alphas

    def gap(self, run: EstimateFunctions, best: Certificate) -> float:
        """As `PrimalRoute.gap`."""
        best.offer_duals(run.x, run.image)
        primal = best.offer_weights(run.tangent.dual, best.at(run.tangent.gradient))
        if run.dual is not run.tangent.dual:
            primal = best.offer_weights(run.dual, best.at(run.gradient))
        if not self.mu:
            return primal + run.value
        smoothed = PrimalRoute(self.risk, self.regularizer, self.mu, self.square)
        smoothed.warm = self.warm
        return smoothed.at(run.gradient).value + smoothed.rest(run.dual) + run.value


class DualTangent:
    """Ω* at v = Σ c_i α_i x_i; the dual point is w = ∇Ω*(v), the gradient its scores."""

    def __init__(self, route: DualRoute, vector: Array) -> None:
        self.route, self.vector = route, vector

    @cached_property
    def value(self) -> float:
        return self.route.regularizer.conjugate_of(self.vector.ravel())

    @cached_property
    def dual(self) -> Array:
        regularizer = self.route.regularizer
        return regularizer.primal_of(self.vector.ravel()).reshape(self.vector.shape)

    @cached_property
    def gradient(self) -> Array:
        return self.route.risk.scores(self.dual)

    def gradient_rise(self, other: DualTangent) -> float:
        """As `Tangent.gradient_rise`."""
        return inner(other.dual - self.dual, other.vector - self.vector) / 2


class SmoothedRoute(InWeights):
    """J(w) = F_μ(w) + Ω(w) in w, F_μ = ``risk.smoothed(mu)``, with Ω in the prox.

    The dual point of a tangent holds α = −F_μ' at the scores s, and last F_μ*(−α), which Fenchel's
    equality gives: −⟨s, α⟩ − F_μ(s). The last entry of a mean is a bound of F_μ* from above.
    """

    def __init__(
        self, risk: Any, regularizer: Regularizer, mu: float, metric: ColumnMetric | None = None
    ) -> None:
        super().__init__(risk, regularizer, mu, metric)
        self.smooth = risk.smoothed(mu)

    def first(self, start: Any) -> Array:
        """The weights 0."""
        return np.zeros(self.risk.shape)

    def lipschitz(self, bound: float) -> float:
        """A guess of L by a bound of ‖diag(√c) X‖², as if labels were drawn one by one."""
        return max(bound / (4 * self.mu), self.lam2, MIN_DIVISOR)

    def at(self, scores: Array) -> SmoothedTangent:
        return SmoothedTangent(self, scores)

    def gap(self, run: EstimateFunctions, best: Certificate) -> float:
        """The gap of the smoothed problem; offers points of the problem itself to ``best``."""
        best.offer_weights(run.x, best.at(run.image))
        duals = [(run.tangent.dual, -run.tangent.gradient)]
        if run.dual is not run.tangent.dual:
            duals.append((run.dual, -run.gradient))
        for point, vector in duals:
            best.offer_duals(point[:-1].reshape(run.image.shape), vector)
        scale = self.regularizer.dual_scale_of(vector.ravel())
        conjugate = self.regularizer.conjugate_of(scale * vector.ravel())
        # F_μ*(0) ≤ 0: a multiple t α has F_μ* of at most t times that of α
        return run.value + scale * float(duals[-1][0][-1]) + conjugate


class SmoothedTangent:
    """F_μ at scores."""

    def __init__(self, route: SmoothedRoute, scores: Array) -> None:
        self.route, self.scores = route, scores
        self.evaluation = route.smooth.at(scores)

    @cached_property
    def value(self) -> float:
        return float(self.evaluation.value)

    @cached_property
    def dual(self) -> Array:
        derivatives = self.evaluation.derivatives
        linear = weighted(self.route.risk.costs, self.scores, derivatives)
        return np.append(-derivatives.ravel(), linear - self.value)

    @cached_property
    def gradient(self) -> Array:
        return self.route.risk.gradient(self.evaluation.derivatives)

    def gradient_rise(self, other: SmoothedTangent) -> float:
        """As `Tangent.gradient_rise`."""
        change = other.evaluation.derivatives - self.evaluation.derivatives
        return weighted(self.route.risk.costs, change, other.scores - self.scores) / 2
