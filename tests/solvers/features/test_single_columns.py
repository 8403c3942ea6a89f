"""Sweeps over columns that are rounded to float32 find the optimum of the columns as they are."""

import numpy as np
import pytest

from rrmlinear import ElasticNet, Lasso
from rrmlinear.solvers.features import feature_columns, feature_descent
from rrmlinear.solvers.features.feature_columns import FeatureColumns

N, D = 120, 600


def problem_of(scale=1.0, offset=0.0):
    rng = np.random.default_rng(0)
    X = 0.7 * rng.standard_normal((N, D))
    X += 0.7 * rng.standard_normal((N, 12)) @ rng.standard_normal((12, D)) / np.sqrt(12)
    w = rng.standard_normal(D) * (np.arange(D) < 60)
    y = X @ w
    y += 0.5 * y.std() * rng.standard_normal(N)
    return np.asfortranarray(scale * (X + offset)), y, rng.integers(1, 4, N).astype(float)


@pytest.fixture
def copies(monkeypatch):
    """Whether each working set was copied in float32."""
    found, real = [], FeatureColumns.single_sweeps

    def counted(self, *given):
        sweeps = real(self, *given)
        found.append(sweeps is not None)
        return sweeps

    monkeypatch.setattr(FeatureColumns, "single_sweeps", counted)
    monkeypatch.setattr(feature_columns, "MIN_SINGLE_COPY", 1)
    monkeypatch.setattr(feature_descent, "SMALL_GRAM", 0)
    monkeypatch.setattr(feature_descent, "GRAM_WIDTH", 0.0)
    return found


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("offset", [0.0, 300.0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["net", "lasso"])
def test_the_optimum_is_that_of_the_columns(copies, monkeypatch, kind, weighted, offset, intercept):
    X, y, weights = problem_of(offset=offset if intercept else 0.0)
    choices = {"alpha": 0.3, "tol": 1e-10, "fit_intercept": intercept}
    given = (X, y, weights) if weighted else (X, y)

    def fitted():
        model = ElasticNet(**choices) if kind == "net" else Lasso(**choices)
        return model.fit(*given)

    rough = fitted()
    assert copies
    assert all(copies)
    assert rough.duality_gap_ <= 1e-10 * rough.objective_
    monkeypatch.setattr(feature_descent, "MIN_ROUGH_GOAL", np.inf)
    copies.clear()
    exact = fitted()
    assert not copies
    assert rough.objective_ == pytest.approx(exact.objective_, rel=1e-9)
    np.testing.assert_allclose(rough.coef_, exact.coef_, atol=1e-3 * abs(exact.coef_).max())


@pytest.mark.parametrize("scale", [1e-15, 1e15])
def test_columns_out_of_range_are_not_copied(copies, scale):
    X, y, _ = problem_of(scale)
    model = Lasso(alpha=0.3 * scale, tol=1e-6).fit(X, y)
    assert copies
    assert not any(copies)
    assert model.duality_gap_ <= 1e-6 * model.objective_


def test_few_columns_are_not_copied(copies, monkeypatch):
    monkeypatch.setattr(feature_columns, "MIN_SINGLE_COPY", N * D + 1)
    X, y, _ = problem_of()
    ElasticNet(alpha=0.3, tol=1e-6).fit(X, y)
    assert copies
    assert not any(copies)
