"""AGM-EF at every iteration: its estimate functions by definition, its theorems by known optima."""

from functools import cached_property

import numpy as np
import pytest

from rrmlinear.regularizers.separable import L1, L2, ElasticNet
from rrmlinear.solvers.gradient.composite import Euclidean
from rrmlinear.solvers.gradient.estimate_functions import (
    FIXED,
    Constants,
    InfiniteMemory,
    OneMemory,
    Pace,
)

D, STEPS = 12, 120
METHODS = [InfiniteMemory, OneMemory]
PACES = {"fixed": FIXED, "adaptive": Pace(2.0, 1.5)}


class TangentOf:
    """f of a problem at an image; ``turn`` is where the image enters its change of gradients."""

    def __init__(self, problem, image):
        self.problem, self.image = problem, image

    @property
    def value(self):
        return self.problem.smooth(self.image)

    @cached_property
    def tangent(self):
        return self.problem.tangent(self.image)

    gradient = property(lambda self: self.tangent[0])
    dual = property(lambda self: self.tangent[1])
    turn = property(lambda self: self.tangent[2])

    def gradient_rise(self, other):
        return (other.turn - self.turn) @ (other.image - self.image) / 2


class OverArrays:
    """f of the array itself; Ψ and d are the caller's."""

    def __init__(self, f, slope, rest, lowest):
        self.smooth, self.slope, self.rest, self.lowest = f, slope, rest, lowest

    def image(self, x):
        return x

    def tangent(self, image):
        gradient = self.slope(image)
        return gradient, None, gradient

    def at(self, image):
        return TangentOf(self, image)

    def dot(self, gradient, step):
        return float(gradient @ step)


def euclidean(omega):
    return (omega.value_of, lambda g, t, c, centre: omega.prox_of(centre - g / c, t / c))


def quadratic(seed, lam1, omega, rank=D):
    """½ x'Hx − l'x with moduli lam1 and 1, and l such that x* is the minimum with Ψ."""
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.standard_normal((D, D)))
    eigenvalues = np.r_[lam1, 1.0, lam1 + (1 - lam1) * rng.random(D - 2)]
    eigenvalues[rank:] = lam1
    H = (Q * eigenvalues) @ Q.T
    best = np.where(rng.random(D) < 0.7, rng.standard_normal(D), 0)
    l1 = getattr(omega, "l1", 0.0)
    subgradient = np.where(best != 0, np.sign(best), rng.uniform(-0.9, 0.9, D))
    line = H @ best + omega.modulus * best + l1 * subgradient
    rest, lowest = euclidean(omega)
    problem = OverArrays(lambda x: x @ H @ x / 2 - line @ x, lambda x: H @ x - line, rest, lowest)
    return problem, best, float(np.linalg.norm(H, 2))


class Run:
    """A run step by step, and what happened in each."""

    def __init__(self, method, problem, geometry, x, L, constants, pace):
        self.run = method(problem, geometry, x, L, constants, pace)
        self.problem, self.geometry = problem, geometry
        self.L_of_step = []

    def steps(self, number=STEPS):
        while len(self.L_of_step) < number:
            L = self.run.L
            if self.run.advance():
                self.L_of_step.append(L)
                yield len(self.L_of_step), self.run


REGULARIZERS = {"L2": L2(0.02), "L1": L1(0.3), "elastic net": ElasticNet(0.3, 0.05)}


@pytest.fixture(params=PACES)
def pace(request):
    return PACES[request.param]


def of_pace(pace, L):
    return L * (1 + 1e-12) if pace is FIXED else L / 50


def begun(kind, pace, seed, lam1, omega, rank):
    """The problem, L, λ, the divergence of the optimum from 0, its value, and a run from 0."""
    problem, best, L = quadratic(seed, lam1, omega, rank)
    constants, geometry, x0 = Constants(lam1, omega.modulus), Euclidean(), np.zeros(D)
    run = Run(kind, problem, geometry, x0, of_pace(pace, L), constants, pace)
    optimum = problem.smooth(best) + problem.rest(best)
    return problem, L, constants.lam, geometry.divergence(best, x0), optimum, run


