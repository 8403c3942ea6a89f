"""Projections on a box cut by a plane: feasible, idempotent, equal to sorting and to a QP."""

import numpy as np
import pytest

from rrmlinear.projections import (
    box_halfspace,
    box_hyperplane,
    capped_simplex,
    knapsack,
    l1_ball,
    simplex,
)

METHODS = ["newton", "exact"]


def random_instance(rng, n, scale):
    """Boxes with ties, zeros, equal and infinite bounds, s of both signs and 0, at one scale."""
    m = rng.normal(size=n) * scale
    d = 10.0 ** rng.uniform(-1, 1, n)
    s = rng.choice([-2.0, -1.0, 0.0, 1.0, 1.0, 3.0], n)
    lower = m + rng.normal(size=n) * scale
    upper = lower + rng.exponential(size=n) * scale
    ties = rng.random(n) < rng.choice([0.0, 0.5, 1.0])
    m[ties], lower[ties], upper[ties], d[ties] = scale, 0.0, 2 * scale, 1.0
    m[rng.random(n) < 0.1] = 0.0
    upper = np.where(rng.random(n) < 0.1, lower, upper)
    lower[rng.random(n) < rng.choice([0.0, 0.2])] = -np.inf
    upper[rng.random(n) < rng.choice([0.0, 0.2])] = np.inf
    inside = np.clip(m + rng.normal(size=n) * scale, lower, upper)
    ends = rng.choice([0.0, 0.0, 1.0])  # z at an end of what can be reached, or within
    if ends and np.isfinite(upper).all() and np.isfinite(lower).all():
        inside = np.where(s > 0, upper, lower)
    return m, d, lower, upper, s, float(s @ inside)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("exponent", [-9, 0, 9])
def test_equals_sorting_at_every_scale(reference, method, exponent):
    rng = np.random.default_rng(exponent + 50)
    scale = 10.0**exponent
    for n in rng.choice([1, 2, 3, 7, 40, 300, 2000], 60):
        instance = random_instance(rng, int(n), scale)
        _, d, lower, upper, s, z = instance
        a = knapsack(*instance, method=method)
        assert (a >= lower).all()
        assert (a <= upper).all()
        size = np.abs(s * a).sum() + abs(z)
        assert abs(s @ a - z) <= 1e-13 * size
        expected = reference(*instance)
        largest = np.abs(expected).max() + scale
        np.testing.assert_allclose(a, expected.astype(float), rtol=0, atol=1e-12 * largest)
        again = knapsack(a, d, lower, upper, s, z, method=method)
        np.testing.assert_allclose(again, a, rtol=0, atol=1e-12 * largest)


@pytest.mark.parametrize("order", ["random", "sorted", "blocks", "spikes"])
def test_sampling_gives_what_the_search_gives(order):
    rng = np.random.default_rng(3)
    n = 150_000
    x = rng.normal(size=n)
    if order == "sorted":
        x.sort()
    elif order == "blocks":
        x += np.repeat(rng.normal(size=15) * 100, n // 15)
    elif order == "spikes":
        x[rng.integers(0, n, 5)] = 1e6
    y = np.where(rng.random(n) < 0.01, 1.0, -1.0)
    for z in (0.0, 5.0, -200.0):
        a = box_hyperplane(x, 0.0, 1.0, y, z)
        b = box_hyperplane(x, 0.0, 1.0, y, z, method="exact")
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-9)
        assert abs(y @ a - z) <= 1e-12 * a.sum()


def test_is_the_projection_that_a_quadratic_program_finds():
    cvxpy = pytest.importorskip("cvxpy")
    rng = np.random.default_rng(8)
    for _ in range(10):
        n = int(rng.integers(2, 30))
        d, s = 10.0 ** rng.uniform(-1, 1, n), rng.choice([-2.0, -1.0, 0.0, 1.0, 3.0], n)
        m, low = rng.normal(size=n), -rng.exponential(size=n)
        high = low + rng.exponential(size=n) * 2
        z = float(s @ (low + rng.random() * (high - low)))
        a = cvxpy.Variable(n)
        for weights, side, ours in (
            (d, s @ a == z, knapsack(m, d, low, high, s, z)),
            (np.ones(n), s @ a <= z, box_halfspace(m, low, high, s, z)),
        ):
            objective = cvxpy.sum_squares(cvxpy.multiply(weights, a - m)) / 2
            problem = cvxpy.Problem(cvxpy.Minimize(objective), [a >= low, a <= high, side])
            problem.solve(solver=cvxpy.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12)
            np.testing.assert_allclose(ours, a.value, atol=1e-6)


