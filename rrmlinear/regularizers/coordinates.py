"""Regularizers that are sums over the coordinates of w, by numbers of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.cached import cached_property
from rrmlinear.regularizers.base import BesideIntercept, Regularizer
from rrmlinear.regularizers.bounded import Bounded, Unpenalized

Array = NDArray[np.float64]


@dataclass
class Coordinates:
    """Σ_j (modulus_j/2) w_j² + l1_j |w_j| where lower ≤ w ≤ upper, n numbers of each kind."""

    modulus: Array
    l1: Array
    lower: Array
    upper: Array

    @property
    def is_square_beside_free(self) -> bool:
        """Whether it is Σ_j (modulus_j/2) w_j², and bounds alone of the weights of modulus 0."""
        has_bounds = np.isfinite(self.lower) | np.isfinite(self.upper)
        return not self.l1.any() and bool((has_bounds == (self.modulus == 0)).all())

    @cached_property
    def has_l1(self) -> NDArray[np.bool_]:
        """Which weights have a 1-norm."""
        return self.l1 > 0

    @cached_property
    def limit(self) -> Array:
        """The upper bounds of weights without a 1-norm."""
        return np.where(self.has_l1, np.inf, self.upper)

    @cached_property
    def sign(self) -> float:
        """1 or −1 where that is the sign of all weights, each of which has a 1-norm; else 0."""
        for sign, zero, end in ((1.0, self.lower, self.upper), (-1.0, self.upper, self.lower)):
            if (self.has_l1 & (zero == 0) & (end == sign * np.inf)).all():
                return sign
        return 0.0

    @property
    def has_simple_bounds(self) -> bool:
        """Whether bounds are ±limit of weights without a penalty alone, or 0 of all weights."""
        is_free = ~self.has_l1 & (self.modulus == 0)
        ends = (self.lower == -self.upper) & (np.isinf(self.upper) | is_free)
        return bool(ends.all()) or self.sign != 0

    @property
    def is_net(self) -> bool:
        """Whether each weight with a 1-norm has a squared norm too."""
        return bool(self.modulus[self.has_l1].all())

    def sizes(self, pulls: Array) -> Array:
        """How far each weight is pulled from 0."""
        return np.maximum(self.sign * pulls, 0.0) if self.sign else np.abs(pulls)

    def prox(self, y: Array, steps: Array) -> Array:
        """The w of least Σ_j (w_j − y_j)²/2 + steps_j Ω_j(w_j)."""
        sizes = np.maximum(np.abs(y) - steps * self.l1, 0.0) / (1 + steps * self.modulus)
        found: Array = np.clip(np.copysign(sizes, y), self.lower, self.upper)
        return found


def coordinates_of(omega: Regularizer, n: int) -> Coordinates | None:
    """The numbers of the n coordinates of a regularizer; None where these meet."""
    ends = np.full(n, -np.inf), np.full(n, np.inf)
    if omega.quadratic_l1 is not None:
        return Coordinates(np.full(n, omega.modulus), np.full(n, omega.quadratic_l1), *ends)
    if not isinstance(omega, (Bounded, Unpenalized, BesideIntercept)):
        return None
    kind: Any = omega
    found = coordinates_of(kind.inner, n)
    if found is None:
        return None
    if isinstance(omega, BesideIntercept):
        found.l1[-1] = 0.0
    elif isinstance(omega, Bounded):
        found.modulus *= omega.factors
        found.l1 *= omega.factors
        found.lower = np.maximum(ends[0], omega.lower)
        found.upper = np.minimum(ends[1], omega.upper)
    else:
        free = kind.indices
        found.modulus[free] = found.l1[free] = 0.0
        found.lower[free], found.upper[free] = -omega.limit, omega.limit
    return found
