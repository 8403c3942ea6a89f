"""Least squares of several targets that share features, beside scikit-learn's classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import linear_model

from rrmlinear import (
    MultiTaskElasticNet,
    MultiTaskElasticNetCV,
    MultiTaskLasso,
    MultiTaskLassoCV,
    Ridge,
)

rng = np.random.default_rng(1)
X = rng.normal(size=(80, 12)) + rng.normal(size=12)
Y = X[:, :4] @ rng.normal(size=(4, 3)) + rng.normal(size=(80, 3)) + 5
weights = rng.integers(0, 3, 80).astype(float)
#: More features than twice the examples: their products are not kept.
WIDE = rng.normal(size=(9, 60))
WIDE_Y = WIDE[:, :2] @ rng.normal(size=(2, 2)) + rng.normal(size=(9, 2))


def largest_alpha(A, B):
    A, B = A - A.mean(axis=0), B - B.mean(axis=0)
    return np.linalg.norm(A.T @ B, axis=1).max() / len(A)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("part", [0.5, 0.1, 0.003])
@pytest.mark.parametrize(("A", "B"), [(X, Y), (WIDE, WIDE_Y)])
@pytest.mark.parametrize(
    ("ours", "theirs", "more"),
    [
        (MultiTaskLasso, linear_model.MultiTaskLasso, {}),
        (MultiTaskElasticNet, linear_model.MultiTaskElasticNet, {"l1_ratio": 0.6}),
    ],
)
def test_weights_are_those_of_scikit_learn(ours, theirs, more, A, B, part, fit_intercept):
    how = {"alpha": part * largest_alpha(A, B), "fit_intercept": fit_intercept, **more}
    model = ours(**how, tol=1e-12).fit(A, B)
    other = theirs(**how, tol=1e-13, max_iter=1_000_000).fit(A, B)
    assert_allclose(model.coef_, other.coef_, atol=1e-6)
    assert_allclose(model.intercept_, other.intercept_, atol=1e-6)
    residual = B - model.predict(A)
    penalty = more.get("l1_ratio", 1) * np.linalg.norm(model.coef_, axis=0).sum()
    penalty += (1 - more.get("l1_ratio", 1)) / 2 * (model.coef_**2).sum()
    objective = (residual**2).sum() / (2 * len(A)) + how["alpha"] * penalty
    assert_allclose(model.objective_, objective, rtol=1e-10)
    assert 0 <= model.duality_gap_ <= 1e-12 * model.objective_ + 1e-15


@pytest.mark.parametrize("l1_ratio", [1.0, 0.3])
def test_the_gap_bounds_the_distance_to_the_minimum(l1_ratio):
    exact = MultiTaskElasticNet(0.1, l1_ratio=l1_ratio, tol=1e-12).fit(X, Y)
    for tol in (0.3, 1e-2, 1e-4):
        model = MultiTaskElasticNet(0.1, l1_ratio=l1_ratio, tol=tol).fit(X, Y)
        assert model.duality_gap_ <= tol * model.objective_
        assert model.objective_ - exact.objective_ <= model.duality_gap_ + 1e-12
        # duals of the gap: within the dual norm of features
        duals = model.dual_coef_
        assert duals.shape == Y.shape
        if l1_ratio == 1:
            assert np.linalg.norm(X.T @ duals, axis=1).max() <= 0.1 * 80 * (1 + 1e-9)
            assert_allclose(duals.sum(axis=0), 0, atol=1e-9)
            dual = ((Y * duals).sum() - (duals**2).sum() / 2) / 80
            assert_allclose(model.objective_ - model.duality_gap_, dual, rtol=1e-9)


def test_above_the_largest_alpha_all_weights_are_0():
    largest = largest_alpha(X, Y)
    model = MultiTaskLasso(largest * (1 + 1e-9), tol=1e-9).fit(X, Y)
    assert not model.coef_.any()
    assert_allclose(model.intercept_, Y.mean(axis=0))
    assert MultiTaskLasso(largest * 0.99, tol=1e-9).fit(X, Y).coef_.any()


@pytest.mark.parametrize("how", [{"alpha": 0.0}, {"alpha": 0.2, "l1_ratio": 0.0}])
def test_without_norms_of_features_it_is_ridge_regression(how):
    model = MultiTaskElasticNet(**how, tol=1e-10).fit(X, Y, weights)
    ridge = Ridge(how["alpha"] * weights.sum(), tol=1e-10).fit(X, Y, weights)
    assert_allclose(model.coef_, ridge.coef_)
    assert_allclose(model.objective_, ridge.objective_ / (2 * weights.sum()))
    assert model.duality_gap_ <= 1e-9 * model.objective_


def test_a_warm_start_begins_at_the_last_weights():
    model = MultiTaskLasso(0.02, tol=1e-9, warm_start=True).fit(X, Y)
    cold = MultiTaskLasso(0.019, tol=1e-9).fit(X, Y)
    model.set_params(alpha=0.019).fit(X, Y)
    assert model.n_iter_ <= cold.n_iter_
    assert_allclose(model.coef_, cold.coef_, atol=1e-6)
    assert model.fit(X[:, :5], Y[:, :2]).coef_.shape == (2, 5)


@pytest.mark.parametrize("given", [None, weights])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_searches_are_those_of_scikit_learn(given, fit_intercept):
    how = {"alphas": 9, "cv": 3, "fit_intercept": fit_intercept}
    model = MultiTaskLassoCV(**how, tol=1e-10).fit(X, Y, given)
    if given is None:
        other = linear_model.MultiTaskLassoCV(**how, tol=1e-11, max_iter=100_000).fit(X, Y)
        assert_allclose(model.alphas_, other.alphas_, rtol=1e-10)
        assert_allclose(model.mse_path_, other.mse_path_, rtol=1e-5)
        assert model.alpha_ == pytest.approx(other.alpha_)
        assert_allclose(model.coef_, other.coef_, atol=1e-6)
    alone = MultiTaskLasso(model.alpha_, fit_intercept=fit_intercept, tol=1e-10)
    assert_allclose(model.coef_, alone.fit(X, Y, given).coef_, atol=1e-5)
    assert model.duality_gap_ <= 1e-10 * model.objective_


def test_searches_over_ratios_are_those_of_scikit_learn():
    how = {"l1_ratio": [0.2, 0.9], "alphas": 7, "cv": 4}
    model = MultiTaskElasticNetCV(**how, tol=1e-10).fit(WIDE, WIDE_Y)
    other = linear_model.MultiTaskElasticNetCV(**how, tol=1e-12, max_iter=100_000)
    other.fit(WIDE, WIDE_Y)
    assert_allclose(model.alphas_, other.alphas_, rtol=1e-10)
    assert_allclose(model.mse_path_, other.mse_path_, rtol=1e-4)
    assert model.l1_ratio_ == other.l1_ratio_
    assert_allclose(model.coef_, other.coef_, atol=1e-6)
    assert model.best_score_ == pytest.approx(-model.mse_path_.mean(axis=2).min())


def test_a_search_over_columns_that_are_alike_is_that_of_fits():
    alike = X[:, :1] + 0.01 * X[:, :6]
    columns = np.hstack([alike, alike[:, :2], np.ones((80, 1)), X[:, 6:]])
    how = {"alphas": [3.0, 2.9, 0.1, 1e-2, 1e-3], "cv": 3, "tol": 1e-6}
    scored = MultiTaskLassoCV(**how, scoring="neg_mean_squared_error").fit(columns, Y)
    plain = MultiTaskLassoCV(**how).fit(columns, Y)
    assert_allclose(scored.mse_path_, plain.mse_path_, rtol=1e-3)
    assert plain.alpha_ == scored.alpha_


@pytest.mark.parametrize("kind", [MultiTaskLasso, MultiTaskElasticNet, MultiTaskLassoCV])
@pytest.mark.parametrize(
    ("how", "data", "error"),
    [
        ({}, (X, Y[:, 0]), "must be n_samples × n_targets: for one target take Lasso"),
        ({"solver": "newton"}, (X, Y), "solver is 'newton'; it must be one of auto"),
        ({"fit_intercept": "regularized"}, (X, Y), "fit_intercept"),
        ({}, (X, np.where(Y > 5, np.nan, Y)), "NaN"),
    ],
)
def test_what_it_does_not_take_is_refused(kind, how, data, error):
    with pytest.raises(ValueError, match=error):
        kind(**how).fit(*data)


def test_pages_tell_the_data_and_the_errors(tmp_path):
    pytest.importorskip("plotly")
    MultiTaskLasso(0.1).fit(X, Y).report(tmp_path / "page.html", X, Y, static=True)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "root of the mean squared error" in page
    assert "share their features" in page


def test_a_limit_on_passes_tells():
    with pytest.warns(match="the limit on passes"):
        model = MultiTaskLasso(0.001, tol=1e-12, max_iter=1).fit(X, Y)
    assert model.duality_gap_ > 1e-12 * model.objective_


def test_weights_and_the_gap_have_the_names_of_scikit_learn():
    model = MultiTaskLasso(0.1).fit(X, Y)
    assert_allclose(model.sparse_coef_.toarray(), model.coef_, rtol=0)
    assert model.dual_gap_ == model.duality_gap_
