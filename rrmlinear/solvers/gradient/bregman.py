"""Bregman divergences: Δ(x, y) = d(x) − d(y) − ⟨∇d(y), x − y⟩ of a σ-strongly convex d."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from rrmlinear.solvers.loop.inner import Array, weighted
from rrmlinear.solvers.loop.tolerances import MIN_DIVISOR

# The logarithm used for numbers below the smallest one.
LOWEST_LOGARITHM = float(np.log(MIN_DIVISOR))


class Divergence(Protocol):
    """A divergence Δ. In its ``mirror`` coordinates centres are averages:

    Σ c_i Δ(x, x_i) = (Σ c_i) Δ(x, x̄) + constant with mirror(x̄) the mean, by c_i, of mirror(x_i).
    """

    sigma: float

    def mirror(self, x: Array) -> Array: ...

    def divergence(self, x: Array, mirror: Array) -> float:
        """Δ(x, y) by y's mirror coordinates, where y need not lie in the domain of a Ψ."""
        ...

    def squared_norm(self, step: Array) -> float:
        """‖step‖², of the norm in which d is σ-strongly convex."""
        ...

    def turn(self, u: Array, x: Array, last: Array) -> float:
        """⟨∇d(u) − ∇d(x), x − last⟩: positive where a step from u to x goes against x − last."""
        ...


class Euclidean:
    """d(x) = ½ Σ b_i x_i², b ≥ 0, 1-strongly convex in its own norm."""

    sigma = 1.0

    def __init__(self, weights: Array | float = 1.0) -> None:
        self.weights = weights

    def mirror(self, x: Array) -> Array:
        return x

    def divergence(self, x: Array, mirror: Array) -> float:
        return self.squared_norm(x - mirror) / 2

    def squared_norm(self, step: Array) -> float:
        return weighted(self.weights, step, step)

    def turn(self, u: Array, x: Array, last: Array) -> float:
        return weighted(self.weights, u - x, x - last)
