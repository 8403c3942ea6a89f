"""Exact fits and separable classes beside a tiny regularizer: optima of outside solvers, proven."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog, nnls
from scipy.sparse import csr_array

from rrmlinear import ElasticNet, Lasso, LinearSVC, LogisticRegression, QuantileRegressor, Ridge
from rrmlinear.solvers.loop.result import Status


def of_unlike_size(rng, n, d):
    """Numbers in columns of 1e-5 to 1e5, and as long weights of their own."""
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-5, 5, size=d)
    return X, X @ (rng.normal(size=d) / np.abs(X).max(axis=0))


def least_norm(X, y, costs, one):
    """The least Σ costs_j |w_j| with X w + b · one = y."""
    A, bounds = np.column_stack([X, -X, np.full(len(y), one)]), [(0, None)] * 2 * X.shape[1]
    return linprog([*costs, *costs, 0], A_eq=A, b_eq=y, bounds=[*bounds, (None, None)]).fun


@pytest.mark.parametrize(("quantile", "noise"), [(0.5, 0.5), (0.9, 0)])
@pytest.mark.parametrize("shape", [(20, 40), (30, 30)])
@pytest.mark.parametrize("alpha", [1e-8, 1e-10])
def test_quantiles_that_fit_exactly_are_a_linear_program(shape, quantile, noise, alpha):
    """The least ‖w‖₁ with X w + b = y: duals are far from their bounds."""
    rng = np.random.default_rng(sum(shape))
    X, y = of_unlike_size(rng, *shape)
    y = y + noise * rng.normal(size=len(y))
    sizes = np.abs(X).max(axis=0)
    least = least_norm(X / sizes, y, sizes.max() / sizes, 1)
    model = QuantileRegressor(quantile=quantile, alpha=alpha).fit(X, y)
    assert model.status_ is Status.SOLVED
    assert_allclose(model.objective_, alpha * least / sizes.max(), rtol=1e-4)
    assert model.duality_gap_ <= 1e-4 * model.objective_
    assert model.n_iter_ < 1000


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shape", [(50, 1500), (100, 300)])
@pytest.mark.parametrize("alpha", [1e-8, 1e-12])
def test_a_lasso_that_fits_exactly_is_a_linear_program(shape, alpha, intercept):
    """The least ‖w‖₁ with X w + b = y, whose features are found on the way from a large alpha."""
    rng = np.random.default_rng(sum(shape))
    X = rng.normal(size=shape)
    y = X[:, :10] @ rng.normal(size=10) + 2 * intercept
    least = least_norm(X, y, np.ones(X.shape[1]), intercept)
    model = Lasso(alpha=alpha, fit_intercept=intercept).fit(X, y)
    assert model.status_ is Status.SOLVED
    assert_allclose(model.objective_, alpha * least, rtol=1e-4)
    assert model.duality_gap_ <= 1e-4 * model.objective_
    assert model.n_iter_ < 50


@pytest.mark.parametrize("C", [1e6, 1e9, 1e12])
def test_separable_classes_with_a_large_C_have_the_widest_margin(C):
    """The least ½ ‖w‖² with y_i x_i'w ≥ 1, by least squares with duals of at least 0."""
    X, scores = of_unlike_size(np.random.default_rng(60), 30, 30)
    y = np.sign(scores)
    rows = np.column_stack([X, np.ones(30)]) * y[:, np.newaxis]
    end = np.append(np.zeros(31), 1.0)
    stacked = np.vstack([rows.T, np.ones(30)])
    residual = stacked @ nnls(stacked, end, maxiter=10_000)[0] - end
    w = -residual[:-1] / residual[-1]
    model = LinearSVC(loss="hinge", C=C, max_iter=3000).fit(X, y)
    assert_allclose(model.objective_, w @ w / 2, rtol=1e-3)
    assert model.duality_gap_ <= 1e-3 * model.objective_
    assert model.n_iter_ < 1000


@pytest.mark.parametrize("ratio", [0.1, 0.9])
def test_an_elastic_net_that_fits_exactly_has_a_limit(ratio):
    """P / alpha → the least penalty of weights with X w = y."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 180)), rng.normal(size=60)
    nets = [ElasticNet(alpha=a, l1_ratio=ratio).fit(X, y) for a in (1e-8, 1e-9, 1e-11)]
    assert all(net.status_ is Status.SOLVED for net in nets)
    assert_allclose([n.objective_ / n.alpha for n in nets], nets[0].objective_ / 1e-8, rtol=3e-4)


@pytest.mark.parametrize("form", [np.array, csr_array])
def test_columns_of_zeros_have_no_weight(form):
    for model, y in (
        (LogisticRegression(fit_intercept=False), [0, 1, 1]),
        (Ridge(fit_intercept=False), [0.0, 1.0, 2.0]),
        (Lasso(positive=True, fit_intercept=False), [0.0, 1.0, 2.0]),
    ):
        assert not model.fit(form(np.zeros((3, 9))), y).coef_.any()
        assert model.status_ is Status.SOLVED
