"""FISTA without strong convexity: the 1-norm and the elastic ball, certified and compared."""

import numpy as np
import pytest
from members import SMOOTH_LOSSES, SMOOTHED_LOSSES, takes_signs

from rrmlinear import Problem
from rrmlinear.losses import regression
from rrmlinear.losses.margin import Logistic
from rrmlinear.regularizers.bounded import ElasticBall
from rrmlinear.regularizers.separable import L1, ElasticNet
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.gradient.fista import FISTA
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.loop.task import Task

LOSSES = SMOOTH_LOSSES | SMOOTHED_LOSSES
CLASSIFY = ("smooth-hinge", "squared-hinge", "logistic")
N, D = 70, 15


def data(name, n=N, d=D):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.7)
    X[3 % n] = 0
    X[:, 9 % d] = X[:, 8 % d]  # a feature that is there twice
    y = X @ (rng.standard_normal(d) * (rng.random(d) < 0.6)) + 0.5 * rng.standard_normal(n)
    return X, np.where(y > 0, 1.0, -1.0) if takes_signs(name) else y


def solve(X, y, loss, omega, costs, **rules):
    problem = Problem.from_arrays(X, y)
    run = FISTA(Task.of(ScalarRisk(problem.rows, loss, problem.labels, costs), omega))
    return run.solve(Stopping(**({"gap_tol": 1e-9, "max_passes": 50_000} | rules)))


def size(w, gamma):
    return gamma * np.abs(w).sum() + w @ w / 2


@pytest.mark.parametrize("name", CLASSIFY)
@pytest.mark.parametrize(("gamma", "theta"), [(0.5, 2.0), (0.02, 30.0), (20.0, 0.1)])
def test_penalty_and_constraint_have_one_minimum(name, gamma, theta):
    X, y = data(name)
    costs = np.ones(N)
    penalty = solve(X, y, LOSSES[name], ElasticNet(theta * gamma, theta), costs, gap_tol=1e-13)
    radius = size(penalty.weights, gamma)
    ball = solve(X, y, LOSSES[name], ElasticBall(gamma, radius), costs, gap_tol=1e-10)
    assert ball.primal == pytest.approx(penalty.primal - theta * radius, rel=1e-9)
    np.testing.assert_allclose(ball.weights, penalty.weights, atol=2e-5)
    assert size(ball.weights, gamma) <= radius * (1 + 1e-12)


def test_a_ball_that_binds_nothing_leaves_the_least_loss():
    X, y = data("squared")
    X = X[:, :8]
    result = solve(X, y, regression.Squared(), ElasticBall(0.1, 1e3), np.ones(N))
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    assert result.status is Status.SOLVED
    np.testing.assert_allclose(result.weights, best, atol=1e-6)


def test_a_large_factor_leaves_nothing_and_is_seen_at_once():
    X, y = data("logistic")
    l1 = np.abs(X.T @ y).max() / 2  # ‖∇F(0)‖∞
    result = solve(X, y, Logistic(), L1(l1 * (1 + 1e-9)), np.ones(N), gap_tol=1e-12)
    assert not result.weights.any()
    assert result.passes <= 5
    assert solve(X, y, Logistic(), L1(l1 * 0.99), np.ones(N)).weights.any()