def test_out_is_written_where_it_lies():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=1000), rng.choice([-1.0, 1.0], 1000)
    expected = box_hyperplane(x, 0, 1, y)
    held = x.copy()
    assert box_hyperplane(held, 0, 1, y, out=held) is held
    np.testing.assert_array_equal(held, expected)
    for column in (1, 2):  # the result over a bound, or over a shifted part of the input
        space = np.zeros(1001)
        if column == 1:
            space[:1000] = 1.0
            a = box_hyperplane(x, 0, space[:1000], y, out=space[:1000])
        else:
            space[:1000] = x
            a = box_hyperplane(space[:1000], 0, 1, y, out=space[1:])
        np.testing.assert_array_equal(a, expected)


def test_read_only_and_other_types_are_read():
    x = np.arange(5.0)
    x.flags.writeable = False
    a = box_hyperplane(x, 0, 1, 1, 2.0)
    np.testing.assert_array_equal(a, box_hyperplane(list(range(5)), 0, 1, np.ones(5, "f4"), 2))
    np.testing.assert_array_equal(a, box_hyperplane(np.arange(10.0)[::2] / 2, 0, 1, 1, 2.0))


@pytest.mark.parametrize(
    ("z", "message"),
    [
        (4.0, "infeasible: the sum 4.0 is 1 above the largest that the bounds allow, 3.0"),
        (-1.5, "infeasible: the sum -1.5 is 0.5 below the least that the bounds allow, -1.0"),
    ],
)
def test_infeasible_sums_say_by_how_much(z, message):
    with pytest.raises(ValueError, match=message):
        knapsack([0.0, 1.0], 1.0, [-1.0, -2.0], [1.0, 0.0], [1.0, -1.0], z)


def test_a_sum_beyond_its_bound_by_rounding_is_the_bound():
    upper = np.full(10, 0.1)
    for z in (float(upper.sum()), np.nextafter(1.0, 2.0), np.nextafter(1.0, 0.0)):
        a = knapsack(np.arange(10.0), 1.0, 0.0, upper, 1.0, z)
        assert a.sum() == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"m": []}, "m must be a vector"),
        ({"m": [[1.0, 2.0]]}, "m must be a vector"),
        ({"m": [1.0, np.nan]}, "m must hold finite"),
        ({"m": [1.0, np.inf]}, "m must hold finite"),
        ({"d": 0.0}, "d must hold positive"),
        ({"d": [1.0, -1.0]}, "d must hold positive"),
        ({"d": np.nan}, "d must hold positive"),
        ({"d": np.inf}, "d must hold positive"),
        ({"d": [1.0, 1.0, 1.0]}, "d must be one number or 2"),
        ({"lower": 2.0}, "lower must hold numbers"),
        ({"lower": np.nan}, "lower must hold numbers"),
        ({"upper": np.nan}, "lower must hold numbers"),
        ({"lower": np.inf, "upper": np.inf}, "lower must hold numbers"),
        ({"lower": -np.inf, "upper": -np.inf}, "lower must hold numbers"),
        ({"s": np.inf}, "s must hold finite"),
        ({"s": [np.nan, 1.0]}, "s must hold finite"),
        ({"m": [1.0, np.nan], "s": [1.0, -1.0]}, "m must hold finite"),
        ({"z": np.nan}, "the sum must be a finite number"),
        ({"method": "median"}, "unknown method 'median'; there are newton, exact"),
        ({"out": np.zeros(3)}, "out must be a writable"),
        ({"out": np.zeros(2, "f4")}, "out must be a writable"),
        ({"out": [0.0, 0.0]}, "out must be a writable"),
    ],
)
def test_bad_arguments_are_named(change, message):
    arguments = {"m": [1.0, 2.0], "d": 1.0, "lower": 0.0, "upper": 1.0, "s": 1.0, "z": 1.0}
    with pytest.raises(ValueError, match=message):
        knapsack(**(arguments | change))


def against_the_digits(rng, n):
    bits = np.full(n, 0x3FF0000000000000, dtype=np.uint64) + rng.integers(0, 512, n).astype("u8")
    for at, digit in enumerate((61, 53, 42, 31, 20, 9)):
        bits[at::1000] ^= np.uint64(1 << digit)
    return bits.view(np.float64)


