"""Search over one number: the least value, to rounding and with few evaluations."""

import numpy as np
import pytest

from rrmlinear.projections.roots import nearly_lowest
from rrmlinear.solvers.loop.line_search import (
    lowest_point,
    lowest_point_between,
    nearly_lowest_by_many,
)


def counted(function):
    calls = []

    def call(x):
        calls.append(x)
        return function(x)

    return call, calls


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("start", [-50.0, 0.0, 3.0])
def test_the_lowest_point_of_a_piecewise_linear_function(seed, start):
    rng = np.random.default_rng(seed)
    kinks, weights = rng.standard_normal(30), rng.random(30)

    def function(x):
        return weights @ np.abs(x - kinks), weights @ np.sign(x - kinks)

    call, calls = counted(function)
    found = lowest_point(call, start, 1e-3)
    best = min(function(kink)[0] for kink in kinks)
    assert found.value == pytest.approx(best, rel=1e-14)
    assert (found.value, found.derivative) == function(found.x)
    assert len(calls) < 60


@pytest.mark.parametrize(
    ("function", "lowest"),
    [
        (lambda x: ((x - 2) ** 2 + 1, 2 * (x - 2)), 2.0),
        (lambda x: (max(x - 1, 0) ** 2 + abs(x - 1), 2 * max(x - 1, 0) + np.sign(x - 1)), 1.0),
        (lambda x: (np.exp(x) - 2 * x, np.exp(x) - 2), np.log(2)),
        (lambda x: (1e9 * (x - 7) ** 4 + 5, 4e9 * (x - 7) ** 3), 7.0),
    ],
)
def test_the_lowest_point_of_smooth_functions(function, lowest):
    call, calls = counted(function)
    found = lowest_point(call, 0.0, 1e-3)
    assert found.value == pytest.approx(function(lowest)[0], rel=1e-15)
    assert len(calls) < 80


def test_a_function_that_falls_for_ever_is_left_far_out():
    found = lowest_point(lambda x: (np.logaddexp(0, -x), -1 / (1 + np.exp(min(x, 700)))), 0.0, 1.0)
    assert found.value < 1e-300


@pytest.mark.parametrize(
    ("low", "high", "lowest"), [(0.0, 3.0, 2.0), (2.5, 3.0, 2.5), (0.0, 1.0, 1.0)]
)
def test_the_lowest_point_of_an_interval(low, high, lowest):
    found = lowest_point_between(lambda x: ((x - 2) ** 2, 2 * (x - 2)), low, high)
    assert found.x == lowest


def test_a_function_that_does_not_fall_is_left_where_it_is():
    assert nearly_lowest(lambda x: x, 0.1) == 0.0
    assert nearly_lowest_by_many(lambda places: list(places), 0.1) == 0.0


def test_a_search_that_ends_early_has_gone_down():
    assert nearly_lowest(lambda x: -1.0, 0.1) == 2.0**39
    assert 0 < nearly_lowest(lambda x: -1.0 if x < 0.7 else 1.0, 0.1) < 0.7
    assert nearly_lowest_by_many(lambda places: [-1.0] * len(places), 0.1) > 1e9
    jump = nearly_lowest_by_many(lambda places: [-1.0 if x < 0.7 else 1.0 for x in places], 0.1)
    assert 0.69 < jump < 0.7
