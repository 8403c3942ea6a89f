"""Step sizes of AGM-EF: the scalar recurrences of estimate functions, as pure functions.

J = f + Ψ, f λ₁-strongly convex and Ψ λ₂-strongly convex with respect to a Bregman divergence of a
σ-strongly convex function, f L-smooth, λ = λ₁ + λ₂. Source: Zhang, Saha and Vishwanathan,
Regularized Risk Minimization by Nesterov's Accelerated Gradient Methods, algorithms 1 and 3.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class Pace(NamedTuple):
    """Changes of L: times ``rise`` after a failed trial, divided by ``fall`` after a step. If both
    are 1, L is fixed and trials are not tested. With ``restarts`` the momentum restarts where it
    points uphill.
    """

    rise: float = 2.0
    fall: float = 1.1
    restarts: bool = False

    @property
    def adaptive(self) -> bool:
        return self.rise > 1


FIXED = Pace(1.0, 1.0)


class Constants(NamedTuple):
    """Constants that a method relies on: moduli of f and Ψ, and σ of the Bregman function."""

    lam1: float = 0.0
    lam2: float = 0.0
    sigma: float = 1.0

    @property
    def lam(self) -> float:
        """λ = λ₁ + λ₂, the modulus of J."""
        return self.lam1 + self.lam2


class Step(NamedTuple):
    """A step of weight a: u = (1 − ``to_z``) x + ``to_z`` z, x⁺ = (1 − ``share``) x + ``share`` z⁺.

    ``weight`` is A + a of the ∞-memory method, c⁺ of the 1-memory method.
    """

    a: float
    weight: float
    share: float
    to_z: float


def infinite_memory_step(A: float, L: float, constants: Constants) -> Step:
    """The step after weights that sum to A ≥ 0, for L > σ λ₁.

    a is the positive root of (a + A)(λ₁ a + λ A + 1) + a λ₂ A = (L/σ) a².
    """
    lam1, lam2, sigma = constants
    lam = constants.lam
    curvature, line = L / sigma - lam1, 2 * lam * A + 1
    if not curvature > 0:
        raise ValueError(f"L must be above σ λ₁ = {sigma * lam1}, got {L}")
    a = (line + math.sqrt(line * line + 4 * curvature * A * (lam * A + 1))) / (2 * curvature)
    tau1, tau2, tau3 = 1 + lam * A, lam1 * a, lam2 * a * A / (A + a)
    tau = tau1 + tau2 + tau3
    return Step(a, A + a, a / (A + a), a * tau1 / (tau * (A + a) - tau2 * a))


def first_memory(L: float, constants: Constants) -> float:
    """c₀ of the 1-memory method."""
    return L / constants.sigma + constants.lam2


def one_memory_step(c: float, L: float, constants: Constants) -> Step:
    """The step after the model q(x) = cΔ(x, z) + q(z), c ≥ λ.

    a is the positive root of σ (1 − a)(c + λ₂ a) + σ λ₁ a = L a², below 1 where L > σ λ₁.
    """
    lam1, lam2, sigma = constants
    excess, curvature = c - constants.lam, L / sigma + lam2
    a = 2 * c / (excess + math.sqrt(excess * excess + 4 * curvature * c))
    tau1, tau2, tau3 = (1 - a) * c, lam1 * a, lam2 * a * (1 - a)
    tau = tau1 + tau2 + tau3
    return Step(a, (1 - a) * c + constants.lam * a, a, tau1 * a / (tau - tau2 * a))
