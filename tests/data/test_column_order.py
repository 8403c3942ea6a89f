"""Matrices in column order: sizes as those of rows, and fits that copy nothing."""

import numpy as np
import pytest

from rrmlinear import ElasticNet, Lasso, Problem
from rrmlinear.data.column_order import ColumnOrder
from rrmlinear.solvers.features.feature_columns import FeatureColumns

RNG = np.random.default_rng(5)
X = np.asfortranarray(RNG.standard_normal((60, 7)))
Y = X @ RNG.standard_normal(7) + 3 + RNG.standard_normal(60)


def test_a_fault_is_named():
    broken = X.copy(order="F")
    broken[3, 2] = np.nan
    with pytest.raises(ValueError, match=r"X\[3, 2\] is nan"):
        Problem.from_arrays(broken, Y, any_order=True)


def test_features_share_the_memory_of_the_caller():
    rows = Problem.from_arrays(X, Y, bias=1.0, any_order=True).rows
    columns = FeatureColumns(rows, np.zeros(60), np.ones(60), intercept=True)
    assert np.shares_memory(columns.rows.values, X)
    np.testing.assert_allclose(columns.curvature, ((X - X.mean(axis=0)) ** 2).sum(axis=0))


def test_columns_far_from_zero_are_centred_in_a_copy():
    far = X + 1e7
    rows = Problem.from_arrays(np.asfortranarray(far), Y, bias=1.0, any_order=True).rows
    columns = FeatureColumns(rows, np.zeros(60), np.ones(60), intercept=True)
    assert not np.shares_memory(columns.rows.values, rows.values)
    np.testing.assert_allclose(columns.rows.values, (far - far.mean(axis=0)).T, atol=1e-7)
    np.testing.assert_array_equal(columns.means, 0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [True, False, "regularized"])
@pytest.mark.parametrize("family", [Lasso, ElasticNet])
def test_both_orders_have_one_optimum(family, intercept, weighted, dtype):
    given = X.astype(dtype) + 2
    weights = RNG.random(60) if weighted else None
    fits = [
        family(alpha=0.1, fit_intercept=intercept, tol=1e-10).fit(
            np.array(given, order=order), Y, weights
        )
        for order in "FC"
    ]
    np.testing.assert_allclose(fits[0].coef_, fits[1].coef_, atol=1e-6)
    assert fits[0].intercept_ == pytest.approx(fits[1].intercept_, abs=1e-5)
    assert fits[0].objective_ == pytest.approx(fits[1].objective_, rel=1e-9)


@pytest.mark.parametrize("options", [{"positive": True}, {"solver": "newton"}, {"alpha": 0.0}])
def test_other_solvers_take_f_order_too(options):
    if options.get("solver") == "newton":
        options = options | {"l1_ratio": 0.5}
    kind = ElasticNet if "l1_ratio" in options else Lasso
    fits = [kind(**({"alpha": 0.1} | options)).fit(np.array(X, order=o), Y) for o in "FC"]
    np.testing.assert_array_equal(fits[0].coef_, fits[1].coef_)


def test_large_finite_numbers_stay_although_their_squares_are_not_finite():
    large = np.asfortranarray(1e200 * X)
    rows = Problem.from_arrays(large, Y, any_order=True).rows
    assert isinstance(rows, ColumnOrder)
    assert not np.isfinite(rows.moments[1]).any()
    overflow = pytest.raises(ValueError, match="squared norm of feature 1 overflows")
    with np.errstate(over="ignore"), overflow:
        FeatureColumns(rows.with_bias(1.0), np.zeros(len(X)), np.ones(len(X)), True)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_number_that_is_not_finite_is_named(bad, dtype):
    wrong = np.array(X, order="F", dtype=dtype)
    wrong[5, 2] = bad
    with pytest.raises(ValueError, match=rf"X\[5, 2\] is {bad}; NaN and infinity"):
        Lasso(0.1).fit(wrong, Y)


def test_targets_that_are_not_finite_are_named():
    X, y = np.asfortranarray(RNG.standard_normal((50, 6))), np.zeros(50)
    y[[3, 7]] = np.inf, -np.inf
    with pytest.raises(ValueError, match=r"\[3\] is inf"):
        Problem.from_arrays(X, y, any_order=True)
