"""root against sorting, exact fractions, and a QP solver."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rrmlinear.projections import root

LONG = np.longdouble


def left_side(p, slope, lower, upper, theta):
    with np.errstate(invalid="ignore"):
        return np.clip(p - slope * LONG(theta), lower, upper)


def excess(p, slope, lower, upper, e, z, theta):
    """Left side minus right side at θ, and the size of what was added up to get there."""
    terms = left_side(p, slope, lower, upper, theta)
    bounds = [np.abs(b[np.isfinite(b)]).sum() for b in (lower, upper)]
    size = np.abs(p).sum() + np.abs(slope * theta).sum() + sum(bounds) + abs(e * theta) + abs(z)
    return terms.sum() - LONG(e) * LONG(theta) - LONG(z), size


def root_by_sorting(p, slope, lower, upper, e, z):
    """The root in extended precision: bisection over the sorted kinks, then one straight line."""
    p, slope, lower, upper = (np.asarray(a, dtype=LONG) for a in (p, slope, lower, upper))
    kinks = np.concatenate([(p - upper) / slope, (p - lower) / slope])
    kinks = np.unique(kinks[np.isfinite(kinks)])

    def f(theta):
        return left_side(p, slope, lower, upper, theta).sum() - LONG(e) * theta - LONG(z)

    low, high = -1, len(kinks)  # f(kinks[low]) ≥ 0 > f(kinks[high])
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if f(kinks[middle]) >= 0 else (low, middle)
    if low == -1 and high == len(kinks):
        inside, at = LONG(0), LONG(0)
    else:
        at = kinks[low] if low >= 0 else kinks[high]
        inside = kinks[low] + 1 if low >= 0 else kinks[high] - 1
        if low >= 0 and high < len(kinks):
            inside = (kinks[low] + kinks[high]) / 2
    t = p - slope * inside
    steepness = slope[(t > lower) & (t < upper)].sum() + LONG(e)
    return at + f(at) / steepness if steepness > 0 else at


def random_instance(rng, n, scale):
    """Boxes with ties, zeros, equal and infinite bounds, at one scale."""
    p = rng.normal(size=n) * scale
    slope = 10.0 ** rng.uniform(-2, 2, n)
    lower = p + rng.normal(size=n) * scale
    upper = lower + rng.exponential(size=n) * scale
    ties = rng.random(n) < rng.choice([0.0, 0.5, 1.0])
    p[ties], lower[ties], upper[ties], slope[ties] = scale, 0.0, 2 * scale, 1.0
    p[rng.random(n) < 0.1] = 0.0
    upper = np.where(rng.random(n) < 0.1, lower, upper)
    lower[rng.random(n) < rng.choice([0.0, 0.2])] = -np.inf
    upper[rng.random(n) < rng.choice([0.0, 0.2])] = np.inf
    e = rng.choice([0.0, 1.0, 10.0 ** rng.uniform(-3, 3)])
    z = rng.normal() * scale * n
    if e == 0:  # somewhere it can be reached, the ends included
        low = lower.sum() if np.isfinite(lower).all() else -n * scale * 3
        high = upper.sum() if np.isfinite(upper).all() else n * scale * 3
        z = low + max(0.0, high - low) * rng.choice([0.0, 1.0, rng.random()])
    return p, slope, lower, upper, float(e), float(z)


@pytest.mark.parametrize("exponent", [-9, 0, 9])
def test_equals_sorting_at_every_scale(exponent):
    rng = np.random.default_rng(exponent + 100)
    for _ in range(150):
        n = int(
            rng.choice([1, 2, 3, 7, 16, 17, 40, 300, 2000], p=[0.15] * 5 + [0.1] * 2 + [0.03, 0.02])
        )
        instance = random_instance(rng, n, 10.0**exponent)
        theta = root(*instance)
        miss, size = excess(*instance, theta)
        assert abs(miss) <= 1e-13 * size
        expected = root_by_sorting(*instance)
        found = left_side(*instance[:4], theta)
        reference = left_side(*instance[:4], expected)
        assert np.abs(found - reference).max() <= 1e-12 * size


def test_scales_in_one_instance_may_lie_eighteen_orders_apart():
    rng = np.random.default_rng(5)
    for _ in range(300):
        n = int(rng.integers(1, 60))
        scales = 10.0 ** rng.uniform(-9, 9, n)
        p, lower = rng.normal(size=n) * scales, -rng.exponential(size=n) * scales
        upper = rng.exponential(size=n) * 10.0 ** rng.uniform(-9, 9, n)
        slope = 10.0 ** rng.uniform(-9, 9, n)
        z = lower.sum() + rng.random() * (upper.sum() - lower.sum())
        theta = root(p, slope, lower, upper, 0.0, z)
        miss, size = excess(p, slope, lower, upper, 0.0, z, theta)
        assert abs(miss) <= 1e-13 * size


whole = st.integers(-20, 20)


@given(
    st.lists(st.tuples(whole, st.integers(1, 4), whole, st.integers(0, 9)), min_size=1, max_size=9),
    st.integers(0, 3),
    st.integers(-60, 60),
)
def test_root_in_exact_fractions(terms, e, z):
    p, slope, lower, width = (np.array(column, dtype=float) for column in zip(*terms, strict=True))
    upper = lower + width
    if e == 0:
        z = float(np.clip(z, lower.sum(), upper.sum()))
    theta = Fraction(root(p, slope, lower, upper, e, z))
    left = sum(
        min(max(Fraction(a) - Fraction(c) * theta, Fraction(low)), Fraction(high))
        for a, c, low, high in zip(p, slope, lower, upper, strict=True)
    )
    assert abs(left - e * theta - Fraction(z)) <= Fraction(1, 10**11)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"p": []}, "p must be a vector"),
        ({"p": [[1.0, 2.0]]}, "p must be a vector"),
        ({"p": [1.0, np.nan]}, "p must be a vector"),
        ({"p": [1.0, np.inf]}, "p must be a vector"),
        ({"rate": 0.0}, "rate must hold positive"),
        ({"rate": [1.0, -1.0]}, "rate must hold positive"),
        ({"rate": np.inf}, "rate must hold positive"),
        ({"rate": [1.0, 1.0, 1.0]}, "rate must be one number or 2"),
        ({"lower": 2.0}, "lower must hold numbers"),
        ({"lower": np.nan}, "lower must hold numbers"),
        ({"upper": np.nan}, "lower must hold numbers"),
        ({"lower": np.inf, "upper": np.inf}, "lower must hold numbers"),
        ({"lower": -np.inf, "upper": -np.inf}, "lower must hold numbers"),
        ({"e": -1.0}, "e must be finite"),
        ({"e": np.inf}, "e must be finite"),
        ({"z": np.nan}, "e must be finite"),
    ],
)
def test_bad_arguments_are_named(change, message):
    arguments = {"p": [1.0, 2.0], "rate": 1.0, "lower": 0.0, "upper": 1.0, "e": 1.0, "z": 0.0}
    with pytest.raises(ValueError, match=message):
        root(**(arguments | change))
