"""Multiclass losses with other regularizers than ½‖W‖²: the certificate, and an outside solver."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses.weston_watkins import WestonWatkins
from rrmlinear.regularizers.separable import L2, ElasticNet
from rrmlinear.solvers.dual.blocks.block_descent import BlockAscent
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.stopping import Stopping

REGULARIZERS = {
    "strong": L2(3.0),
    "elastic-net": ElasticNet(0.4),
    "strong elastic-net": ElasticNet(0.4, 2.5),
}


def data(n, d, k, form="sparse"):
    rng = np.random.default_rng(n + k)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.7)
    label = np.concatenate([np.arange(k), rng.integers(0, k, n - k)]).astype(np.int32)
    X[np.arange(n), label % d] += 2
    return Problem.from_arrays(csr_array(X) if form == "sparse" else X, label), X, label


def solve(problem, label, k, costs, omega, gap_tol=1e-9, threads=1):
    solver = BlockAscent(
        problem.rows, label, k, costs, WestonWatkins(), omega, seed=3, threads=threads
    )
    return solver.solve(Stopping(gap_tol=gap_tol))


def weights_of(duals, X, label, omega):
    steps = -duals
    steps[np.arange(len(label)), label] = duals.sum(axis=1)
    V = X.T @ steps
    return omega.primal_of(V.ravel()).reshape(V.shape), omega.conjugate_of(V.ravel())


@pytest.mark.parametrize("form", ["sparse", "dense"])
@pytest.mark.parametrize("k", [3, 11, 150])
@pytest.mark.parametrize("name", REGULARIZERS)
def test_the_certificate_is_true(name, k, form):
    omega, n = REGULARIZERS[name], 170
    problem, X, label = data(n, 9, k, form)
    costs = np.linspace(0.1, 1, n)
    result = solve(problem, label, k, costs, omega, 1e-7)
    assert result.status is Status.SOLVED
    duals = result.duals.dense(k)
    W, conjugate = weights_of(duals, X, label, omega)
    np.testing.assert_allclose(W, result.weights, atol=1e-9)
    scores = X @ W
    margins = 1 + scores - scores[np.arange(n), label][:, None]
    margins[np.arange(n), label] = 0
    primal = omega.value_of(W.ravel()) + costs @ np.maximum(margins, 0).sum(axis=1)
    dual = duals.sum() - conjugate
    assert result.primal == pytest.approx(primal, rel=1e-11)
    assert result.dual == pytest.approx(dual, rel=1e-10)
    assert 0 <= primal - dual <= 1.01e-7 * primal
    assert (duals <= costs[:, None] * (1 + 1e-12)).all()


def test_elastic_net_optimum_is_that_of_a_conic_solver():
    cp = pytest.importorskip("cvxpy", reason="the conic solver is in the test extra")
    n, d, k = 50, 6, 4
    problem, X, label = data(n, d, k)
    result = solve(problem, label, k, np.full(n, 0.5), ElasticNet(0.8))
    W = cp.Variable((d, k))
    scores = X @ W
    own = cp.sum(cp.multiply(scores, np.eye(k)[label]), axis=1, keepdims=True)
    margins = 1 + scores - own @ np.ones((1, k))
    loss = cp.sum(cp.pos(margins)) - n  # the true class's own margin is 1
    objective = cp.sum_squares(W) / 2 + 0.8 * cp.sum(cp.abs(W)) + 0.5 * loss
    best = cp.Problem(cp.Minimize(objective)).solve(solver=cp.CLARABEL)
    assert result.primal == pytest.approx(best, rel=1e-6)
    assert (result.weights == 0).sum() >= 2


@pytest.mark.parametrize("k", [24, 150])
def test_threads_give_the_same_bits_with_any_regularizer(k, monkeypatch):
    from rrmlinear.solvers.dual.blocks import block_descent

    monkeypatch.setattr(block_descent, "MIN_SHARED_WORK", 1)
    problem, _, label = data(170, 9, k)
    runs = [
        solve(problem, label, k, np.full(170, 0.3), ElasticNet(0.2), 1e-4, threads).weights
        for threads in (1, 2, 3)
    ]
    assert runs[0].tobytes() == runs[1].tobytes() == runs[2].tobytes()
