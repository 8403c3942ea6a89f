"""Projections on simplices against sorting, and by the conditions of the optimum."""

import numpy as np
import pytest

from rrmlinear.projections import capped_simplex, entropy_capped_simplex, simplex

METHODS = ["newton", "exact"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("exponent", [-9, 0, 9])
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


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("exponent", [-9, 0, 9])
def test_entropy_equals_sorting(reference, method, exponent):
    rng = np.random.default_rng(exponent + 9)
    for n in (1, 2, 9, 200, 5000):
        v = rng.exponential(size=n) ** 3 * 10.0**exponent
        v[rng.random(n) < 0.1] = v[0]
        zeros = rng.random(n) < 0.1
        zeros[0] = False
        v[zeros] = 0.0
        for cap in (np.inf, 3 / n, 1 / np.count_nonzero(v)):
            cap = max(cap, 1 / np.count_nonzero(v))
            a = entropy_capped_simplex(v, cap, method=method)
            assert (a >= 0).all()
            assert (a <= cap).all()
            assert abs(a.sum() - 1) <= 1e-12
            with np.errstate(divide="ignore"):
                logarithms = np.log(v)
            b = entropy_capped_simplex(logarithms, cap, logarithms=True, method=method)
            np.testing.assert_allclose(a, b, rtol=1e-12)
            np.testing.assert_allclose(
                entropy_capped_simplex(a, cap, method=method), a, rtol=1e-12, atol=1e-14
            )
            some = v > 0  # a knapsack with m = 0 and d² = 1/v
            expected = reference(np.zeros(some.sum()), v[some] ** -0.5, 0.0, cap, 1.0, 1.0)
            np.testing.assert_allclose(a[some], expected.astype(float), rtol=1e-10)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("spread", [0.0, 1.0, 30.0, 5000.0])
def test_entropy_under_caps_of_each_meets_the_conditions_of_the_optimum(method, spread):
    rng = np.random.default_rng(7)
    for n in (1, 2, 3, 40, 3000):
        x, cap = spread * rng.normal(size=n), rng.uniform(1, 4, n) / n
        cap[rng.random(n) < 0.1] = np.inf
        a = entropy_capped_simplex(x, cap, 0.9, logarithms=True, method=method)
        assert (a >= 0).all()
        assert (a <= cap).all()
        assert abs(a.sum() - 0.9) <= 1e-12
        with np.errstate(divide="ignore"):
            again = entropy_capped_simplex(np.log(a), cap, 0.9, logarithms=True, method=method)
        np.testing.assert_allclose(again, a, rtol=1e-12, atol=1e-300)
        # log a − x is one number where a is free, and at most that where it is capped
        free = (a < cap) & (a > 1e-250)
        if free.any():
            levels = np.log(a[free]) - x[free]
            level = levels.max()
            np.testing.assert_allclose(levels, level, atol=1e-10 + 1e-12 * spread)
            capped = a == cap
            assert (np.log(cap[capped]) - x[capped] <= level + 1e-9).all()


@pytest.mark.parametrize(
    ("x", "cap", "total", "expected"),
    [
        ([0.0, -2000.0, -2001.0], 0.4, 1.0, [0.4, 0.4, 0.2]),
        ([0.0, -2000.0, -4000.0, -4000.0], 0.5, 1.0, [0.5, 0.5, 0.0, 0.0]),
        ([9e3, 5.0, -9e3], 1.0, 1.0, [1.0, 0.0, 0.0]),
        ([9e3, 5.0, -9e3], 0.75, 1.0, [0.75, 0.25, 0.0]),
        ([1e300, -1e300, -np.inf], 0.5, 1.0, [0.5, 0.5, 0.0]),
        ([-np.inf, 7.0], np.inf, 3.0, [0.0, 3.0]),
        ([9e3, 5.0, -9e3], [0.25, 0.5, 1.0], 1.0, [0.25, 0.5, 0.25]),
        ([9e3, 5.0, -np.inf], [0.25, 0.75, 1.0], 1.0, [0.25, 0.75, 0.0]),
    ],
)
def test_entropy_of_logarithms_far_apart(x, cap, total, expected):
    a = entropy_capped_simplex(np.array(x), cap, total, logarithms=True)
    np.testing.assert_allclose(a, expected, rtol=1e-13, atol=1e-200)


@pytest.mark.parametrize(
    ("v", "choices", "message"),
    [
        ([1.0, -1.0], {}, "v must hold finite numbers that are at least 0"),
        ([1.0, np.inf], {}, "v must hold finite numbers that are at least 0"),
        ([1.0, np.nan], {}, "v must hold finite numbers that are at least 0"),
        ([1.0, np.inf], {"logarithms": True}, "v must hold logarithms below infinity"),
        ([1.0, np.nan], {"logarithms": True}, "v must hold logarithms below infinity"),
        ([[1.0]], {}, "v must be a vector"),
        ([1.0, 0.0], {"cap": 0.9}, "infeasible: total = 1.0 is 0.1 above 0.9"),
        ([0.0, 0.0], {}, "infeasible: total = 1.0 is 1 above 0.0"),
        ([-np.inf], {"logarithms": True}, "infeasible: total = 1.0 is 1 above 0.0"),
        ([1.0], {"cap": 0.0}, "cap must be positive"),
        ([1.0, 1.0], {"cap": [1.0, 0.0]}, "cap must be positive"),
        ([1.0, 1.0], {"cap": [1.0]}, r"cap must be one number or 2, got shape \(1,\)"),
        ([1.0, 1.0], {"cap": [0.5, 0.25]}, "infeasible: total = 1.0 is 0.25 above 0.75"),
        ([1.0], {"total": -1.0}, "cap must be positive and total at least 0, got 1.0 and -1.0"),
    ],
)
def test_bad_weights_are_named(v, choices, message):
    with pytest.raises(ValueError, match=message):
        entropy_capped_simplex(v, **({"cap": 1.0} | choices))
