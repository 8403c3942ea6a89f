"""Searches for the intercept at which duals balance, counted and at their limits."""

import numpy as np
import pytest

from rrmlinear.risks.conditions.balance import balanced, faded


def counted(response):
    calls = []

    def call(b):
        calls.append(b)
        return response(b)

    return call, calls


@pytest.mark.parametrize("start", [0.0, 1e3, -1e6])
@pytest.mark.parametrize("slope", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("seed", range(5))
def test_clipped_lines_balance_from_anywhere(seed, slope, start):
    rng = np.random.default_rng(seed)
    centre, rate, costs = 100 * rng.standard_normal(40), rng.random(40) + 0.01, rng.random(40)
    call, calls = counted(lambda b: np.clip(centre - rate * b, -1, 1))
    alphas, b, _ = balanced(call, costs, start, slope)
    assert abs(costs @ alphas) <= 1e-14 * (costs @ np.abs(alphas))
    np.testing.assert_allclose(alphas, np.clip(centre - rate * b, -1, 1), atol=1e-10)
    assert len(calls) < 120


def test_a_search_nearby_takes_few_looks():
    rng = np.random.default_rng(0)
    y, costs = np.where(rng.random(500) < 0.3, 1.0, -1.0), rng.random(500)
    scores = rng.standard_normal(500)

    def derivatives(scores):
        call, calls = counted(lambda b: y / (1 + np.exp(y * (scores + b))))
        return call, calls

    call, calls = derivatives(scores)
    _, b, slope = balanced(call, costs, 0.0, 100.0)
    assert len(calls) <= 12
    call, calls = derivatives(scores + 0.01 * rng.standard_normal(500))
    balanced(call, costs, b, slope)
    assert len(calls) <= 6
    call, calls = derivatives(scores)
    balanced(call, costs, b, slope)
    assert len(calls) <= 3


@pytest.mark.parametrize("seed", range(10))
def test_steps_share_what_balances_them(seed):
    rng = np.random.default_rng(seed)
    places, costs = rng.standard_normal(30), rng.random(30)
    alphas, _, _ = balanced(lambda b: np.where(b < places, 0.7, -0.3), costs, 0.0, 1.0)
    assert abs(costs @ alphas) <= 1e-14 * (costs @ np.abs(alphas))
    shared = (alphas < 0.7) & (alphas > -0.3)
    assert shared.sum() == 1
    assert places[alphas == 0.7].min() > places[shared] > places[alphas == -0.3].max()


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_what_fades_is_followed_until_it_has(direction):
    costs = np.array([1.0, 3.0])
    b = faded(lambda b: np.exp(-direction * b - np.array([0, 50])), costs, 5.0, direction)
    assert 30 < direction * b < 200
