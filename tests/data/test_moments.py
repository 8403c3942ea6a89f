"""Sums and spreads of lines: those of exact arithmetic. Those of columns, with products."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rrmlinear.data.products import moments, products_and_moments
from rrmlinear.data.rows import Rows

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("n", "centre"), [(1, 1e6), (2, 0.0), (2047, 0.0), (2048, 1e6), (2049, 0.0), (4500, 1e6)]
)
def test_they_are_those_of_exact_arithmetic(kind, n, centre):
    lines = (RNG.standard_normal((5, n)) + centre).astype(kind)
    lines[3] += 1000 * np.linspace(0, 1, n).astype(kind)  # pieces far from the first one
    errors = RNG.standard_normal(n)
    errors -= errors.mean()
    sums, spreads, products = moments(lines, errors)
    for line, total, spread, product in zip(lines, sums, spreads, products, strict=True):
        exact = [Fraction(float(x)) for x in line]
        mean = sum(exact) / n
        assert total == pytest.approx(float(sum(exact)), rel=1e-12, abs=1e-12 * n)
        assert spread == pytest.approx(float(sum((x - mean) ** 2 for x in exact)), rel=1e-9)
        expected = sum(Fraction(e) * (x - mean) for e, x in zip(errors, exact, strict=True))
        size = np.abs(errors) @ np.abs(line - float(mean))
        assert product == pytest.approx(float(expected), abs=1e-12 * size + 1e-15 * n * centre)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("n", [1, 7, 1000])
def test_products_and_moments_are_those_of_the_columns(n, centred, kind):
    rng = np.random.default_rng(n)
    # means that differ from block to block, and a feature far from 0
    X = (rng.standard_normal((n, 101)) + np.linspace(0, 5, n)[:, None]).astype(kind)
    X[:, 3] += 1e4
    X[:, 4] = 7
    errors, costs = rng.standard_normal(n), rng.uniform(0, 2, n)
    costs[: n // 2] = 0  # whole blocks without a cost
    bias = -1.0 if centred else 3.0
    rows = Rows(X, None, None, 101, bias)
    whole = X.astype(np.float64)
    if not centred:
        whole = np.column_stack([whole, np.full(n, bias)])
    sums = costs @ whole if centred else np.zeros(102)
    spreads = costs @ (whole - sums / costs.sum()) ** 2
    found = products_and_moments(rows, costs, errors, centred)
    size = np.abs(costs * errors) @ np.abs(whole)
    assert np.all(np.abs(found[0] - (costs * errors) @ whole) <= 1e-14 * size)
    assert_allclose(found[1], sums, rtol=1e-12, atol=1e-12)
    assert_allclose(found[2], spreads, rtol=1e-11, atol=1e-12 * costs.sum())
