"""FISTA at the best intercept: its certificate, the optimum of others, lopsided classes."""

import numpy as np
import pytest
from members import SMOOTH_LOSSES, SMOOTHED_LOSSES, takes_signs

from rrmlinear import Problem
from rrmlinear.losses import margin, regression
from rrmlinear.losses.logistic import Logistic
from rrmlinear.regularizers.elastic_ball import ElasticBall
from rrmlinear.regularizers.separable import L1, L2, ElasticNet
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.dual.intercept import InterceptSDCA
from rrmlinear.solvers.features.feature_descent import FeatureDescent
from rrmlinear.solvers.gradient.fista import FISTA
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.stopping import Stopping

LOSSES = SMOOTH_LOSSES | SMOOTHED_LOSSES
CLASSIFY = ("smooth-hinge", "squared-hinge", "logistic")
OMEGAS = [L2(), ElasticNet(0.5, 2.0), L1(3.0), ElasticBall(0.4, 0.6)]
N, D = 70, 12


def data(name, positive=0.4):
    rng = np.random.default_rng(6)
    X = rng.standard_normal((N, D)) + 2.0
    score = X @ (rng.standard_normal(D) * (rng.random(D) < 0.7)) + 0.5 * rng.standard_normal(N)
    if takes_signs(name):
        return X, np.where(score > np.quantile(score, 1 - positive), 1.0, -1.0)
    return X, score - 3.0


def solve(X, y, loss, omega, costs, bias=1.0, **rules):
    problem = Problem.from_arrays(X, y, bias=bias)
    run = FISTA(ScalarRisk(problem.rows, loss, problem.labels, costs, condition=Intercept()), omega)
    return run.solve(Stopping(**({"gap_tol": 1e-9, "max_passes": 50_000} | rules)))


@pytest.mark.parametrize("omega", OMEGAS, ids=lambda omega: type(omega).__name__)
@pytest.mark.parametrize("name", LOSSES)
def test_the_certificate_is_true(name, omega):
    X, y = data(name)
    loss, costs, bias = LOSSES[name], np.linspace(0, 2, N), 2.0
    result = solve(X, y, loss, omega, costs, bias)
    assert result.status is Status.SOLVED
    w, b = result.weights[:-1], bias * result.weights[-1]
    primal = costs @ loss.values(y, X @ w + b) + omega.value_of(w)
    assert result.primal == pytest.approx(primal, rel=1e-11)
    weighed, counted = costs * result.duals, costs > 0
    assert abs(weighed.sum()) <= 1e-10 * np.abs(weighed).sum()
    v = X.T @ weighed
    v *= 1 - 1e-12 if isinstance(omega, L1) else 1
    conjugates = costs[counted] @ loss.conjugates(y, result.duals)[counted]
    assert result.dual == pytest.approx(-conjugates - omega.conjugate_of(v), rel=1e-10)
    assert -1e-11 * primal <= result.gap <= 1.01e-9 * max(1, primal)


@pytest.mark.parametrize("name", [*CLASSIFY, "squared"])
def test_a_conic_solver_has_the_same_optimum(name):
    cvxpy = pytest.importorskip("cvxpy")
    X, y = data(name)
    costs = np.linspace(0.5, 2, N)
    for omega in (L1(3.0), ElasticBall(0.4, 0.6)):
        w, b, shift = cvxpy.Variable(D), cvxpy.Variable(), cvxpy.Variable(N)
        scores = cvxpy.multiply(y, X @ w + b)
        terms = {
            "logistic": lambda m=scores: cvxpy.logistic(-m),
            "squared-hinge": lambda m=scores, s=shift: cvxpy.square(s),
            "smooth-hinge": lambda m=scores, s=shift: cvxpy.pos(1 - m - s) + cvxpy.square(s),
            "squared": lambda w=w, b=b: cvxpy.square(X @ w + b - y) / 2,
        }[name]()
        rules = [shift >= 0, shift >= 1 - scores] if name == "squared-hinge" else []
        penalty = omega.l1 * cvxpy.norm1(w) if isinstance(omega, L1) else 0
        if isinstance(omega, ElasticBall):
            rules += [omega.gamma * cvxpy.norm1(w) + cvxpy.sum_squares(w) / 2 <= omega.radius]
        optimum = cvxpy.Problem(cvxpy.Minimize(costs @ terms + penalty), rules).solve(
            solver=cvxpy.CLARABEL, equilibrate_enable=False
        )
        result = solve(X, y, LOSSES[name], omega, costs)
        assert result.primal == pytest.approx(optimum, rel=1e-7)


