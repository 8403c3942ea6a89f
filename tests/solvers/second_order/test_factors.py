"""Cholesky factors of products that are singular, overflow or underflow."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rrmlinear.solvers.second_order.factors import cholesky_factor


@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_factors_of_singular_products(scale):
    X = scale * np.random.default_rng(1).standard_normal((30, 100))
    X[3], X[10:20] = 0, X[:10]
    factor = cholesky_factor(X @ X.T)
    assert_allclose(factor @ factor.T, X @ X.T, atol=1e-9 * scale**2)
    np.testing.assert_array_equal(factor, np.tril(factor))


def test_products_that_are_not_finite_have_no_factor():
    with pytest.raises(FloatingPointError, match="overflowed"):
        cholesky_factor(np.array([[np.inf]]))


def test_products_that_underflow_have_a_factor():
    factor = cholesky_factor(np.array([[1.6e-319, 0.0], [0.0, 0.0]]))
    assert np.isfinite(factor).all()
    assert (np.diagonal(factor) > 0).all()
