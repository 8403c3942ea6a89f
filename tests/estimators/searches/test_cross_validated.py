"""Regularization by cross validation: scikit-learn's choices, and paths whose points are proven."""

import numpy as np
import pytest
import sklearn.linear_model
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

import rrmlinear
from rrmlinear import LassoCV, LinearSVC, LinearSVCCV, LogisticRegressionCV


@pytest.fixture(scope="module")
def cells():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X)[::3], y[::3]


@pytest.fixture(scope="module")
def patients():
    X, y = load_diabetes(return_X_y=True)
    return X[::2], y[::2]


@pytest.mark.parametrize("name", ["LassoCV", "ElasticNetCV"])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_a_path_of_weights_of_at_least_0_begins_at_the_least_alpha_that_leaves_them_0(
    name, fit_intercept
):
    X = np.array([[3.0, -1.0], [2.0, -5.0], [5.0, -3.0], [1.0, -4.0]])
    y = X @ [1, -2]
    choices = {"alphas": 3, "cv": 2, "positive": True, "fit_intercept": fit_intercept}
    ours = getattr(rrmlinear, name)(**choices).fit(X, y)
    theirs = getattr(sklearn.linear_model, name)(**choices).fit(X, y)
    assert_allclose(ours.alphas_, theirs.alphas_, rtol=1e-12)


@pytest.mark.parametrize(
    "estimator",
    [LassoCV(cv=3, tol=1e-6), LinearSVCCV(Cs=5, cv=4), LogisticRegressionCV(Cs=5, cv=4)],
    ids=["LassoCV", "LinearSVCCV", "LogisticRegressionCV"],
)
def test_folds_of_other_sizes_count_alike(cells, estimator):
    X, y = cells
    fitted = clone(estimator).fit(X[:50, :5], y[:50], np.full(50, 2.0))
    if hasattr(fitted, "mse_path_"):
        best = -fitted.mse_path_.mean(axis=-1).min()
    else:
        best = fitted.scores_.mean(axis=0).max()
    assert fitted.best_score_ == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_ridge_by_folds_is_theirs(patients, weighted):
    X, y = patients
    weights = np.random.default_rng(0).random(len(y)) + 0.5 if weighted else None
    alphas = [1e-3, 1e-2, 0.1, 1.0]
    ours = rrmlinear.RidgeCV(alphas, cv=5, tol=1e-10).fit(X, y, weights)
    single = rrmlinear.Ridge(alpha=ours.alpha_, tol=1e-10).fit(X, y, weights)
    assert_array_equal(ours.coef_, single.coef_)
    if not weighted:
        theirs = sklearn.linear_model.RidgeCV(alphas, cv=5, scoring="neg_mean_squared_error")
        assert ours.alpha_ == theirs.fit(X, y).alpha_
        assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-6)


def test_costs_of_a_logistic_regression_are_theirs(cells):
    X, y = cells
    choices = {"Cs": [0.01, 0.1, 1.0], "cv": 4, "scoring": "neg_log_loss"}
    choices |= {"l1_ratios": (0.0,), "use_legacy_attributes": False, "tol": 1e-9}
    theirs = sklearn.linear_model.LogisticRegressionCV(**choices, max_iter=10**4).fit(X, y)
    ours = LogisticRegressionCV(**choices).fit(X, y)
    assert ours.C_ == theirs.C_
    assert_allclose(ours.scores_, theirs.scores_, rtol=1e-4)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-3)


def test_costs_of_a_machine_are_those_of_a_grid_search(cells):
    X, y = cells
    Cs = [1e-3, 1e-2, 1e-1]
    found = LinearSVCCV(Cs=Cs, loss="hinge", cv=4, tol=1e-6).fit(X, y)
    grid = GridSearchCV(LinearSVC(loss="hinge", tol=1e-6), {"C": Cs}, cv=4).fit(X, y)
    assert_allclose(found.scores_.mean(axis=(0, 1)), grid.cv_results_["mean_test_score"], atol=1e-3)
    assert found.C_ in Cs
    assert found.score(X, y) > 0.95


def test_what_does_not_arrive_is_told(cells):
    _, y = cells
    wide = np.random.default_rng(0).normal(size=(len(y), 4 * len(y)))
    with pytest.warns(ConvergenceWarning, match="after 1 pass"):
        LinearSVCCV(Cs=[10.0], loss="hinge", cv=3, max_iter=1, tol=1e-9).fit(wide, y)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (LogisticRegressionCV(Cs=[0.0, 1.0]), "Cs is .* it must be finite numbers above 0"),
        (LassoCV(alphas=[]), "alphas is .* it must be finite numbers above 0"),
        (rrmlinear.ElasticNetCV(l1_ratio=[0.0]), "with a ratio of 0 there is no largest alpha"),
        (rrmlinear.ElasticNetCV(l1_ratio=[1.5]), r"its values must lie in \[0, 1\]"),
    ],
)
def test_wrong_grids_are_named(cells, estimator, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(*cells)
