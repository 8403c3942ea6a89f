"""Pdprox without restarts is its paper's method: theorem 6 after every step, in all four forms."""

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.losses import margin, regression
from rrmlinear.regularizers.separable import L1, L2
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.primal_dual.pdprox import ORDERS, STORAGES, Pdprox

N, D, STEPS = 40, 6, 120
ROUNDING = 1e-11


@pytest.fixture
def problem():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((N, D))
    y = X @ rng.standard_normal(D) + rng.standard_normal(N)
    return X, y, rng.uniform(0.2, 2.0, N)


def saddle(X, y, costs, loss, omega, w, alphas):
    """F(w, α) = Ω(w) − ⟨w, v(α)⟩ − Σ c_i φ*(−α_i)."""
    return omega.value_of(w) - w @ (X.T @ (costs * alphas)) - costs @ loss.conjugates(y, alphas)


def points(X, y, costs, loss, omega, solver, rng):
    """Weights and feasible duals to hold the bound against, the best found by far among them."""
    best = Pdprox(Task.of(solver.risk, omega))
    best.start()
    for number in range(1, 400):
        best.run_pass(number)
    yield best.certificate.weights, best.certificate.alphas
    for scale in (0.0, 0.1, 1.0, 10.0):
        w = scale * rng.standard_normal(D)
        yield w, -loss.derivatives(y, X @ w)


@pytest.mark.parametrize("ratio", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("omega", [L1(0.7), L2()])
@pytest.mark.parametrize("loss", [margin.Hinge(), regression.Quantile(0.3)])
def test_the_bound_of_theorem_6_at_every_step(problem, loss, omega, order, storage, ratio):
    X, y, costs = problem
    if isinstance(loss, margin.Hinge):
        y = np.sign(y)
    risk = ScalarRisk(Problem.from_arrays(X, y).rows, loss, y, costs)
    solver = Pdprox(Task.of(risk, omega, storage=storage, ratio=ratio, averaging=True), order=order)
    solver.start()
    norm = np.linalg.norm(np.sqrt(costs)[:, np.newaxis] * X, 2)
    tau, sigma = np.sqrt(ratio) / norm, 1 / np.sqrt(ratio) / norm
    others = list(points(X, y, costs, loss, omega, solver, np.random.default_rng(1)))
    for T in range(1, STEPS + 1):
        solver.run_pass(T)
        w, alphas = solver.averages()
        for u, a in others:
            gap = saddle(X, y, costs, loss, omega, w, a) - saddle(
                X, y, costs, loss, omega, u, alphas
            )
            bound = (u @ u / tau + costs @ a**2 / sigma) / (2 * T)
            # the power iteration leaves a thousandth open
            assert gap <= 1.002 * bound + ROUNDING * (1 + abs(gap))
            if ratio == 1:  # as printed, with c the square of the spectral norm
                printed = (u @ u + costs @ a**2) / (np.sqrt(2) / norm * T)
                assert gap <= printed + ROUNDING * (1 + abs(gap))


@pytest.mark.parametrize("order", ORDERS)
def test_both_storages_and_the_formulas_of_the_paper_agree(problem, order):
    X, y, costs = problem
    loss, omega, ratio = regression.Absolute(), L1(0.7), 0.5
    risk = ScalarRisk(Problem.from_arrays(X, y).rows, loss, y, costs)
    solvers = [
        Pdprox(Task.of(risk, omega, storage=storage, ratio=ratio, averaging=True), order=order)
        for storage in STORAGES
    ]
    for solver in solvers:
        solver.start()
    length = 1 / np.sqrt(solvers[0].metric.scale)
    tau, sigma = np.sqrt(ratio) * length, length / np.sqrt(ratio)

    def step(m, a):
        return np.clip(a + sigma * (y - m), -1, 1)

    def v(a):
        return X.T @ (costs * a)

    w = last_w = np.zeros(D)
    alphas = last_alphas = np.zeros(N)
    sums = [np.zeros(D), np.zeros(N)]
    for T in range(1, STEPS + 1):
        if order == "dual":  # (22) of the paper
            alphas = step(X @ (2 * w - last_w), alphas)
            last_w, w = w, omega.prox_of(w + tau * v(alphas), tau)
        else:  # (21)
            w = omega.prox_of(w + tau * v(2 * alphas - last_alphas), tau)
            last_alphas, alphas = alphas, step(X @ w, alphas)
        sums[0] += w
        sums[1] += alphas
        for solver in solvers:
            solver.run_pass(T)
            for ours, theirs in zip(solver.averages(), sums, strict=True):
                np.testing.assert_allclose(ours, theirs / T, rtol=1e-9, atol=1e-11)
