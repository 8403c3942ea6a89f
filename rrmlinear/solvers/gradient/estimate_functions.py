"""AGM-EF: accelerated gradient methods by estimate functions, for any f + Ψ over arrays."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rrmlinear.solvers.gradient.composite import Composite, Divergence, Tangent, between, mixed
from rrmlinear.solvers.loop.inner import Array
from rrmlinear.solvers.loop.steps import Backtracking, is_uphill, is_visible
from rrmlinear.solvers.loop.tolerances import DERIVATIVE_TEST_SLACK, FEW_ROUNDINGS, MIN_LIPSCHITZ


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


# Largest A: there the first term of the estimate function is rounding, and the method restarts.
MAX_WEIGHT = 1e150


class EstimateFunctions:
    """minimize J = f + Ψ over x, from x₀ in the domain of Ψ, by trials of one step each.

    State: ``x``, ``z`` and their images; f at x in ``at`` and J(x) in ``value``; the mean of the
    tangents in ``dual`` and ``gradient``; ``steps`` since the start or the last restart. f is
    L-smooth in the norm of ``geometry``; where ``pace`` is adaptive L is a first guess.

    Test of a trial: A J(x⁺) ≤ min ψ⁺ or J(x⁺) ≤ min q⁺. If rounding hides these, the test is that
    the gradient of f rises from u to x⁺ by no more than L allows.
    """

    z: Array

    def __init__(
        self,
        problem: Composite,
        geometry: Divergence,
        x: Array,
        L: float,
        constants: Constants,
        pace: Pace,
    ) -> None:
        self.problem, self.geometry, self.pace = problem, geometry, pace
        self.trial = Backtracking(L, MIN_LIPSCHITZ * L, pace.rise, pace.fall)
        self.constants = constants
        self.uphill = 0
        image = problem.image(x)
        self.at = problem.at(image)
        self.value = self.at.value + problem.rest(x)
        self._begin(x, image)

    @property
    def L(self) -> float:
        """The Lipschitz constant of the next trial."""
        return self.trial.L

    def _begin(self, x: Array, image: Array) -> None:
        self.x, self.image = x, image
        self.steps = 0
        self.lower = 0.0  # the minimum of the estimate function
        self.dual: Any = None
        self.gradient: Any = None  # None before the first step
        self._start(x, image)

    def _start(self, x: Array, image: Array) -> None:
        raise TypeError(f"{type(self).__name__} has no estimate function")

    def advance(self) -> bool:
        """One trial: one tangent and one image. Whether the step was taken."""
        raise TypeError(f"{type(self).__name__} has no trial")

    def _tangent(self, image: Array) -> Tangent:
        # f at u, which is x where z is
        return self.at if self.z is self.x else self.problem.at(image)

    def _served(self, served: bool, tangent: Tangent, u: Array, x: Array, at: Tangent) -> bool:
        # The test by values or, if rounding hides it, by gradients.
        square = self.L / 2 * self.geometry.squared_norm(x - u)
        if is_visible(square, tangent.value, self.value):
            return served
        most = square * (1 + DERIVATIVE_TEST_SLACK)
        return served or tangent.gradient_rise(at) <= most

    def _model(self, tangent: Tangent, u: Array, mirror: Array, z: Array) -> float:
        # ℓ_f(z; u, λ₁)
        total = tangent.value + self.problem.dot(tangent.gradient, z - u)
        lam1 = self.constants.lam1
        return total + lam1 * self.geometry.divergence(z, mirror) if lam1 else total

    def _failed(self) -> bool:
        self.trial.failed()
        return False

    def _take(
        self, x: Array, image: Array, at: Tangent, value: float, share: float, tangent: Tangent
    ) -> None:
        self.x, self.image, self.at, self.value = x, image, at, value
        self.tangent = tangent
        self.steps += 1
        self.gradient = mixed(self.gradient, tangent.gradient, share)
        self.dual = mixed(self.dual, tangent.dual, share)
        self.trial.served()

    def _restart_if_uphill(self, u: Array, last: Array) -> None:
        # The step from u is a descent direction; momentum against it is lost.
        if self.pace.restarts and is_uphill(self.geometry.turn(u, self.x, last)):
            self.uphill += 1
            self._again()

    def _again(self) -> None:
        # Restart at x; the averages stay until the first step.
        gradient, dual = self.gradient, self.dual
        self._begin(self.x, self.image)
        self.gradient, self.dual = gradient, dual


class InfiniteMemory(EstimateFunctions):
    """AGM-EF-∞ (algorithms 1 and 2): ψ = Δ(·, x₀) + Σ a_i (Ψ + ℓ_f(·; u_i, λ₁)).

    ``weight`` is A, and J(x) − J(x*) ≤ Δ(x*, x₀)/A at each step.
    """

    def _start(self, x: Array, image: Array) -> None:
        self.z, self.z_image = x, image
        self.weight = 0.0
        self.centre = self.geometry.mirror(x)  # common to all Bregman terms of ψ
        self.pull = 0 * x  # Σ a_i ∇f(u_i)

    def advance(self) -> bool:
        problem, A, (lam1, _, _) = self.problem, self.weight, self.constants
        step = infinite_memory_step(A, self.L, self.constants)
        a = step.a
        u = between(self.x, self.z, step.to_z)
        tangent = self._tangent(between(self.image, self.z_image, step.to_z))
        pull = self.pull + a * tangent.gradient
        mass = 1 + lam1 * step.weight
        mirror = self.geometry.mirror(u) if lam1 else self.centre
        centre = between(self.centre, mirror, lam1 * a / mass)
        z = problem.lowest(pull, step.weight, mass, centre)
        z_image, rest = problem.image(z), problem.rest(z)
        x, image = between(self.x, z, step.share), between(self.image, z_image, step.share)
        at = problem.at(image)
        value = at.value + problem.rest(x)
        lower = self.lower + self._rise(z, rest) + a * (rest + self._model(tangent, u, mirror, z))
        if self.pace.adaptive:
            enough = step.weight * value <= lower + FEW_ROUNDINGS * step.weight * abs(value)
            if not self._served(enough, tangent, u, x, at):
                return self._failed()
            lower = max(lower, step.weight * value)
        last = self.x
        self.z, self.z_image, self.z_rest, self.weight = z, z_image, rest, step.weight
        self.pull, self.centre, self.lower = pull, centre, lower
        self._take(x, image, at, value, step.share, tangent)
        self._restart_if_uphill(u, last)
        if self.weight > MAX_WEIGHT:
            self._again()
        return True

    def _rise(self, z: Array, rest: float) -> float:
        # ψ(z⁺) − ψ(z) term by term: what both share cancels before it can round.
        if self.weight == 0:
            return self.geometry.divergence(z, self.centre)
        mass = 1 + self.constants.lam1 * self.weight
        apart = self.geometry.divergence(z, self.centre)
        apart -= self.geometry.divergence(self.z, self.centre)
        along = self.problem.dot(self.pull, z - self.z)
        return mass * apart + along + self.weight * (rest - self.z_rest)


class OneMemory(EstimateFunctions):
    """AGM-EF-1 (algorithms 3 and 4): q = cΔ(·, z) + q(z) stands for all steps before.

    ``weight`` is c, ``remaining`` Π (1 − a_i): J(x) − J(x*) ≤ remaining (q₀(x*) − J(x*)). The first
    trial makes q₀ and z₀ = x₀ from the u₀ that is given.
    """

    weight: float
    mirror: Array

    def _start(self, x: Array, image: Array) -> None:
        self.z, self.z_image = x, image
        self.remaining = 0.0

    def advance(self) -> bool:
        if self.remaining == 0:
            return self._first()
        problem, (lam1, _, _) = self.problem, self.constants
        step = one_memory_step(self.weight, self.L, self.constants)
        a, kept = step.a, (1 - step.a) * self.weight
        u = between(self.x, self.z, step.to_z)
        tangent = self._tangent(between(self.image, self.z_image, step.to_z))
        mirror = self.geometry.mirror(u) if lam1 else self.mirror
        mass = kept + lam1 * a
        z = problem.lowest(
            a * tangent.gradient, a, mass, between(self.mirror, mirror, lam1 * a / mass)
        )
        z_image, rest = problem.image(z), problem.rest(z)
        x, image = between(self.x, z, a), between(self.image, z_image, a)
        at = problem.at(image)
        value = at.value + problem.rest(x)
        lower = (1 - a) * self.lower + kept * self.geometry.divergence(z, self.mirror)
        lower += a * (rest + self._model(tangent, u, mirror, z))
        if self.pace.adaptive:
            enough = value <= lower + FEW_ROUNDINGS * abs(value)
            if not self._served(enough, tangent, u, x, at):
                return self._failed()
            lower = max(lower, value)
        last = self.x
        self.z, self.z_image, self.mirror = z, z_image, self.geometry.mirror(z)
        self.weight, self.lower = step.weight, lower
        self.remaining *= 1 - a
        self._take(x, image, at, value, a, tangent)
        self._restart_if_uphill(u, last)
        return True

    def _first(self) -> bool:
        problem, u, tangent = self.problem, self.x, self.at
        c, mirror = self.L / self.constants.sigma, self.geometry.mirror(u)
        x = problem.lowest(tangent.gradient, 1.0, c, mirror)
        image = problem.image(x)
        rest, at = problem.rest(x), problem.at(image)
        value = at.value + rest
        lower = tangent.value + problem.dot(tangent.gradient, x - u) + rest
        lower += c * self.geometry.divergence(x, mirror)
        if self.pace.adaptive:
            enough = value <= lower + FEW_ROUNDINGS * abs(value)
            if not self._served(enough, tangent, u, x, at):
                return self._failed()
            lower = max(lower, value)
        self.z, self.z_image, self.mirror = x, image, self.geometry.mirror(x)
        self.weight, self.lower = first_memory(self.L, self.constants), lower
        self.remaining = 1.0
        self._take(x, image, at, value, 1.0, tangent)
        return True
