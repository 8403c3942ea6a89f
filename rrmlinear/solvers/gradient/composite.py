"""J = f + Ψ over arrays, as accelerated gradient methods take it, and Bregman divergences."""

from __future__ import annotations

from typing import Any, Protocol

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


class Tangent(Protocol):
    """f at a point u. Each quantity is computed at its first use and kept."""

    @property
    def value(self) -> float: ...

    @property
    def gradient(self) -> Array: ...

    @property
    def dual(self) -> Any:
        """The y at which f(u) = max_y φ(u, y) is attained, if f is such a maximum."""
        ...

    def gradient_rise(self, other: Any) -> float:
        """½ ⟨∇f(u') − ∇f(u), u' − u⟩, u' another point."""
        ...


class Composite(Protocol):
    """J(x) = f(x) + Ψ(x), where f is a function of K x, ``image(x)``, K linear.

    ∇f(u) is a linear function of the dual point y(u) where there is one.
    """

    def image(self, x: Array) -> Array: ...

    def at(self, image: Array) -> Tangent:
        """f there."""
        ...

    def rest(self, x: Array) -> float:
        """Ψ."""
        ...

    def dot(self, gradient: Array, step: Array) -> float:
        """⟨gradient, step⟩."""
        ...

    def lowest(self, gradient: Array, t: float, c: float, mirror: Array) -> Array:
        """argmin ⟨gradient, x⟩ + t Ψ(x) + c Δ(x, y), y by its mirror coordinates."""
        ...


def between(a: Array, b: Array, share: float) -> Array:
    """(1 − share) a + share b."""
    return a if share == 0 else b if share == 1 else a + share * (b - a)


def mixed(old: Any, new: Any, share: float) -> Any:
    """`between`, or ``new`` where ``old`` is None."""
    return new if old is None or new is None else between(old, new, share)
