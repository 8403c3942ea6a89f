"""Long vectors, whose brackets come from samples: ties at the root, results written early."""

import numpy as np
import pytest

from rrmlinear.projections import box_hyperplane, capped_simplex, knapsack, l1_ball, simplex

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


def test_results_that_are_nearly_all_decided_early(rng, reference):
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
