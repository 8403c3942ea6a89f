"""Projections of numbers at any scale equal those in rational arithmetic."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from rrmlinear.projections import (
    capped_simplex,
    elastic_ball,
    entropy_capped_simplex,
    knapsack,
    l1_ball,
    simplex,
)

METHODS = ("newton", "exact")
SCALES = (1e-300, 1e-100, 1e-17, 1.0, 1e8, 1e16, 1e17, 1e20, 1e50, 1e200, 1e300)


def exact_knapsack(m, d, upper, s, z):
    """clip(m − θ s/d², 0, upper) with Σ s a = z, from the kinks of the sum, in fractions."""
    m, d, s, z = ([Fraction(float(v)) for v in each] for each in (m, d, s, [z]))
    q = [a / (b * b) for a, b in zip(s, d, strict=True)]
    caps = [None if np.isinf(u) else Fraction(float(u)) for u in upper]

    def at(theta):
        values = [max(Fraction(0), a - theta * b) for a, b in zip(m, q, strict=True)]
        return [v if c is None else min(v, c) for v, c in zip(values, caps, strict=True)]

    def excess(theta):
        return sum(a * b for a, b in zip(s, at(theta), strict=True)) - z[0]

    kinks = [a / b for a, b in zip(m, q, strict=True)]
    kinks += [(a - c) / b for a, b, c in zip(m, q, caps, strict=True) if c is not None]
    far = 2 * max(map(abs, kinks)) + 1
    while excess(-far) < 0 or excess(far) > 0:
        far *= 10**9
    kinks = sorted({-far, *kinks, far})
    for low, high in pairwise(kinks):
        first, second = excess(low), excess(high)
        if first >= 0 >= second:
            share = first / (first - second) if first != second else 0
            return np.array([float(a) for a in at(low + (high - low) * share)])
    raise AssertionError("no root")


def numbers(rng, scale):
    """A few numbers at one scale or at mixed ones, some of them equal or 0."""
    n = int(rng.integers(1, 8))
    m = scale * rng.normal(size=n) * 10.0 ** rng.choice([0.0, -3.0, -10.0], n)
    m[rng.random(n) < 0.2] = 0.0
    m[rng.random(n) < 0.2] = m[0]
    return m


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("scale", SCALES)
def test_simplex_and_ball(scale, in_place, method):
    rng = np.random.default_rng(1)
    for total in (1.0, scale, 1e-5, 1e5):
        m = numbers(rng, scale)
        ones, most = np.ones(len(m)), np.full(len(m), np.inf)
        x = m.copy()
        found = simplex(x, total, method=method, out=x if in_place else None)
        expected = exact_knapsack(m, ones, most, ones, total)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13 * total)
        x = m.copy()
        found = l1_ball(x, total, method=method, out=x if in_place else None)
        if sum(Fraction(abs(float(v))) for v in m) <= Fraction(total):
            np.testing.assert_array_equal(found, m)
        else:
            expected = np.sign(m) * exact_knapsack(np.abs(m), ones, most, ones, total)
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13 * total)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("scale", SCALES)
def test_boxes(scale, in_place, method):
    rng = np.random.default_rng(2)
    for _ in range(4):
        m = numbers(rng, scale)
        n = len(m)
        caps, ones = rng.uniform(0.5, 2, n), np.ones(n)
        total, x = float(caps.sum() * rng.random()), m.copy()
        found = capped_simplex(x, caps, total, method=method, out=x if in_place else None)
        expected = exact_knapsack(m, ones, caps, ones, total)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
        d, s = 10.0 ** rng.uniform(-1, 1, n), rng.choice([-1.0, 1.0, 2.0], n)
        z, x = float(s @ (rng.random(n) * caps)), m.copy()
        found = knapsack(x, d, 0, caps, s, z, method=method, out=x if in_place else None)
        expected = exact_knapsack(m, d, caps, s, z)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_many_numbers_of_a_large_scale(method):
    rng = np.random.default_rng(3)
    x = 1e17 * rng.normal(size=5000)
    found = simplex(x, 1.0, method=method)
    assert found.tolist() == (np.arange(5000) == x.argmax()).tolist()
    x[::50] = x.max()
    np.testing.assert_allclose(simplex(x, 1.0, method=method)[x == x.max()].sum(), 1, rtol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_beyond_the_range_of_sums_an_answer_is_right_or_an_error(method):
    for x in ([1.5e308, 1.5e308], [-1e308, -1e308, 1e308], [1e308, -1e308], [1.7e308] * 3):
        for cap in (np.inf, 0.6):
            try:
                found = capped_simplex(x, cap, 1.0, method=method)
            except ValueError:
                continue
            assert found.sum() == pytest.approx(1)
            assert found[np.argmax(x)] == pytest.approx(min(found.max(), cap))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1e-300, 1e-17, 1e17, 1e100, 1e160, 1e200, 1e300])
@pytest.mark.parametrize(("gamma", "radius"), [(0.0, 1.0), (1.0, 1.0), (0.25, 1e-3), (3.0, 1e8)])
def test_the_elastic_ball(scale, gamma, radius, method):
    x = scale * np.array([1.0, -0.5, 0.875, 0.0])
    found = elastic_ball(x, gamma, radius, method=method)
    size = gamma * np.abs(found).sum() + found @ found / 2
    if scale < 1:
        np.testing.assert_array_equal(found, x)
        return
    assert size == pytest.approx(radius, rel=1e-12)
    used = found != 0  # x − a is a multiple of the normal of the ball there
    normal = found + gamma * np.sign(found)
    multiples = x[used] / normal[used]
    assert multiples == pytest.approx(np.full(used.sum(), multiples[0]), rel=1e-9)
    assert (np.abs(x[~used]) <= multiples[0] * gamma * (1 + 1e-9)).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e17, 1e300, 1e308])
def test_the_entropy_simplex_knows_ratios_alone(scale, method):
    v = scale * np.array([1.0, 0.5, 0.25])
    found = entropy_capped_simplex(v, 0.5, 1.0, method=method)
    expected = entropy_capped_simplex([1.0, v[1] / v[0], v[2] / v[0]], 0.5, 1.0, method=method)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_numbers_of_all_sizes_together(method):
    """The search takes over where Newton's steps from the mean have too few digits."""
    sizes = [0.0, 1.0, -1.0, 3.0, 2.0, 1e-17, 1e8, 1e17, -1e17, -3e16, 1e100, -1e100, -1e300, 1e300]
    rng = np.random.default_rng(0)
    for _ in range(400):
        x = rng.choice(sizes, rng.integers(1, 6))
        order = sorted(map(Fraction, x), reverse=True)
        tops = [(sum(order[: k + 1]) - 1) / (k + 1) for k in range(len(order))]
        theta = max(t for t, v in zip(tops, order, strict=True) if v > t)
        right = [float(max(Fraction(v) - theta, 0)) for v in x]
        assert capped_simplex(x, np.inf, 1.0, method=method) == pytest.approx(right, abs=1e-12)
