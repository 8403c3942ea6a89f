"""Fits without a regularizer to columns of unlike size."""

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.sparse import csr_array
from scipy.special import log_expit, logsumexp

from rrmlinear import HuberRegressor, LinearClassifier, LogisticRegression, QuantileRegressor, Ridge
from tests.support.least_losses import (
    DECADES,
    FORMS,
    LEAST_SQUARES,
    check,
    fitted,
    least_huber,
    least_logistic,
    least_quantile,
    least_squares,
    unlike,
)


@pytest.mark.parametrize("decades", DECADES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("intercept", [True, False])
class TestColumnsOfUnlikeSize:
    @pytest.mark.parametrize("family", LEAST_SQUARES)
    def test_least_squares(self, decades, form, intercept, family):
        X, y, given = unlike(decades, form)
        model = fitted(family(alpha=0, fit_intercept=intercept), given, y)
        parts = 1 if family is Ridge else 2 * len(y)
        r = y - X.astype(float) @ model.coef_ - model.intercept_
        check(model, r @ r / parts, least_squares(X, y, intercept) / parts)

    @pytest.mark.parametrize("quantile", [0.5, 0.9])
    def test_quantiles(self, decades, form, intercept, quantile):
        X, y, given = unlike(decades, form)
        model = QuantileRegressor(alpha=0, quantile=quantile, fit_intercept=intercept)
        fitted(model, given, y)
        r = y - X.astype(float) @ model.coef_ - model.intercept_
        value = np.maximum(quantile * r, (quantile - 1) * r).mean()
        check(model, value, least_quantile(X, y, intercept, quantile))

    def test_large_residuals(self, decades, form, intercept):
        X, y, given = unlike(decades, form)
        model = fitted(HuberRegressor(alpha=0, delta=0.5, fit_intercept=intercept), given, y)
        r = y - X.astype(float) @ model.coef_ - model.intercept_
        clipped = np.clip(r, -0.5, 0.5)
        check(model, clipped @ (2 * r - clipped), least_huber(X, y, intercept, 0.5))

    @pytest.mark.parametrize("classes", [2, 3])
    def test_classes(self, decades, form, intercept, classes):
        X, y, given = unlike(decades, form)
        noise = 2 * np.random.default_rng(1).normal(size=len(y))
        label = np.digitize(y + noise, np.quantile(y + noise, np.arange(1, classes) / classes))
        model = fitted(LogisticRegression(C=np.inf, fit_intercept=intercept), given, label)
        scores = X.astype(float) @ model.coef_.T + model.intercept_
        if classes == 2:
            value = -log_expit(np.where(label > 0, 1, -1) * scores[:, 0]).sum()
        else:
            value = (logsumexp(scores, axis=1) - scores[np.arange(len(y)), label]).sum()
            largest = np.abs(model.coef_).max(axis=0)
            assert (np.abs(model.coef_.sum(axis=0)) <= 1e-12 * largest).all()
        check(model, value, least_logistic(X, label, intercept))


@pytest.mark.parametrize("decades", [(5, -2), (-4, 4)])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("as_sparse", [True, False])
def test_weights_of_at_least_0(decades, intercept, as_sparse):
    X, y, _ = unlike(decades, d=6)
    c = np.random.default_rng(3).random(len(y)) + 0.5
    model = Ridge(alpha=0, positive=True, fit_intercept=intercept)
    fitted(model, csr_array(X) if as_sparse else X, y, c)
    assert (model.coef_ >= 0).all()
    roots = np.sqrt(c)
    A = X / np.abs(X).max(axis=0)
    t = y
    if intercept:
        A, t = A - np.average(A, axis=0, weights=c), y - np.average(y, weights=c)
    optimum = nnls(roots[:, np.newaxis] * A, roots * t)[1] ** 2
    r = y - X @ model.coef_ - model.intercept_
    check(model, c @ r**2, optimum)


@pytest.mark.parametrize("tol", [1e-2, 1e-6])
@pytest.mark.parametrize("seed", [1, 2, 4])
def test_steps_from_long_weights_leave_no_rounding(seed, tol):
    random = np.random.default_rng(seed)
    rows = random.normal(size=(5, 60)) * 10.0 ** random.integers(-3, 4, 60)
    signs, weights = np.where(random.random(5) < 0.5, 1, -1), random.choice([1e-3, 1.0, 1e3], 5)
    signs[:2] = 1, -1
    model = LinearClassifier("smooth-hinge", C=1e3, tol=tol, fit_intercept=False)
    w = model.fit(rows, signs, sample_weight=weights).coef_[0]
    z = np.minimum(signs * (rows @ w), 1)
    value = w @ w / 2 + 1e3 * weights @ np.where(z < 0, 0.5 - z, (1 - z) ** 2 / 2)
    assert model.objective_ == pytest.approx(value, rel=1e-6)
    assert model.status_.name == "SOLVED"
