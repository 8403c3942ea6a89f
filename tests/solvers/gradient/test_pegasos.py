"""Pegasos: its steps in NumPy, its bound, and its certificate recomputed."""

import numpy as np
import pytest
from made_solvers import of_rows
from members import BOUNDED_LOSSES as LOSSES
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses import margin, regression
from rrmlinear.regularizers.separable import L2, ElasticNet
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.gradient.pegasos import Pegasos
from rrmlinear.solvers.loop.result import Stopping

N, D = 60, 12


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.6)
    y = np.where(X @ rng.standard_normal(D) + 0.5 * rng.standard_normal(N) > 0, 1.0, -1.0)
    return Problem.from_arrays(csr_array(X), y), X, y


def run(problem, loss, costs, passes, omega=None, seed=0, gap_tol=1e-12, **choices):
    rows, y = problem.rows, problem.labels
    solver = of_rows(Pegasos, rows, y, costs, loss, omega or L2(), seed=seed, **choices)
    return solver.solve(Stopping(gap_tol=gap_tol, max_passes=passes))


@pytest.mark.parametrize("averaging", [False, True])
@pytest.mark.parametrize("projection", [False, True])
@pytest.mark.parametrize("name", LOSSES)
def test_a_full_batch_takes_the_steps_of_the_paper(data, name, projection, averaging):
    problem, X, y = data
    loss, costs, modulus = LOSSES[name], np.linspace(0, 0.2, N), 2.0
    radius = np.sqrt(costs @ loss.values(y, np.zeros(N)) / modulus)
    w, total = np.zeros(D), np.zeros(D)
    for t in range(1, 41):
        gradient = X.T @ (costs * loss.derivatives(y, X @ w))
        w = (1 - 1 / t) * w - gradient / (modulus * t)
        if projection and np.linalg.norm(w) > radius:
            w *= radius / np.linalg.norm(w)
        total += w
    result = run(
        problem, loss, costs, 40, L2(modulus), batch=N, averaging=averaging, projection=projection
    )
    assert result.passes == 40
    np.testing.assert_allclose(result.weights, total / 40 if averaging else w, atol=1e-10)


@pytest.mark.parametrize("passes", [1, 10, 100])
@pytest.mark.parametrize("batch", [1, 7, N])
def test_the_bound_of_the_paper_holds(data, batch, passes):
    # Theorem 1 and its expectation: P(mean of w_t) − P* ≤ G² (1 + ln T) / (2T), here with λ = 1;
    # over 20 seeds the mean is within a few standard errors of its expectation.
    problem, X, y = data
    loss, costs = margin.Hinge(), np.full(N, 0.5)
    ascent = of_rows(ProxSDCA, problem.rows, y, costs, loss, L2())
    best = ascent.solve(Stopping(gap_tol=1e-9)).dual
    seeds = range(1 if batch == N else 20)
    found = [
        run(problem, loss, costs, passes, seed=seed, batch=batch, averaging=True).primal
        for seed in seeds
    ]
    steps = passes * -(-N // batch)
    # the largest ‖w + Σ c_i φ'_i x_i‖ of steps along single examples, |φ'| ≤ 1, w in the ball
    longest = np.sqrt(costs.sum()) + (N * costs * np.linalg.norm(X, axis=1)).max()
    bound = longest**2 * (1 + np.log(steps)) / (2 * steps)
    assert -1e-9 <= np.mean(found) - best <= bound


def test_examples_without_cost_are_not_drawn(data):
    problem, X, y = data
    costs = np.where(np.arange(N) % 3 == 0, 0.0, 1.0)
    rest = Problem.from_arrays(X[costs > 0], y[costs > 0])
    result = run(problem, margin.Hinge(), costs, 5)
    alone = run(rest, margin.Hinge(), np.ones(rest.n_examples), 5)
    np.testing.assert_allclose(result.weights, alone.weights, rtol=1e-12)


def test_steep_losses_need_the_projection(data):
    problem, _, _ = data
    costs = np.full(N, 1e6)
    result = run(problem, regression.Squared(), costs, 200, averaging=True)
    assert np.isfinite(result.primal)
    with pytest.raises(ValueError, match=r"steps have overflowed.*project them"):
        run(problem, regression.Squared(), costs, 200, projection=False)


def test_what_it_cannot_take_is_refused(data):
    problem, _, _ = data
    with pytest.raises(ValueError, match="needs the regularizer l2, and ElasticNet has an L1 part"):
        run(problem, margin.Hinge(), np.ones(N), 1, ElasticNet(0.5))
    with pytest.raises(ValueError, match="batch is 0; it must be at least 1"):
        run(problem, margin.Hinge(), np.ones(N), 1, batch=0)
