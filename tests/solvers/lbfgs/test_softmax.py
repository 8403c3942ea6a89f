"""The logistic loss of several classes, whatever the data: the optimum of Newton's method."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import logsumexp
from units import same_in_units

from rrmlinear import LogisticRegression, Parameter, Problem, fit
from rrmlinear.estimators.base import NotConvergedWarning

#: (n, d, k): few and many weights, few and many examples for each, and many values.
SHAPES = [(100, 2, 3), (400, 20, 5), (600, 30, 4), (3000, 4, 5), (300, 60, 20), (700, 70, 15)]


def made(n, d, k, stretch=0.0, offset=0.0):
    """Columns of lengths 10 to powers in ±stretch, uneven classes and whole weights, some 0."""
    rng = np.random.default_rng(n + d)
    X = offset + rng.standard_normal((n, d))
    scores = X @ rng.standard_normal((d, k)) + np.arange(k) / 2
    y = np.argmax(scores + 3 * rng.gumbel(size=(n, k)), axis=1)
    y[:k] = np.arange(k)
    weights = rng.integers(0, 3, n) + (np.arange(n) < k)
    return X * 10.0 ** rng.uniform(-stretch, stretch, d), y, weights.astype(float)


def objective(model, X, y, weights):
    """By its formula."""
    scores = X.astype(np.float64) @ model.coef_.T + model.intercept_
    losses = logsumexp(scores, axis=1) - scores[np.arange(len(y)), y]
    return (model.coef_**2).sum() / 2 + model.C * weights @ losses


def as_newton(X, y, weights, tol, **chosen):
    model = LogisticRegression(tol=tol, **chosen).fit(X, y, weights)
    assert 0 <= model.duality_gap_ <= tol * model.objective_
    assert objective(model, X, y, weights) == pytest.approx(model.objective_, rel=1e-9)
    newton = LogisticRegression(tol=tol / 10, solver="newton", **chosen).fit(X, y, weights)
    assert model.objective_ == pytest.approx(newton.objective_, rel=2 * tol)
    return model


@pytest.mark.parametrize("free", [True, False], ids=["intercepts", ""])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_optimum_is_that_of_newton(shape, C, free):
    X, y, weights = made(*shape, offset=2.0)
    chosen = {"C": C, "fit_intercept": free}
    model = as_newton(X, y, weights, 1e-8, **chosen)
    again = LogisticRegression(tol=1e-8, **chosen).fit(X, y, weights)
    assert (model.coef_ == again.coef_).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("C", [1.0, 100.0])
@pytest.mark.parametrize("shape", SHAPES[1:4], ids=str)
def test_stretched_columns_are_solved_as_newton_does(shape, C, dtype):
    X, y, weights = made(*shape, stretch=3.0)
    as_newton(X.astype(dtype), y, weights, 1e-7, C=C)


def test_an_absent_class_and_a_warm_start():
    X, y, _ = made(600, 2, 3)
    model = LogisticRegression(tol=1e-6, warm_start=True)
    for weights in ((y != 2).astype(float), np.ones(600), np.ones(600)):
        model.fit(X, y, sample_weight=weights)
        assert model.duality_gap_ <= 1e-6 * model.objective_


def test_a_bias_is_a_column_of_ones():
    X, y, _ = made(4000, 20, 5)
    given = Parameter(solver="auto", loss="softmax", gap_tol=1e-7)
    bias = fit(Problem.from_arrays(X, y, bias=1.0), given).result
    ones = fit(Problem.from_arrays(np.column_stack([X, np.ones(4000)]), y), given).result
    assert bias.primal == pytest.approx(ones.primal, rel=1e-7)


@pytest.mark.parametrize("part", [1.0, 0.3, 0.02])
def test_the_form_of_rows_does_not_change_the_way(part):
    """Dense or sparse, the same numbers have the same optimum after about as many passes."""
    X, y, _ = made(1000, 30, 4)
    X[np.random.default_rng(1).random(X.shape) >= part] = 0
    dense, sparse = (LogisticRegression(tol=1e-6).fit(each, y) for each in (X, csr_array(X)))
    assert sparse.objective_ == pytest.approx(dense.objective_, rel=1e-6)
    assert dense.n_iter_ / 3 <= sparse.n_iter_ <= 3 * dense.n_iter_


def test_raw_values_are_solved():
    rng = np.random.default_rng(5)
    X = 300 * rng.random((2000, 8)) ** 3
    y = np.argmax(X[:, :5] + rng.standard_normal((2000, 5)), axis=1)
    model = LogisticRegression(tol=1e-4).fit(X, y)
    assert model.duality_gap_ <= 1e-4 * model.objective_


@pytest.mark.parametrize("scale", [1e-80, 1e-8, 1e8, 1e80])
def test_units_of_features_have_no_effect(scale):
    X, y, _ = made(1000, 3, 3)
    same_in_units(X, y, "softmax", scale)


@pytest.mark.parametrize("C", [1e-200, 1e-12, 1e12])
@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_hard_values_end_in_a_true_gap(C, scale):
    X, y, _ = made(400, 20, 5, stretch=3.0)
    model = LogisticRegression(C=C, tol=1e-3, max_iter=15)
    with warnings.catch_warnings(action="ignore", category=NotConvergedWarning):
        model.fit(X * scale, y)
    assert np.isfinite(model.objective_)
    assert model.duality_gap_ >= -1e-9 * model.objective_