@pytest.mark.parametrize("name", LOSSES)
def test_the_ascent_has_the_same_optimum(name):
    X, y = data(name)
    costs, loss, omega = np.ones(N), LOSSES[name], ElasticNet(0.5, 1.0)
    problem = Problem.from_arrays(X, y, bias=1.0)
    ascent = InterceptSDCA(problem.rows, problem.labels, costs, loss, omega)
    other = ascent.solve(Stopping(gap_tol=1e-9))
    ours = solve(X, y, loss, omega, costs)
    assert ours.primal == pytest.approx(other.primal, rel=1e-8)
    np.testing.assert_allclose(ours.weights, other.weights, atol=1e-3)


def test_the_lasso_with_an_intercept_is_that_of_descent_over_features():
    X, y = data("squared")
    problem, costs = Problem.from_arrays(X, y, bias=1.0), np.linspace(0, 2, N)
    for l1 in (0.1, 1.0, 10.0):
        ours = solve(X, y, regression.Squared(), L1(l1), costs, gap_tol=1e-11)
        descent = FeatureDescent(problem.rows, y, costs, l1, 0.0, intercept=True)
        other = descent.solve(Stopping(gap_tol=1e-13))
        assert ours.primal == pytest.approx(other.primal, rel=1e-10)
        np.testing.assert_allclose(ours.weights, other.weights, atol=1e-4)


def test_scikit_learn_has_the_same_logistic_regression():
    linear = pytest.importorskip("sklearn.linear_model")
    X, y = data("logistic")
    model = linear.LogisticRegression(
        C=0.5, l1_ratio=1.0, solver="saga", tol=1e-10, max_iter=100_000
    ).fit(X, y)
    ours = solve(X, y, Logistic(), L1(2.0), np.ones(N), gap_tol=1e-11)
    w = model.coef_[0]
    value = np.logaddexp(0, -y * (X @ w + model.intercept_)).sum() + 2 * np.abs(w).sum()
    assert ours.primal <= value * (1 + 1e-11)
    assert ours.primal == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(ours.weights, [*w, *model.intercept_], atol=1e-3)


@pytest.mark.parametrize("omega", OMEGAS, ids=lambda omega: type(omega).__name__)
@pytest.mark.parametrize("cost", [1e-3, 1e3])
def test_one_positive_in_a_thousand(omega, cost):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1001, 5))
    y = -np.ones(1001)
    y[400], X[400] = 1.0, X[400] + 1
    loss, costs = Logistic(), np.full(1001, cost)
    result = solve(X, y, loss, omega, costs, gap_tol=1e-8)
    assert result.status is Status.SOLVED
    assert abs(costs @ result.duals) <= 1e-10 * (costs @ np.abs(result.duals))
    moved = X @ result.weights[:-1] + result.weights[-1]
    for b in (-1e-3, 1e-3):  # no other intercept is better
        assert costs @ loss.values(y, moved + b) >= costs @ loss.values(y, moved)


def test_one_class_costs_nothing():
    X = np.random.default_rng(0).normal(size=(6, 2))
    result = solve(X, np.ones(6), margin.SquaredHinge(), L1(1.0), np.ones(6))
    assert result.status is Status.SOLVED
    assert result.primal == 0
    assert (X @ result.weights[:-1] + result.weights[-1] >= 1).all()
