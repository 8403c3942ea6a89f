"""What Newton's method takes in place of a regularizer: smooth and strongly convex models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.regularizers.coordinates import Coordinates
from rrmlinear.regularizers.prox_jacobians import prox_jacobian
from rrmlinear.solvers.loop.tolerances import MIN_DIVISOR, MIN_SMOOTHING

Array = NDArray[np.float64]


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


class CoordinateModel(Penalty):
    """Σ_j (s_j/2) w_j² and max over z' of Σ_j z_j' w_j − R_j*(z_j') − (z_j' − z_j)² / (2 κ_j); R_j
    is l1_j |w_j| within bounds.

    z are the duals, subgradients of R, and κ_j the stiffness: where R's prox has w_j at 0 or at a
    bound, it is held there by a spring of that stiffness. Weights of s_j = l1_j = 0, which have no
    penalty, are exact within their bounds.
    """

    def __init__(
        self, regularizer: Regularizer, numbers: Coordinates, z: Array, stiffness: Array
    ) -> None:
        super().__init__(regularizer)
        self.numbers, self.stiffness = numbers, stiffness
        self.modulus: Any = numbers.modulus.reshape(z.shape)
        self.l1 = numbers.l1.reshape(z.shape)
        self.z = np.clip(z, -self.l1, self.l1)
        self.growth, self.most = 1.0, 1 / MIN_SMOOTHING
        self.is_exact = numbers.is_square_beside_free

    def _split(self, w: Array) -> tuple[Array, Array, Array]:
        """z' at w, the weights whose subgradients these are, and whether they are held."""
        y = self.z + self.stiffness * w
        z = np.clip(y, -self.l1, self.l1)
        free = (y - z) / self.stiffness
        within = np.clip(free.ravel(), self.numbers.lower, self.numbers.upper).reshape(z.shape)
        beyond = free - within
        return z + self.stiffness * beyond, within, (np.abs(y) < self.l1) | (beyond != 0)

    def gradient(self, w: Array) -> Array:
        return self.modulus * w + self._split(w)[0]

    def curvature(self, w: Array) -> Array:
        z, _, is_held = self._split(w)
        if self.numbers.is_square_beside_free:
            self.is_exact = not (self.z.any() or z.any())
        return np.asarray(self.modulus + self.stiffness * is_held).ravel()

    def along(self, w: Array, direction: Array) -> Callable[[float], float]:
        return lambda t: float(np.vdot(self.gradient(w + t * direction), direction))

    def square(self, away: Array) -> float:
        # the price of a dual beside bounds is their distance
        s, prices = self.modulus, 2 * self.numbers.upper.reshape(away.shape) * np.abs(away)
        return float(np.where(s > 0, away**2 / np.where(s > 0, s, 1.0), prices).sum())

    def distance(self, w: Array) -> float:
        change = self._split(w)[0] - self.z
        return float(np.vdot(change, change / self.stiffness)) / 2

    def point(self, w: Array, vector: Array) -> Array:
        s, of_duals = self.modulus, vector - np.clip(vector, -self.l1, self.l1)
        return np.where(s > 0, of_duals / np.where(s > 0, s, 1.0), self._split(w)[1])

    def update(self, w: Array, growth: float) -> None:
        self.z = self._split(w)[0]
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
        curvatures = self.model.modulus + max(self.proximity, MIN_DIVISOR) * self.metric
        return float(np.vdot(away, away / curvatures))

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
