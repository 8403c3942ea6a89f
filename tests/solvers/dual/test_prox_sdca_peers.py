"""Prox-SDCA against scikit-learn, each model in the parametrization that both can state."""

import numpy as np
import pytest
from scipy.optimize import minimize

from rrmlinear import Problem
from rrmlinear.losses import margin, regression
from rrmlinear.losses.logistic import Logistic
from rrmlinear.regularizers.separable import L2, ElasticNet
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.stopping import Stopping

linear_model = pytest.importorskip("sklearn.linear_model")
svm = pytest.importorskip("sklearn.svm")

N, D = 80, 10
CLOSE = {"rtol": 1e-6, "atol": 1e-6}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(11)
    X = rng.standard_normal((N, D))
    y = X @ rng.standard_normal(D) + 0.5 * rng.standard_normal(N)
    return X, y, np.where(y > 0, 1.0, -1.0)


def weights(X, y, loss, cost, regularizer=None, gap_tol=1e-13):
    problem = Problem.from_arrays(X, y)
    omega = regularizer or L2()
    solver = ProxSDCA(problem.rows, problem.labels, np.full(N, float(cost)), loss, omega)
    result = solver.solve(Stopping(gap_tol=gap_tol, max_passes=200_000))
    assert result.status is Status.SOLVED
    return result.weights


def test_ridge_weights_are_those_of_scikit_learn(data):
    X, y, _ = data
    # ‖y − Xw‖² + a ‖w‖² is 2a times ours with C = 1/a.
    peer = linear_model.Ridge(alpha=3.0, fit_intercept=False).fit(X, y).coef_
    np.testing.assert_allclose(weights(X, y, regression.Squared(), 1 / 3), peer, **CLOSE)


@pytest.mark.parametrize("ratio", [0.2, 0.7])
def test_elastic_net(data, ratio):
    X, y, _ = data
    # ‖y − Xw‖²/(2n) + a r ‖w‖₁ + a (1 − r)/2 ‖w‖².
    a = 0.1
    peer = linear_model.ElasticNet(a, l1_ratio=ratio, fit_intercept=False, tol=1e-14)
    peer.set_params(max_iter=100_000).fit(X, y)
    omega = ElasticNet(a * ratio, a * (1 - ratio))
    ours = weights(X, y, regression.Squared(), 1 / N, omega)
    np.testing.assert_allclose(ours, peer.coef_, **CLOSE)
    np.testing.assert_array_equal(ours == 0, peer.coef_ == 0)


def test_logistic_regression(data):
    X, _, y = data
    peer = linear_model.LogisticRegression(C=0.7, fit_intercept=False, tol=1e-12, max_iter=10_000)
    np.testing.assert_allclose(weights(X, y, Logistic(), 0.7), peer.fit(X, y).coef_[0], **CLOSE)


@pytest.mark.parametrize(
    ("name", "loss"), [("hinge", margin.Hinge()), ("squared_hinge", margin.SquaredHinge())]
)
def test_linear_svc(data, name, loss):
    X, _, y = data
    peer = svm.LinearSVC(C=0.2, loss=name, dual=True, fit_intercept=False, tol=1e-10)
    peer.set_params(max_iter=1_000_000).fit(X, y)
    np.testing.assert_allclose(weights(X, y, loss, 0.2), peer.coef_[0], **CLOSE)


@pytest.mark.parametrize(
    ("name", "loss"),
    [
        ("epsilon_insensitive", regression.EpsilonInsensitive(0.3)),
        ("squared_epsilon_insensitive", regression.SquaredEpsilonInsensitive(0.3)),
    ],
)
def test_linear_svr(data, name, loss):
    X, y, _ = data
    peer = svm.LinearSVR(epsilon=0.3, C=0.1, loss=name, dual=True, fit_intercept=False, tol=1e-10)
    peer.set_params(max_iter=1_000_000).fit(X, y)
    np.testing.assert_allclose(weights(X, y, loss, 0.1), peer.coef_, **CLOSE)


def test_huber_regressor(data):
    X, y, _ = data
    # At the scale s that it finds, its weights minimize (2/s) Σ Huber with δ = ε s, plus a ‖w‖²:
    # 2a times ours with C = 1/(a s).
    a, epsilon = 0.5, 1.3
    peer = linear_model.HuberRegressor(epsilon=epsilon, alpha=a, fit_intercept=False, tol=1e-12)
    peer.set_params(max_iter=100_000).fit(X, y)
    loss = regression.Huber(epsilon * peer.scale_)
    ours = weights(X, y, loss, 1 / (a * peer.scale_))
    # It minimizes by L-BFGS: its own weights are good to about 1e-5.
    np.testing.assert_allclose(ours, peer.coef_, rtol=1e-4, atol=1e-4)

    def objective(w):
        r = y - X @ w
        value = w @ w / 2 + loss.values(y, X @ w).sum() / (a * peer.scale_)
        slope = np.clip(r, -epsilon * peer.scale_, epsilon * peer.scale_)
        return value, w - X.T @ slope / (a * peer.scale_)

    best = minimize(objective, ours, jac=True, method="BFGS", options={"gtol": 1e-10}).x
    np.testing.assert_allclose(ours, best, **CLOSE)


@pytest.mark.parametrize("quantile", [0.2, 0.5, 0.9])
def test_quantile_regressor(data, quantile):
    X, y, _ = data
    # It has (1/n) Σ pinball + a ‖w‖₁ alone; ours has some little of ½ ‖w‖² too, so that each is
    # best at its own.
    a, little = 0.05, 1e-3
    peer = linear_model.QuantileRegressor(quantile=quantile, alpha=a, fit_intercept=False)
    loss = regression.Quantile(quantile)

    def objective(w):
        return loss.values(y, X @ w).mean() + a * abs(w).sum()

    theirs = peer.fit(X, y).coef_
    ours = weights(X, y, loss, 1 / N, ElasticNet(a, little), 1e-8)
    assert objective(theirs) <= objective(ours) + 1e-9
    allowed = little / 2 * (theirs @ theirs - ours @ ours)
    assert objective(ours) <= objective(theirs) + allowed + 1e-7