HARD = {
    "all equal": lambda rng, n: np.ones(n),
    "few values": lambda rng, n: rng.integers(0, 4, n) * 1.0,
    "heavy tails": lambda rng, n: rng.standard_cauchy(n),
    "one far": lambda rng, n: np.where(np.arange(n) == n // 2, 1e12, rng.normal(size=n)),
    "every scale": lambda rng, n: np.ldexp(1.0, -(np.arange(n) % 1000)),
    "against the digits": against_the_digits,
    "few far": lambda rng, n: np.where(np.arange(n) < 40, 1e3, rng.normal(size=n)),
}


@pytest.mark.parametrize("kind", HARD)
@pytest.mark.parametrize("method", METHODS)
def test_inputs_built_against_searches(kind, method):
    rng = np.random.default_rng(11)
    n = 40_000
    x = HARD[kind](rng, n)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    for lower, upper, s, z in ((0.0, np.inf, 1.0, 1.0), (0.0, 1.0, y, 0.0), (-9.0, 9.0, 1.0, 7.0)):
        a = box_hyperplane(x, lower, upper, s, z, method=method)
        assert (a >= lower).all()
        assert (a <= upper).all()
        assert abs((s * a).sum() - z) <= 1e-12 * (np.abs(a).sum() + abs(z))
        # s (x − a) is one θ strictly inside the box, and lies on the right side of it elsewhere
        theta, near = s * (x - a), 1e-12 * np.abs(x).max()
        inside = (a > lower) & (a < upper)
        if inside.any():
            assert np.ptp(theta[inside]) <= near
        sign = s * np.ones(n)
        up = np.where(sign > 0, a < upper, a > lower)  # Σ s a could rise here
        down = np.where(sign > 0, a > lower, a < upper)
        assert theta[up].max() <= theta[down].min() + near


N = 20_000


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def crowds(rng):
    """Kinks of the box [0, 1] that lie together at and around the root, 0 or close to it."""
    kinds = {
        "one value": np.ones(N),
        "two values": np.where(rng.random(N) < 0.3, 0.0, 1.0),
        "many scales": np.ldexp(1.0, -(np.arange(N) % 900)),
        "nearer and nearer": 1 + rng.random(N) * 0.5 ** rng.geometric(0.1, N),
        "half tied": np.where(rng.random(N) < 0.5, 1.0, rng.normal(size=N)),
        "three in four tied": np.where(rng.random(N) < 0.75, 0.25, rng.normal(size=N)),
        "last digits": 1 + np.spacing(1.0) * rng.integers(0, 9, N),
    }
    return kinds.items()


def test_crowds_of_kinks_at_the_root(rng, reference):
    for name, x in crowds(rng):
        y = np.where(rng.random(N) < 0.5, -1.0, 1.0)
        for z in (0.0, 1.0, float(np.sum(y == 1)) / 2):
            a = box_hyperplane(x, 0.0, 1.0, y, z)
            expected = reference(x, 1.0, 0.0, 1.0, y, z).astype(float)
            np.testing.assert_allclose(a, expected, rtol=0, atol=1e-12, err_msg=name)
            assert abs(y @ a - z) <= 1e-13 * N


def test_results_that_are_nearly_all_at_bounds(rng, reference):
    x = rng.normal(size=N)
    weights = rng.uniform(0.5, 2, N)
    few = 1e-4 * N
    cases = [
        (simplex(x), (x, 1.0, 0.0, np.inf, 1.0, 1.0)),
        (simplex(x, few), (x, 1.0, 0.0, np.inf, 1.0, few)),
        (capped_simplex(x, 0.01, few), (x, 1.0, 0.0, 0.01, 1.0, few)),
        (capped_simplex(1e6 * x, 1.0, N / 3), (1e6 * x, 1.0, 0.0, 1.0, 1.0, N / 3)),
        (
            knapsack(x, weights, 0.0, 1e-3, weights, few / 50),
            (x, weights, 0.0, 1e-3, weights, few / 50),
        ),
    ]
    for a, instance in cases:
        near = 1e-13 + 1e-15 * np.abs(instance[0]).max()
        np.testing.assert_allclose(a, reference(*instance).astype(float), rtol=0, atol=near)
        assert np.sum(instance[4] * a) == pytest.approx(instance[5], rel=1e-13)
    a = l1_ball(x, 3.0)
    assert np.abs(a).sum() == pytest.approx(3.0, rel=1e-14)
    size = reference(np.abs(x), 1.0, 0.0, np.inf, 1.0, 3.0).astype(float)
    np.testing.assert_allclose(a, np.copysign(size, x), rtol=0, atol=1e-14)


def test_numbers_that_are_not_finite_are_found_wherever_they_are(rng):
    for bad in (np.nan, np.inf, -np.inf):
        for place in (0, 77, N // 2, N - 1):
            x = rng.normal(size=N)
            x[place] = bad
            for method in ("newton", "exact"):
                with pytest.raises(ValueError, match="must hold finite numbers"):
                    simplex(x, method=method)
                with pytest.raises(ValueError, match="must hold finite numbers"):
                    l1_ball(x, method=method)
