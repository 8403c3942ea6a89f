"""Projections on simplices against sorting."""

import numpy as np
import pytest

from rrmlinear.projections import capped_simplex, simplex

METHODS = ["newton", "exact"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("exponent", range(-9, 10, 3))
@pytest.mark.parametrize("n", [1, 2, 17, 1000, 50_000])
def test_simplex_equals_sorting(reference, method, exponent, n):
    rng = np.random.default_rng(n)
    for x in (rng.normal(size=n), np.zeros(n), rng.integers(0, 3, n) * 1.0):
        x *= 10.0**exponent
        a = simplex(x, method=method)
        assert (a >= 0).all()
        assert abs(a.sum() - 1) <= 1e-13
        expected = reference(x, 1.0, 0.0, np.inf, 1.0, 1.0).astype(float)
        # the reference keeps its numbers relative to those of x
        np.testing.assert_allclose(a, expected, rtol=0, atol=1e-12 + 1e-19 * np.abs(x).max())
        np.testing.assert_allclose(simplex(a, method=method), a, rtol=0, atol=1e-14)


@pytest.mark.parametrize("method", METHODS)
def test_caps_hold(reference, method):
    rng = np.random.default_rng(1)
    for n in (2, 50, 3000):
        x, cap = rng.normal(size=n), rng.uniform(1 / n, 3 / n, n)
        a = capped_simplex(x, cap, method=method)
        assert (a <= cap).all()
        expected = reference(x, 1.0, 0.0, cap, 1.0, 1.0).astype(float)
        np.testing.assert_allclose(a, expected, rtol=0, atol=1e-12)
        np.testing.assert_allclose(capped_simplex(x, 1 / n), np.full(n, 1 / n))


def test_sums_that_cannot_be():
    np.testing.assert_array_equal(simplex([3.0, -1.0], 0.0), [0.0, 0.0])
    with pytest.raises(ValueError, match=r"the sum -1.0 is 1 below the least"):
        simplex([1.0, 2.0], -1.0)
    with pytest.raises(ValueError, match=r"the sum 1.0 is 0.4 above the largest"):
        capped_simplex([1.0, 2.0], 0.3)
