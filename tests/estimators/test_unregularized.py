"""Objectives without a regularizer: alpha = 0, C = inf and penalty=None."""

import numpy as np
import pytest
import sklearn.linear_model as peers
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from scipy.special import log_expit, logsumexp
from sklearn.datasets import load_diabetes, make_classification

import rrmlinear
from rrmlinear import LogisticRegression, Ridge
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


def test_several_targets_without_and_with_a_regularizer():
    both = Ridge(alpha=np.array([0.0, 1.0])).fit(X, np.c_[y, y])
    assert_allclose(both.coef_[0], peers.LinearRegression().fit(X, y).coef_, rtol=1e-4)
    assert_allclose(both.coef_[1], Ridge(alpha=1.0).fit(X, y).coef_)


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
