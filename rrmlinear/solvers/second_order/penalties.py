"""What Newton's method takes in place of a regularizer: smooth and strongly convex models."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.regularizers.prox_jacobians import prox_jacobian
from rrmlinear.solvers.loop.tolerances import MIN_DIVISOR, MIN_SMOOTHING

Array = NDArray[np.float64]

# The first proximal term of weights that give scores of the first mean size is this fraction of the
# first gap.
FIRST_PROXIMITY = 0.1


class Penalty:
    """(s/2)‖w‖² and a model Ψ of the rest of Ω. Here there is no rest."""

    #: Whether it is Ω itself.
    is_exact = True
    #: Whether it has proximal points.
    is_proximal = False

    def __init__(self, regularizer: Regularizer) -> None:
        self.regularizer, self.modulus = regularizer, regularizer.modulus

    def gradient(self, w: Array) -> Array:
        """The gradient at w."""
        return self.modulus * w

    def curvature(self, w: Array) -> Array:
        """The second derivative at w: its diagonal, or a matrix over the entries of w."""
        return np.full(w.size, self.modulus)

    def along(self, w: Array, direction: Array) -> Callable[[float], float]:
        """The derivative by t at w + t · ``direction``, as a function of t."""
        linear = float(np.vdot(w, direction)) * self.modulus
        square = float(np.vdot(direction, direction)) * self.modulus
        return lambda t: linear + t * square

    def square(self, away: Array) -> float:
        """‖away‖² in the inverse of the least curvature: twice a bound of how far a point with this
        gradient is above the minimum.
        """
        return float(np.vdot(away, away)) / self.modulus

    def distance(self, w: Array) -> float:
        """How much of the model's value at w is due to its duals and centre being wrong."""
        return 0.0

    def point(self, w: Array, vector: Array) -> Array:
        """Weights that are offered for the end of an inner problem at w, v = ``vector``."""
        return self.regularizer.primal_of(vector.ravel()).reshape(w.shape)

    def update(self, w: Array, growth: float) -> None:
        """Take the duals and the centre that w gives, and a model nearer to Ω by ``growth``."""

    def soften(self, factor: float, for_good: bool) -> None:
        """Take a model that is by this factor softer; a harder one never again, if ``for_good``."""


class AbsoluteWeights(Penalty):
    """(s/2)‖w‖² and max over |z'| ≤ l1 of Σ_j z_j' w_j − (z_j' − z_j)² / (2 κ_j).

    z are the duals, the subgradients of l1 |w_j|, and κ_j the stiffness: where |z_j'| < l1, w_j is
    held near 0 by a spring of that stiffness.
    """

    is_exact = False

    def __init__(self, regularizer: Regularizer, z: Array, stiffness: Array) -> None:
        super().__init__(regularizer)
        self.l1 = float(regularizer.quadratic_l1 or 0.0)
        self.z, self.stiffness = np.clip(z, -self.l1, self.l1), stiffness
        self.growth, self.most = 1.0, 1 / MIN_SMOOTHING

    def subgradient(self, w: Array) -> Array:
        """z' at w."""
        return np.clip(self.z + self.stiffness * w, -self.l1, self.l1)

    def gradient(self, w: Array) -> Array:
        return self.modulus * w + self.subgradient(w)

    def curvature(self, w: Array) -> Array:
        is_held = np.abs(self.z + self.stiffness * w) < self.l1
        return np.asarray(self.modulus + self.stiffness * is_held).ravel()

    def along(self, w: Array, direction: Array) -> Callable[[float], float]:
        quadratic = super().along(w, direction)
        return lambda t: (
            quadratic(t) + float(np.vdot(self.subgradient(w + t * direction), direction))
        )

    def distance(self, w: Array) -> float:
        change = self.subgradient(w) - self.z
        return float(np.vdot(change, change / self.stiffness)) / 2

    def point(self, w: Array, vector: Array) -> Array:
        if self.modulus > 0:
            return super().point(w, vector)
        away = w + (self.z - self.subgradient(w)) / self.stiffness
        return np.where(np.abs(self.subgradient(w)) < self.l1, 0.0, away)

    def update(self, w: Array, growth: float) -> None:
        self.z = self.subgradient(w)
        self.stiffness = self.stiffness * min(growth, self.most / self.growth)
        self.growth = min(self.growth * growth, self.most)

    def soften(self, factor: float, for_good: bool) -> None:
        self.stiffness, self.growth = self.stiffness / factor, self.growth / factor
        if for_good:
            self.most = self.growth