@pytest.mark.parametrize("rank", [D, 7])
@pytest.mark.parametrize("lam1", [0.0, 0.01])
@pytest.mark.parametrize("omega", REGULARIZERS.values(), ids=REGULARIZERS)
def test_infinite_memory(pace, omega, lam1, rank):
    # Lemma 4, lemmas 5 and 8, theorem 6 and lemma 3.
    problem, L, lam, distance, optimum, run = begun(InfiniteMemory, pace, 3, lam1, omega, rank)
    for k, now in run.steps():
        J, A, used = now.value, now.weight, np.array(run.L_of_step)
        assert pytest.approx(problem.smooth(now.x) + problem.rest(now.x), rel=1e-12) == J
        assert now.lower + 1e-12 * A * abs(J) >= A * J
        linear = np.prod(1 + np.sqrt(lam / (4 * used[1:]))) ** 2 / (used[0] - lam1)
        square = (np.sqrt(4 / used[0]) + np.sqrt(1 / used[1:]).sum()) ** 2 / 4
        assert max(linear, square) * (1 - 1e-9) <= A
        assert -1e-13 <= J - optimum <= distance / A + 1e-13
        if pace is FIXED:
            bound = min(
                4 * L / (k + 1) ** 2, (L - lam1) * (1 + np.sqrt(lam / (4 * L))) ** (2 - 2 * k)
            )
            assert J - optimum <= distance * bound + 1e-13


@pytest.mark.parametrize("rank", [D, 7])
@pytest.mark.parametrize("lam1", [0.0, 0.01])
@pytest.mark.parametrize("omega", REGULARIZERS.values(), ids=REGULARIZERS)
def test_one_memory(pace, omega, lam1, rank):
    # Lemma 12, lemmas 13 and 16, theorem 14; the first step is k = 0.
    _, _, lam, distance, optimum, run = begun(OneMemory, pace, 4, lam1, omega, rank)
    lam2 = omega.modulus
    for _, now in run.steps():
        J, used = now.value, np.array(run.L_of_step) + lam2
        assert now.lower + 1e-12 * abs(J) >= J
        square = 4 / used[0] / (2 / np.sqrt(used[0]) + np.sqrt(1 / used[1:]).sum()) ** 2
        bound = min(np.prod(1 - np.sqrt(lam / used[1:])), square)
        assert now.remaining <= bound * (1 + 1e-9)
        assert -1e-13 <= J - optimum <= (used[0] - lam) * distance * bound + 1e-13


@pytest.mark.parametrize("lam1", [0.0, 0.02])
def test_the_estimate_function_is_that_of_its_definition(lam1):
    omega = ElasticNet(0.2, 0.05)
    problem, _, L = quadratic(5, lam1, omega)
    tangents = []
    inner = problem.tangent
    problem.tangent = lambda u: tangents.append((u, inner(u))) or tangents[-1][1]
    x0 = np.ones(D)
    constants = Constants(lam1, omega.modulus)
    run = Run(InfiniteMemory, problem, Euclidean(), x0, 1.01 * L, constants, FIXED)
    weights = []

    def psi(x):
        parts = [
            a * (problem.rest(x) + problem.smooth(u) + g @ (x - u) + lam1 / 2 * (x - u) @ (x - u))
            for a, (u, (g, *_)) in zip(weights, tangents, strict=True)
        ]
        return sum(parts) + (x - x0) @ (x - x0) / 2

    rng = np.random.default_rng(0)
    for _, now in run.steps(20):
        weights.append(now.weight - sum(weights))
        assert psi(now.z) == pytest.approx(now.lower, rel=1e-11)
        near = [psi(now.z + size * rng.standard_normal(D)) for size in (1e-3, 1e-1, 1)]
        assert min(near) > psi(now.z)


