"""FISTA: its rate, free intercepts of lopsided classes, and no strong convexity."""

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.losses import margin, regression
from rrmlinear.losses.margin import Logistic
from rrmlinear.regularizers.bounded import ElasticBall
from rrmlinear.regularizers.separable import L1, L2, ElasticNet
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.gradient.fista import FISTA
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.loop.task import Task

N, D = 60, 12
SIGN_LOSSES = {
    "smooth-hinge": margin.SmoothHinge(0.5),
    "squared-hinge": margin.SquaredHinge(),
    "logistic": Logistic(),
}


def solve(X, y, loss, omega, costs, *, free=False, **rules):
    problem = Problem.from_arrays(X, y, bias=1.0 if free else -1.0)
    condition = Intercept() if free else None
    risk = ScalarRisk(problem.rows, loss, problem.labels, costs, condition=condition)
    rules = {"gap_tol": 1e-10, "max_passes": 50_000} | rules
    return FISTA(Task.of(risk, omega)).solve(Stopping(**rules))


def test_the_dual_rises_and_every_pass_bounds_the_gap(make):
    _, X, y = make("logistic")
    result = solve(X, y, Logistic(), ElasticNet(0.5), np.full(N, 10.0))
    duals = [row.dual for row in result.trace]
    assert duals == sorted(duals)
    assert all(row.gap >= -1e-12 * row.primal for row in result.trace)
    assert all(row.primal - result.primal <= row.gap + 1e-9 for row in result.trace)


def test_the_rate_of_the_method(make):
    # Beck and Teboulle, theorem 4.4: P(w_t) − P* ≤ 2 L' ‖w*‖² / (t + 1)², L' at most twice the
    # true constant; each of the first failed trials doubles a constant that starts too small.
    _, X, y = make("logistic")
    result = solve(X, y, Logistic(), ElasticNet(0.1), np.full(N, 50.0))
    L = 2 * np.linalg.norm(X, 2) ** 2 * 50 / 4
    trials = int(np.ceil(np.log2(N)))
    distance = float(result.weights @ result.weights)
    for row in result.trace[trials + 1 :]:
        bound = 2 * L * distance / (row.number - trials + 1) ** 2
        assert row.primal - result.primal <= bound + 1e-9


@pytest.mark.parametrize(
    ("loss", "smoothed"), [(margin.Hinge(), "SmoothHinge"), (regression.Quantile(0.3), "Quantile")]
)
def test_a_kink_is_refused_with_the_way_round_it(make, loss, smoothed):
    _, X, y = make("squared")
    message = f"{type(loss).__name__} has a kink: give it a smoothing above 0, .* {smoothed}$"
    with pytest.raises(ValueError, match=message):
        solve(X, y, loss, L2(), np.ones(N))


def test_data_that_overflow_are_refused():
    X, y = np.full((2, 2), 1e200), np.array([1.0, -1.0])
    with pytest.raises(ValueError, match="squared norm of an example overflows"):
        solve(X, y, Logistic(), L2(), np.ones(2))


@pytest.mark.parametrize(
    "omega", [L2(), ElasticNet(0.5, 2.0), L1(3.0), ElasticBall(0.4, 0.6)], ids=type
)
@pytest.mark.parametrize("cost", [1e-3, 1e3])
def test_one_positive_in_a_thousand(omega, cost):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1001, 5))
    y = -np.ones(1001)
    y[400], X[400] = 1.0, X[400] + 1
    loss, costs = Logistic(), np.full(1001, cost)
    result = solve(X, y, loss, omega, costs, free=True, gap_tol=1e-8)
    assert result.status is Status.SOLVED
    assert abs(costs @ result.duals) <= 1e-10 * (costs @ np.abs(result.duals))
    moved = X @ result.weights[:-1] + result.weights[-1]
    for b in (-1e-3, 1e-3):  # no other intercept is better
        assert costs @ loss.values(y, moved + b) >= costs @ loss.values(y, moved)


@pytest.mark.parametrize("name", SIGN_LOSSES)
@pytest.mark.parametrize(("gamma", "theta"), [(0.5, 2.0), (0.02, 30.0), (20.0, 0.1)])
def test_penalty_and_constraint_have_one_minimum(make, name, gamma, theta):
    def size(w):
        return gamma * np.abs(w).sum() + w @ w / 2

    (_, X, y), costs, loss = make("logistic"), np.ones(N), SIGN_LOSSES[name]
    penalty = solve(X, y, loss, ElasticNet(theta * gamma, theta), costs, gap_tol=1e-13)
    radius = size(penalty.weights)
    ball = solve(X, y, loss, ElasticBall(gamma, radius), costs)
    assert ball.primal == pytest.approx(penalty.primal - theta * radius, rel=1e-9)
    np.testing.assert_allclose(ball.weights, penalty.weights, atol=2e-5)
    assert size(ball.weights) <= radius * (1 + 1e-12)


def test_a_ball_that_binds_nothing_leaves_the_least_loss(make):
    _, X, y = make("squared")
    X = X[:, :7]
    result = solve(X, y, regression.Squared(), ElasticBall(0.1, 1e3), np.ones(N))
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    assert result.status is Status.SOLVED
    np.testing.assert_allclose(result.weights, best, atol=1e-6)


def test_a_large_factor_leaves_nothing(make):
    _, X, y = make("logistic")
    l1 = np.abs(X.T @ y).max() / 2  # ‖∇F(0)‖∞
    result = solve(X, y, Logistic(), L1(l1 * (1 + 1e-9)), np.ones(N), gap_tol=1e-12)
    assert not result.weights.any()
    assert solve(X, y, Logistic(), L1(l1 * 0.99), np.ones(N)).weights.any()
