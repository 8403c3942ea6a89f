"""Warm starts of classifiers and regressions: quick, to the same optimum."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from rrmlinear import LinearClassifier, LinearRegressor, LogisticRegression
from rrmlinear.solvers.loop.result import Status


@pytest.mark.parametrize("change", ["classes", "number", "labels", "order", "kind", "loss"])
def test_a_warm_start_serves_whatever_changed(iris, change):
    X, y = iris
    estimator = LinearClassifier("hinge", C=0.3, tol=1e-9, warm_start=True).fit(X, y)
    if change == "classes":
        X, y = X[y > 0], y[y > 0]
    elif change == "number":
        X, y = X[:-10], y[:-10]
    elif change == "labels":
        y = np.roll(y, 7)
    elif change == "order":
        X, y = X[::-1], y[::-1]
    else:
        estimator.loss = "weston-watkins" if change == "kind" else "logistic"
    fresh = clone(estimator).fit(X, y)
    estimator.fit(X, y)
    assert estimator.status_ is Status.SOLVED
    assert estimator.trace_[-1].primal == pytest.approx(fresh.trace_[-1].primal, rel=1e-8)
    assert_allclose(estimator.coef_, fresh.coef_, atol=1e-3)


@pytest.mark.parametrize("solver", ["auto", "newton"])
@pytest.mark.parametrize("regularizer", ["l1", "l2"])
def test_a_warm_start_at_an_optimum_takes_no_step(numbers, solver, regularizer):
    X, y = numbers
    choices = {"solver": solver, "regularizer": regularizer, "tol": 1e-3, "warm_start": True}
    model = LinearRegressor("poisson", C=0.1, **choices).fit(X, np.round(np.exp(y / y.std())))
    before = [*model.coef_, model.intercept_]
    model.fit(X, np.round(np.exp(y / y.std())))
    assert before == [*model.coef_, model.intercept_]
    assert model.status_ is Status.SOLVED


@pytest.mark.parametrize("regularizer", ["l1", "elastic-net"])
@pytest.mark.parametrize("intercept", [True, False, "regularized"])
def test_a_warm_start_begins_at_the_last_weights(two_classes, numbers, regularizer, intercept):
    choices = {"regularizer": regularizer, "tol": 1e-7, "warm_start": True}
    for estimator, (X, y) in (
        (LinearClassifier("logistic", fit_intercept=intercept, **choices), two_classes),
        (LinearRegressor("squared", fit_intercept=intercept, **choices), numbers),
    ):
        cold = estimator.fit(X, y)
        primal = cold.trace_[-1].primal
        warm = cold.fit(X, y)
        assert warm.trace_[0].primal <= (1 + 1e-5) * primal
        assert warm.trace_[-1].primal == pytest.approx(primal, rel=2e-7)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("C", [1.0, np.inf])
def test_a_newton_step_and_another_are_two(intercept, C):
    X, y = load_iris(return_X_y=True)
    both = LogisticRegression(C=C, solver="newton-cg", fit_intercept=intercept, max_iter=2)
    each = clone(both).set_params(max_iter=1, warm_start=True)
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        both.fit(X, y)
        first = each.fit(X, y).coef_.copy()
        each.fit(X, y)
    assert_allclose(each.coef_, both.coef_)
    assert_allclose(each.intercept_, both.intercept_)
    assert np.abs(first - each.coef_).max() > 0.1 * np.abs(first).max()
