"""Multiclass losses with other regularizers than ½‖W‖²: the certificate, and an outside solver."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses.weston_watkins import WestonWatkins
from rrmlinear.regularizers.separable import ElasticNet
from rrmlinear.solvers.dual.blocks.block_descent import BlockAscent
from rrmlinear.solvers.loop.stopping import Stopping


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
