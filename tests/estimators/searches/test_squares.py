"""Least squares as a problem of as many rows as features: the same objective, the same paths."""

import numpy as np
import pytest

from rrmlinear import ElasticNet, ElasticNetCV

N, D = 90, 6


def problem(dtype=np.float64):
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((N, D)) * [1, 2, 3, 0.1, 1, 1] + 5).astype(dtype)
    X[:, 4] = X[:, 5]  # a singular Gram matrix
    return X, X @ [1.0, 0, -2, 0, 0.5, 0] + rng.standard_normal(N), rng.integers(0, 4, N) * 0.5


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [True, False, "regularized"])
def test_errors_of_a_path_are_those_of_fits_one_by_one(intercept, weighted, dtype):
    X, y, c = problem(dtype)
    given = c if weighted else None
    search = ElasticNetCV(l1_ratio=0.7, alphas=7, cv=3, tol=1e-10, fit_intercept=intercept).fit(
        X, y, given
    )
    bounds = np.linspace(0, N, 4).astype(int)
    for fold in range(3):
        held = np.arange(bounds[fold], bounds[fold + 1])
        train = np.setdiff1d(np.arange(N), held)
        for alpha, error in zip(search.alphas_, search.mse_path_[:, fold], strict=True):
            model = ElasticNet(alpha=alpha, l1_ratio=0.7, tol=1e-10, fit_intercept=intercept)
            model.fit(X[train], y[train], c[train] if weighted else None)
            errors = (y[held] - model.predict(X[held])) ** 2
            mean = np.average(errors, weights=c[held] if weighted else None)
            assert error == pytest.approx(mean, rel=1e-3 if dtype == np.float32 else 1e-4)
