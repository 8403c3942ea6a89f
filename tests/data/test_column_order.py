"""Matrices in column order: sizes as those of rows, and fits that copy nothing."""

import numpy as np
import pytest

from rrmlinear import ElasticNet, Lasso, Parameter, Problem, fit

RNG = np.random.default_rng(5)
X = np.asfortranarray(RNG.standard_normal((60, 7)))
Y = X @ RNG.standard_normal(7) + 3 + RNG.standard_normal(60)


def test_a_fault_is_named():
    broken = X.copy(order="F")
    broken[3, 2] = np.nan
    with pytest.raises(ValueError, match=r"X\[3, 2\] is nan"):
        Problem.from_arrays(broken, Y, any_order=True)


@pytest.mark.parametrize("order", "FC")
@pytest.mark.parametrize("wide", [False, True])
def test_columns_far_from_zero_have_the_optimum_of_those_near(order, wide):
    near = np.hstack([X, RNG.standard_normal((60, 120))]) if wide else X
    fits = [Lasso(0.1, tol=1e-7).fit(np.array(near + far, order=order), Y) for far in (0.0, 1e4)]
    np.testing.assert_allclose(fits[0].coef_, fits[1].coef_, atol=1e-4)
    assert fits[0].objective_ == pytest.approx(fits[1].objective_, rel=2e-7)


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
    kind = ElasticNet if "solver" in options else Lasso
    fits = [kind(**({"alpha": 0.1} | options)).fit(np.array(X, order=o), Y) for o in "FC"]
    np.testing.assert_array_equal(fits[0].coef_, fits[1].coef_)


@pytest.mark.parametrize("loss", ["logistic", "squared-hinge", "gamma", "absolute"])
def test_other_losses_take_f_order_too(loss):
    y, given = 1.0 + (Y > 3), Parameter(solver="auto", loss=loss)
    rows = [Problem.from_arrays(np.array(X, order=o), y, any_order=True) for o in "FC"]
    fits = [fit(each, given) for each in rows]
    np.testing.assert_array_equal(fits[0].weights, fits[1].weights)


def test_targets_that_are_not_finite_are_named():
    X, y = np.asfortranarray(RNG.standard_normal((50, 6))), np.zeros(50)
    y[[3, 7]] = np.inf, -np.inf
    with pytest.raises(ValueError, match=r"\[3\] is inf"):
        Problem.from_arrays(X, y, any_order=True)
