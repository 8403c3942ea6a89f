"""The primal route of a risk that smooths itself, such as one of labellings or of sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from rrmlinear.core.cached import cached_property
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.gradient.agm_routes import ColumnMetric, InWeights
from rrmlinear.solvers.gradient.estimate_functions import EstimateFunctions
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.inner import Array, weighted
from rrmlinear.solvers.loop.tolerances import MIN_DIVISOR


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