class Envelope(Penalty):
    """max over u' of ⟨u', w⟩ − Ω*(u') − ‖u' − u‖² / (2 κ), for any Ω with a prox.

    u are the duals, a subgradient of Ω. u' = κ (y − p), y = w + u/κ and p the prox of Ω/κ at y.
    """

    is_exact = False

    def __init__(self, regularizer: Regularizer, u: Array, stiffness: float) -> None:
        super().__init__(regularizer)
        self.u, self.stiffness = u - self._prox(u, 1.0), stiffness
        self.most = stiffness / MIN_SMOOTHING

    @classmethod
    def at(cls, regularizer: Regularizer, u: Array, typical: Array, value: float) -> Envelope:
        """That of a stiffness for weights of a ``typical`` size, a ``value`` where Ω has none."""
        of_typical = regularizer.value_of(typical.ravel())
        value = of_typical if 0 < of_typical < np.inf else value
        stiffness = value / max(float(np.vdot(typical, typical)), MIN_DIVISOR)
        return cls(regularizer, u, max(stiffness, MIN_DIVISOR))

    def _prox(self, y: Array, step: float) -> Array:
        return self.regularizer.prox_of(y.ravel(), step).reshape(y.shape)

    def gradient(self, w: Array) -> Array:
        y = w + self.u / self.stiffness
        return self.stiffness * (y - self._prox(y, 1 / self.stiffness))

    def curvature(self, w: Array) -> Array:
        y = (w + self.u / self.stiffness).ravel()
        slopes = prox_jacobian(self.regularizer, y, 1 / self.stiffness)
        if slopes.ndim == 1:
            return self.stiffness * (1 - slopes)
        slopes *= -self.stiffness
        slopes.flat[:: len(slopes) + 1] += self.stiffness
        return slopes

    def along(self, w: Array, direction: Array) -> Callable[[float], float]:
        return lambda t: float(np.vdot(self.gradient(w + t * direction), direction))

    def distance(self, w: Array) -> float:
        change = self.gradient(w) - self.u
        return float(np.vdot(change, change)) / (2 * self.stiffness)

    def point(self, w: Array, vector: Array) -> Array:
        return self._prox(w + self.u / self.stiffness, 1 / self.stiffness)

    def update(self, w: Array, growth: float) -> None:
        self.u, self.stiffness = self.gradient(w), min(self.stiffness * growth, self.most)

    def soften(self, factor: float, for_good: bool) -> None:
        self.stiffness /= factor
        if for_good:
            self.most = self.stiffness


class ProximalPoints(Penalty):
    """A model of Ω without a squared norm, and (μ/2) Σ_j m_j (w_j − c_j)²: proximal points."""

    is_exact, is_proximal = False, True

    def __init__(self, model: Penalty, metric: Array, proximity: float) -> None:
        super().__init__(model.regularizer)
        self.model, self.metric, self.proximity = model, metric, proximity
        self.least = MIN_SMOOTHING * proximity
        self.centre = np.zeros(metric.shape)

    def _pull(self, w: Array) -> Array:
        pull: Array = self.proximity * self.metric * (w - self.centre)
        return pull

    def gradient(self, w: Array) -> Array:
        return self.model.gradient(w) + self._pull(w)

    def curvature(self, w: Array) -> Array:
        result, own = self.model.curvature(w), self.proximity * self.metric.ravel()
        if result.ndim == 1:
            return result + own
        result.flat[:: len(result) + 1] += own
        return result

    def along(self, w: Array, direction: Array) -> Callable[[float], float]:
        of_model = self.model.along(w, direction)
        linear = float(np.vdot(self._pull(w), direction))
        square = self.proximity * float(np.vdot(direction, self.metric * direction))
        return lambda t: of_model(t) + linear + t * square

    def square(self, away: Array) -> float:
        return float(np.vdot(away, away / self.metric)) / max(self.proximity, MIN_DIVISOR)

    def distance(self, w: Array) -> float:
        return self.model.distance(w) + float(np.vdot(self._pull(w), w - self.centre)) / 2

    def point(self, w: Array, vector: Array) -> Array:
        return self.model.point(w, vector)

    def update(self, w: Array, growth: float) -> None:
        self.model.update(w, growth)
        self.centre, self.proximity = w, max(self.proximity / growth, self.least)

    def soften(self, factor: float, for_good: bool) -> None:
        self.model.soften(factor, for_good)
        self.proximity *= factor
        if for_good:
            self.least = self.proximity
