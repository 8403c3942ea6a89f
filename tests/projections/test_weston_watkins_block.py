"""The Weston–Watkins block against extended precision, fractions, and a QP solver."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
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


def objective(v, b):
    b = np.asarray(b, dtype=LONG)
    return float((b @ b) / 2 + b.sum() ** 2 / 2 - np.asarray(v, dtype=LONG) @ b)


def test_shark_never_ends_above_its_start():
    rng = np.random.default_rng(4)
    for _ in range(200):
        v, upper = random_instance(rng, int(rng.choice(SIZES)))
        assert objective(v, weston_watkins_block(v, upper, "shark")) <= 0


def test_equals_a_quadratic_program():
    cvxpy = pytest.importorskip("cvxpy")
    rng = np.random.default_rng(11)
    for at in range(48):
        k = int(rng.choice([2, 3, 5, 10, 26, 50, 105, 300]))
        scale = 10.0 ** rng.uniform(-8, 8)
        v = rng.normal(size=k) + rng.choice([0.0, 1.0, 3.0])
        upper = 10.0 ** rng.uniform(-2, 1)
        b = cvxpy.Variable(k)
        value = (cvxpy.sum_squares(b) + cvxpy.square(cvxpy.sum(b))) / 2 - v @ b
        problem = cvxpy.Problem(cvxpy.Minimize(value), [b >= 0, b <= upper])
        problem.solve(solver=cvxpy.CLARABEL, tol_gap_abs=1e-13, tol_gap_rel=1e-13, tol_feas=1e-13)
        # the solver has absolute tolerances; the block problem is homogeneous in (v, C)
        ours = weston_watkins_block(v * scale, upper * scale, EXACT[at % 3]) / scale
        assert objective(v, ours) <= objective(v, np.clip(b.value, 0, upper)) + 1e-12
        np.testing.assert_allclose(ours, b.value, atol=2e-6)


small = st.integers(-12, 12).map(lambda i: i / 4)


@settings(max_examples=50)
@given(st.lists(small, min_size=1, max_size=6), st.integers(1, 16).map(lambda i: i / 8))
def test_optimality_in_exact_fractions(v, upper):
    """The thresholds of the KKT conditions, at the exact θ found by trying every pattern."""
    kinks = sorted({Fraction(0), *map(Fraction, v), *(Fraction(x) - Fraction(upper) for x in v)})

    def f(theta):
        return sum(min(max(Fraction(x) - theta, 0), Fraction(upper)) for x in v) - theta

    low = max(t for t in kinks if t >= 0 and f(t) >= 0)
    inside = sum(low < Fraction(x) <= low + Fraction(upper) for x in v)
    theta = low + f(low) / (1 + inside)
    assert f(theta) == 0
    for method in EXACT:
        for x, b in zip(v, weston_watkins_block(v, upper, method), strict=True):
            exact = min(max(Fraction(x) - theta, 0), Fraction(upper))
            assert abs(Fraction(float(b)) - exact) <= Fraction(1, 10**14)


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
