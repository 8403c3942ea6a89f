"""FISTA without strong convexity: the 1-norm and the elastic ball, certified and compared."""

import numpy as np
import pytest
from members import SMOOTH_LOSSES, SMOOTHED_LOSSES, takes_signs

from rrmlinear import Problem
from rrmlinear.losses import margin, regression
from rrmlinear.losses.logistic import Logistic
from rrmlinear.losses.multiclass import Softmax
from rrmlinear.regularizers.elastic_ball import ElasticBall
from rrmlinear.regularizers.separable import L1, ElasticNet
from rrmlinear.risks.block import BlockRisk
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.features.feature_descent import FeatureDescent
from rrmlinear.solvers.gradient.fista import FISTA
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.stopping import Stopping

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
    run = FISTA(ScalarRisk(problem.rows, loss, problem.labels, costs), omega)
    return run.solve(Stopping(**({"gap_tol": 1e-9, "max_passes": 50_000} | rules)))


def size(w, gamma):
    return gamma * np.abs(w).sum() + w @ w / 2


def conic(X, y, name, costs, regularize):
    """The optimum by Clarabel; ``regularize`` makes a term and constraints of a variable."""
    cvxpy = pytest.importorskip("cvxpy")
    w, residual = cvxpy.Variable(X.shape[1]), cvxpy.Variable(len(y))
    scores = cvxpy.multiply(y, X @ w)
    if name == "logistic":
        terms = cvxpy.logistic(-scores)
    elif name == "squared-hinge":
        terms = cvxpy.square(cvxpy.pos(1 - scores))
    elif name == "smooth-hinge":  # the infimal convolution of the hinge and a square
        terms = cvxpy.pos(1 - scores - residual) + cvxpy.square(residual) / (2 * 0.5)
    else:
        terms = cvxpy.square(X @ w - y) / 2
    term, constraints = regularize(cvxpy, w)
    problem = cvxpy.Problem(cvxpy.Minimize(costs @ terms + term), constraints)
    problem.solve(solver=cvxpy.CLARABEL, tol_gap_abs=1e-8, tol_gap_rel=1e-8)
    return problem.value, w.value


@pytest.mark.parametrize("omega", [L1(2.0), ElasticBall(0.4, 0.6), ElasticBall(0.0, 0.2)])
@pytest.mark.parametrize("name", LOSSES)
def test_the_certificate_is_true(name, omega):
    X, y = data(name)
    loss, costs = LOSSES[name], np.linspace(0, 2, N)
    result = solve(X, y, loss, omega, costs)
    assert result.status is Status.SOLVED
    w, counted = result.weights, costs > 0
    primal = costs @ loss.values(y, X @ w) + omega.value_of(w)
    assert result.primal == pytest.approx(primal, rel=1e-12)
    v = X.T @ (costs * result.duals)
    if isinstance(omega, L1):
        assert np.abs(v).max() <= omega.l1 * (1 + 1e-13)
        v *= 1 - 1e-13
    conjugates = costs[counted] @ loss.conjugates(y, result.duals)[counted]
    assert result.dual == pytest.approx(-conjugates - omega.conjugate_of(v), rel=1e-11)
    assert -1e-12 * primal <= result.gap <= 1.01e-9 * max(1, primal)
    assert all(row.dual <= primal * (1 + 1e-12) for row in result.trace)


@pytest.mark.parametrize("name", [*CLASSIFY, "squared"])
def test_a_conic_solver_has_the_same_optimum(name):
    X, y = data(name)
    costs = np.linspace(0.5, 2, N)
    for omega in (L1(3.0), ElasticBall(0.4, 0.6)):

        def regularize(cvxpy, w, omega=omega):
            if isinstance(omega, L1):
                return omega.l1 * cvxpy.norm1(w), []
            ball = omega.gamma * cvxpy.norm1(w) + cvxpy.sum_squares(w) / 2
            return 0, [ball <= omega.radius]

        value, _ = conic(X, y, name, costs, regularize)
        result = solve(X, y, LOSSES[name], omega, costs)
        assert result.primal == pytest.approx(value, rel=1e-7)


def test_the_lasso_is_that_of_descent_over_features():
    X, y = data("squared")
    problem, costs = Problem.from_arrays(X, y), np.linspace(0, 2, N)
    for l1 in (0.1, 1.0, 10.0):
        ours = solve(X, y, regression.Squared(), L1(l1), costs, gap_tol=1e-11)
        other = FeatureDescent(problem.rows, y, costs, l1, 0.0).solve(Stopping(gap_tol=1e-13))
        assert ours.primal == pytest.approx(other.primal, rel=1e-10)
        np.testing.assert_allclose(X @ ours.weights, X @ other.weights, atol=1e-4)


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


@pytest.mark.parametrize("solver", ["liblinear", "saga"])
def test_scikit_learn_has_the_same_logistic_regression(solver):
    linear = pytest.importorskip("sklearn.linear_model")
    X, y = data("logistic")
    model = linear.LogisticRegression(
        C=0.5, l1_ratio=1.0, solver=solver, fit_intercept=False, tol=1e-10, max_iter=100_000
    )
    w = model.fit(X, y).coef_[0]
    ours = solve(X, y, Logistic(), L1(2.0), np.ones(N), gap_tol=1e-11)
    value = np.logaddexp(0, -y * (X @ w)).sum() + 2 * np.abs(w).sum()
    assert ours.primal <= value * (1 + 1e-11)
    assert ours.primal == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(X @ ours.weights, X @ w, atol=1e-3)


@pytest.mark.parametrize("omega", [L1(0.3), ElasticBall(0.5, 0.7)])
@pytest.mark.parametrize("cost", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (1, 5), (20, 1), (40, 5)])
def test_small_and_lopsided_problems(n, d, cost, omega):
    X, y = data("logistic", n, d)
    X[-1] += 1
    y[1:] = -1  # one example of a class, or one alone
    X = np.concatenate([X, X])
    result = solve(X, np.tile(y, 2), margin.SquaredHinge(), omega, np.full(2 * n, cost))
    assert result.status is Status.SOLVED
    once = solve(X[:n], y, margin.SquaredHinge(), omega, np.full(n, 2 * cost))
    assert once.primal == pytest.approx(result.primal, rel=1e-8)


def test_data_of_zeros():
    for omega in (L1(1.0), ElasticBall(1.0, 1.0)):
        result = solve(np.zeros((3, 2)), np.array([1.0, -1, 1]), Logistic(), omega, np.ones(3))
        assert result.status is Status.SOLVED
        assert result.primal == pytest.approx(3 * np.log(2), rel=1e-12)


@pytest.mark.parametrize("omega", [L1(1.0), ElasticBall(0.3, 2.0)])
def test_losses_of_all_classes(small_problem, omega):
    small = small_problem(n=50, d=6, k=4)
    label, costs, loss = small.y.astype(np.int32), np.linspace(0, 2, 50), Softmax()
    risk = BlockRisk(small.problem().rows, loss, label, 4, costs)
    result = FISTA(risk, omega).solve(Stopping(gap_tol=1e-9))
    assert result.status is Status.SOLVED
    primal = costs @ loss.values(small.X @ result.weights, label)
    assert result.primal == pytest.approx(primal + omega.value_of(result.weights.ravel()))
    duals = result.duals.dense(4)
    moves = -duals
    moves[np.arange(50), label] = duals.sum(axis=1)
    vector = (small.X.T @ moves).ravel() * (1 - 1e-12)
    dual = -loss.conjugates(duals, label, costs)[costs > 0].sum() - omega.conjugate_of(vector)
    assert result.dual == pytest.approx(dual, rel=1e-9)
