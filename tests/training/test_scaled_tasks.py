"""Tasks over features of very different lengths: the problem stays, in other units."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import MultiTaskRegressor

SCALES = 10.0 ** np.array([0, 3, -2, 1, 0, 2])


def data(k):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 6)) + 1
    tasks = np.arange(300) % k
    y = X @ np.array([1.0, -2, 0, 3, 0, 1]) + tasks + rng.standard_normal(300)
    return X * SCALES, y, tasks if k > 1 else None


def objective(model, X, y, tasks, loss):
    coef, at = np.atleast_2d(model.coef_), np.zeros(len(y), int) if tasks is None else tasks
    residual = y - (X * coef[at]).sum(axis=1) - np.atleast_1d(model.intercept_)[at]
    fit = np.abs(residual) if loss == "absolute" else residual**2 / 2
    if model.regularizer == "l21":
        return fit.sum() + np.linalg.norm(coef, axis=0).sum()
    return fit.sum() + np.abs(coef).max(axis=0).sum()


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("regularizer", ["l21", "l1inf"])
@pytest.mark.parametrize("k", [1, 3])
def test_stretched_features_are_solved_in_the_units_given(k, regularizer, form):
    X, y, tasks = data(k)
    choices = {"regularizer": regularizer, "solver": "pdprox-dual", "tol": 1e-6}
    model = MultiTaskRegressor("squared", max_iter=3000, **choices).fit(form(X), y, tasks)
    assert model.status_.name == "SOLVED"
    found = objective(model, X, y, tasks, "squared")
    assert found == pytest.approx(model.objective_, rel=1e-9)


def test_features_that_no_example_has_get_no_weight():
    X, y, tasks = data(3)
    X[:, 4] = 0
    choices = {"solver": "pdprox-dual", "tol": 1e-3, "max_iter": 20_000}
    model = MultiTaskRegressor("absolute", **choices).fit(X, y, tasks)
    assert model.status_.name == "SOLVED"
    assert (model.coef_[:, 4] == 0).all()
    found = objective(model, X, y, tasks, "absolute")
    assert found == pytest.approx(model.objective_, rel=1e-9)
