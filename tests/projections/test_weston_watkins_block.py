"""The Weston–Watkins block against extended precision, fractions, and a QP solver."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rrmlinear.projections.class_blocks import weston_watkins_block

LONG = np.longdouble
EXACT = ("knapsack", "median", "walrus")
GUESSES = (0.0, -1e8, -1e300, 1e12, 1e300, np.inf, -np.inf, np.nan)
SHARK_VIOLATION = 1e-6


def block_by_sorting(v, upper):
    """(b, θ) in extended precision: bisection over the sorted kinks, then one straight line."""
    v, upper = np.asarray(v, dtype=LONG), LONG(upper)
    kinks = np.unique(np.concatenate([[LONG(0)], v[v > 0], (v - upper)[v > upper]]))

    def f(theta):
        return np.clip(v - theta, 0, upper).sum() - theta

    low, high = 0, len(kinks)  # f(kinks[low]) ≥ 0 > f(kinks[high])
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if f(kinks[middle]) >= 0 else (low, middle)
    t = v - kinks[low]
    theta = kinks[low] + f(kinks[low]) / (1 + ((t > 0) & (t <= upper)).sum())
    return np.clip(v - theta, 0, upper), theta


def violation(v, upper, b):
    """The largest KKT violation: g_j = v_j − b_j − Σ b where b_j may still move along it."""
    v, b = np.asarray(v, dtype=LONG), np.asarray(b, dtype=LONG)
    g = v - b - b.sum()
    return float(np.where(g > 0, np.where(b < upper, g, 0), np.where(b > 0, -g, 0)).max())


def random_instance(rng, k):
    scale = 10.0 ** rng.uniform(-8, 8)
    kind = rng.integers(8)
    upper = scale * 10.0 ** rng.uniform(-3, 1) if rng.random() < 0.5 else 10.0 ** rng.uniform(-8, 8)
    v = scale * (rng.normal(size=k) + rng.choice([-3.0, 0.0, 0.0, 1.0, 3.0]))
    if kind == 1:  # ties, kinks of both sorts among them
        v = np.round(v / scale * 2) / 2 * scale
        upper = scale / 2
    elif kind == 2:
        v = -np.abs(v)
    elif kind == 3:  # every class at its bound
        v = upper * (k + 1 + rng.random(k))
    elif kind == 4:
        v = np.full(k, scale)
    elif kind == 5:
        v *= 10.0 ** rng.uniform(-8, 0, k)
    elif kind == 6:
        v = np.where(rng.random(k) < 0.9, 0.0, v)
    return v, float(upper)


def check_exact(v, upper, guesses=GUESSES):
    expected, theta = block_by_sorting(v, upper)
    scale = max(float(np.abs(v).max()), upper)
    good = [float(theta), float(theta) * (1 + 1e-9), float(theta) * 0.9]
    for method in EXACT:
        for guess in [*guesses, *good] if method == "knapsack" else [None]:
            b = weston_watkins_block(v, upper, method, guess)
            assert np.abs(b - expected).max() <= 1e-12 * scale, (method, guess)
            assert b.min() >= 0
            assert b.max() <= upper
            assert violation(v, upper, b) <= len(v) * 1e-13 * scale  # what θ rounds off, k times


SIZES = [1, 2, 3, 4, 7, 8, 9, 10, 15, 16, 17, 26, 50, 105]


@pytest.mark.parametrize("k", SIZES)
def test_exact_methods_equal_sorting(k):
    rng = np.random.default_rng(k)
    for _ in range(150):
        check_exact(*random_instance(rng, k), guesses=[GUESSES[rng.integers(len(GUESSES))]])


def test_the_digits_of_v_survive_a_guess_far_below():
    v = 1.0 + np.arange(8) * 1e-3
    check_exact(v, 1e9)
    check_exact(v, 0.5)


def test_shark_reaches_its_tolerance_or_its_last_step():
    rng = np.random.default_rng(2)
    within = 0
    for _ in range(300):
        k = int(rng.choice(SIZES))
        v, upper = random_instance(rng, k)
        scale = max(np.abs(v).max(), upper)
        b = weston_watkins_block(v, upper, "shark")
        left = violation(v, upper, b)
        assert b.min() >= 0
        assert b.max() <= upper
        if left <= SHARK_VIOLATION + k * 1e-14 * scale:
            within += 1
            # the objective is 1-strongly convex, so ‖b − b*‖ ≤ ‖violations‖
            expected = block_by_sorting(v, upper)[0]
            distance = float(np.sqrt(((b - expected) ** 2).sum()))
            assert distance <= np.sqrt(k) * (SHARK_VIOLATION + k * 1e-14 * scale)
    assert within >= 290


@given(
    st.lists(st.floats(-1e8, 1e8), min_size=1, max_size=40),
    st.floats(1e-8, 1e8),
    st.one_of(st.none(), st.floats()),
)
def test_any_guess_leads_to_the_same_block(v, upper, guess):
    expected = block_by_sorting(v, upper)[0]
    found = weston_watkins_block(v, upper, "knapsack", guess)
    assert np.abs(found - expected).max() <= 1e-12 * max(np.abs(v).max(), upper)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, np.nan], 1.0), "vector of finite numbers"),
        (([1.0, np.inf], 1.0), "vector of finite numbers"),
        (([[1.0]], 1.0), "vector of finite numbers"),
        (([1.0], 0.0), "upper must be positive and finite, got 0.0"),
        (([1.0], -1.0), "upper must be positive and finite, got -1.0"),
        (([1.0], np.inf), "upper must be positive and finite, got inf"),
        (([1.0], np.nan), "upper must be positive and finite, got nan"),
        (([1.0], 1.0, "sorting"), "unknown method 'sorting'; there are knapsack, walrus, shark"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        weston_watkins_block(*arguments)


def test_no_class_no_block():
    assert weston_watkins_block([], 1.0).shape == (0,)