@pytest.mark.parametrize("method", METHODS)
def test_a_lipschitz_constant_falls_to_what_the_path_needs_and_rises_again(method):
    # Flat at first, then ten thousand times as steep: f = ½ a x² + ½ max(0, x − 1)² · 10⁴ a.
    a = 1e-4
    problem = OverArrays(
        lambda x: float(a / 2 * (x @ x + 1e4 * np.maximum(0, 1 - x) @ np.maximum(0, 1 - x))),
        lambda x: a * (x - 1e4 * np.maximum(0, 1 - x)),
        *euclidean(L2(1e-9)),
    )
    x0 = np.full(1, 300.0)
    run = Run(method, problem, Euclidean(), x0, 1.0, Constants(0, 1e-9), Pace(2.0, 1.5))
    used = [run.L_of_step[-1] for _ in run.steps(400)]
    assert min(used) < 3e-3
    lowest = used.index(min(used))
    assert max(used[lowest:]) > 10 * min(used)
    assert max(used[10:]) < 2 * 2 * 1.01 * a * 1e4
    assert run.run.value < 1e-3 * problem.smooth(x0)


class SmoothedNorm:
    """Σ_i huber(k_i'x − b_i) = max over |α_i| ≤ 1 of ⟨Kx − b, α⟩ − μ/2 ‖α‖², and a box with Ω."""

    def __init__(self, seed, mu, lam2, radius):
        rng = np.random.default_rng(seed)
        self.K = rng.standard_normal((20, D))
        self.b = rng.standard_normal(20)
        self.mu, self.lam2, self.radius = mu, lam2, radius
        self.L = np.linalg.norm(self.K, 2) ** 2 / mu

    def image(self, x):
        return self.K @ x

    def alphas(self, image):
        return np.clip((image - self.b) / self.mu, -1, 1)

    def smooth(self, image):
        alphas = self.alphas(image)
        return alphas @ (image - self.b) - self.mu / 2 * alphas @ alphas

    def tangent(self, image):
        alphas = self.alphas(image)
        return self.K.T @ alphas, alphas, alphas

    def at(self, image):
        return TangentOf(self, image)

    def dot(self, gradient, step):
        return gradient @ step

    def rest(self, x):
        assert np.abs(x).max() <= self.radius * (1 + 1e-12)
        return self.lam2 / 2 * x @ x

    def lowest(self, gradient, t, c, mirror):
        return np.clip((c * mirror - gradient) / (c + t * self.lam2), -self.radius, self.radius)

    def dual(self, alphas):
        slope = self.K.T @ alphas
        x = self.lowest(slope, 1.0, 1e-300, 0.0)
        return -self.b @ alphas - self.mu / 2 * alphas @ alphas + slope @ x + self.rest(x)


@pytest.mark.parametrize("lam2", [0.0, 0.5])
@pytest.mark.parametrize("method", METHODS)
def test_the_gap_of_the_averaged_dual(pace, method, lam2):
    # Theorems 10 and 18; the farthest point of the box has ½ ‖x‖² = d radius²/2.
    problem = SmoothedNorm(7, 0.1, lam2, 2.0)
    diameter, L = D * problem.radius**2 / 2, of_pace(pace, problem.L)
    run = Run(method, problem, Euclidean(), np.zeros(D), L, Constants(0, lam2), pace)
    for _, now in run.steps(200):
        gap = now.value - problem.dual(now.dual)
        np.testing.assert_allclose(now.gradient, problem.K.T @ now.dual, atol=1e-12)
        first = run.L_of_step[0]
        shrunk = 1 / now.weight if method is InfiniteMemory else first * now.remaining
        assert -1e-12 <= gap <= shrunk * diameter + 1e-12
    assert gap < (1e-3 if lam2 else 0.1) * problem.smooth(problem.image(np.zeros(D)))


def test_weights_do_not_overflow_however_long_it_runs():
    # λ near L: A grows by a factor a step.
    problem, best, L = quadratic(9, 0.9, L2(0.5))
    given = Euclidean(), np.zeros(D), 1.1 * L, Constants(0.9, 0.5), FIXED
    run = Run(InfiniteMemory, problem, *given)
    weights = [now.weight for _, now in run.steps(1500)]
    assert max(weights) > 1e140
    assert np.isfinite(weights).all()
    np.testing.assert_allclose(run.run.x, best, atol=1e-12)
