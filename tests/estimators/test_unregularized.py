"""Objectives without a regularizer: alpha = 0, C = inf and penalty=None."""

import numpy as np
import pytest
import sklearn.linear_model as peers
from numpy.testing import assert_allclose
from scipy.optimize import nnls
from scipy.sparse import csr_array
from scipy.special import log_expit, logsumexp
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning

import rrmlinear
from rrmlinear import HuberRegressor, LogisticRegression, QuantileRegressor, Ridge
from rrmlinear.solvers.loop.result import Status

X, y = load_diabetes(return_X_y=True)
LEAST_SQUARES = ["Ridge", "Lasso", "ElasticNet"]


@pytest.mark.parametrize("name", LEAST_SQUARES)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("as_sparse", [True, False])
def test_least_squares(name, intercept, weighted, as_sparse):
    weights = np.random.default_rng(0).random(len(y)) + 0.5 if weighted else None
    ours = getattr(rrmlinear, name)(alpha=0, fit_intercept=intercept)
    ours.fit(csr_array(X) if as_sparse else X, y, weights)
    theirs = peers.LinearRegression(fit_intercept=intercept).fit(X, y, weights)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-6)
    squares = np.average((y - theirs.predict(X)) ** 2, weights=weights)
    total = 442 if weights is None else weights.sum()
    optimum = squares * total if name == "Ridge" else squares / 2
    assert optimum * (1 - 1e-12) <= ours.objective_ <= optimum + ours.duality_gap_
    assert ours.duality_gap_ <= 1e-4 * optimum
    assert ours.status_ is Status.SOLVED


def test_the_shortest_of_several_minima():
    rng = np.random.default_rng(1)
    wide, target = rng.normal(size=(20, 50)), rng.normal(size=20)
    ours = Ridge(alpha=0, fit_intercept=False).fit(wide, target)
    assert_allclose(ours.coef_, np.linalg.pinv(wide) @ target, rtol=1e-6, atol=1e-9)
    assert ours.objective_ < 1e-15
    assert ours.status_ is Status.SOLVED


def test_weights_of_at_least_0():
    ours = Ridge(alpha=0, positive=True, fit_intercept=False, tol=1e-9).fit(X, y)
    w, length = nnls(X, y)
    assert_allclose(ours.coef_, w, atol=0.1)  # columns are alike: the objective is what counts
    assert ours.objective_ == pytest.approx(length**2, rel=1e-8)


def test_several_targets_without_and_with_a_regularizer():
    both = Ridge(alpha=np.array([0.0, 1.0])).fit(X, np.c_[y, y])
    assert_allclose(both.coef_[0], peers.LinearRegression().fit(X, y).coef_, rtol=1e-4)
    assert_allclose(both.coef_[1], Ridge(alpha=1.0).fit(X, y).coef_)


@pytest.mark.parametrize("quantile", [0.5, 0.9])
def test_quantiles(quantile):
    ours = QuantileRegressor(quantile=quantile, alpha=0, tol=1e-8).fit(X, y)
    theirs = peers.QuantileRegressor(quantile=quantile, alpha=0).fit(X, y)
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-3)
    r = y - theirs.predict(X)
    optimum = np.maximum(quantile * r, (quantile - 1) * r).mean()
    assert ours.objective_ == pytest.approx(optimum, rel=1e-7)
    assert optimum - 1e-9 <= ours.objective_ <= optimum + ours.duality_gap_


def test_residuals_that_are_large():
    ours = HuberRegressor(delta=50.0, alpha=0, tol=1e-8).fit(X, y)
    fitted = [HuberRegressor(delta=50.0, alpha=a, tol=1e-10).fit(X, y) for a in (1e-3, 1e-6)]
    assert ours.objective_ <= fitted[1].objective_ <= fitted[0].objective_
    assert ours.objective_ == pytest.approx(fitted[1].objective_, rel=1e-4)
    assert_allclose(ours.coef_, fitted[1].coef_, rtol=1e-2)


NOISY, SIGNS = make_classification(300, 8, flip_y=0.2, random_state=2)


def log_loss(model, X, y):
    scores = model.decision_function(X)
    if scores.ndim == 1:
        return -log_expit(np.where(y == model.classes_[1], 1, -1) * scores).sum()
    own = np.searchsorted(model.classes_, y)
    return (logsumexp(scores, axis=1) - scores[np.arange(len(y)), own]).sum()


@pytest.mark.parametrize("choices", [{"C": np.inf}, {"penalty": None}, {"penalty": None, "C": 0.1}])
@pytest.mark.parametrize("solver", ["auto", "newton-cholesky", "lbfgs", "fista"])
@pytest.mark.parametrize("intercept", [True, False])
def test_logistic_regression(choices, solver, intercept):
    ours = LogisticRegression(**choices, solver=solver, fit_intercept=intercept, tol=1e-6)
    ours.fit(NOISY, SIGNS)
    theirs = peers.LogisticRegression(C=np.inf, fit_intercept=intercept, tol=1e-10, max_iter=10**4)
    theirs.fit(NOISY, SIGNS)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    assert ours.objective_ == pytest.approx(log_loss(ours, NOISY, SIGNS), rel=1e-9)
    optimum = log_loss(theirs, NOISY, SIGNS)
    assert optimum * (1 - 1e-9) <= ours.objective_ <= optimum + ours.duality_gap_
    assert ours.duality_gap_ <= 1e-6 * optimum


def test_several_classes():
    X, y = load_iris(return_X_y=True)
    y = np.where(np.random.default_rng(0).random(150) < 0.2, (y + 1) % 3, y)
    ours = LogisticRegression(C=np.inf, tol=1e-8).fit(X, y)
    theirs = peers.LogisticRegression(C=np.inf, tol=1e-10, max_iter=10**5).fit(X, y)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
    assert ours.objective_ == pytest.approx(log_loss(theirs, X, y), rel=1e-8)


def test_classes_that_a_plane_separates():
    X, y = make_classification(60, 20, class_sep=3.0, flip_y=0, random_state=0)
    model = LogisticRegression(C=np.inf)
    with pytest.warns(ConvergenceWarning, match="no minimum that is near: without a regularizer"):
        model.fit(X, y)
    assert model.status_ is Status.NO_MINIMUM
    assert model.score(X, y) == 1
    # nothing is below 0, which the loss comes near
    assert model.duality_gap_ == model.objective_ < 1e-3
