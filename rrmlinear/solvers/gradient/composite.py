"""J = f + Ψ over arrays, as the accelerated gradient methods take it."""

from __future__ import annotations

from typing import Any, Protocol

from rrmlinear.solvers.loop.inner import Array


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
