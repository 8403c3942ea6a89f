"""Search along a line by derivatives alone: near the lowest point, with few of them."""

import numpy as np
import pytest

from rrmlinear.projections.slopes import nearly_lowest


@pytest.mark.parametrize("lowest", [1e-30, 1e-12, 1e-6, 0.3, 1.0, 7.0, 1e5])
@pytest.mark.parametrize("part", [0.5, 0.1, 1e-3])
def test_the_derivative_falls_to_its_part(lowest, part):
    def derivative(x):
        return np.arcsinh(x - lowest) + (x - lowest) / 3

    def counted(x):
        calls.append(x)
        return derivative(x)

    calls = []
    x = nearly_lowest(counted, part)
    assert abs(derivative(x)) <= part * abs(derivative(0.0))
    assert len(calls) < 42


def test_a_point_behind_the_lowest_does_not_lie_above_the_start():
    def value(x):  # steep down, and less steep up
        return max(-9.0 * x, 4.0 * x - 0.13) + x * x / 100

    def derivative(x):
        return (-9.0 if x < 0.01 else 4.0) + x / 50

    assert value(nearly_lowest(derivative, 0.5)) > 0
    x = nearly_lowest(derivative, 0.5, lambda x: value(x) > 0)
    assert value(x) < 0
    assert abs(derivative(x)) <= 0.5 * 9


def test_a_function_that_rises_is_left_at_once():
    assert nearly_lowest(lambda x: x + 0.5, 0.1) == 0.0
    assert nearly_lowest(lambda x: np.nan, 0.1) == 0.0


def test_an_error_of_the_derivative_comes_through():
    def derivative(x):
        if x > 0:
            raise FloatingPointError("too far")
        return -1.0

    with pytest.raises(FloatingPointError, match="too far"):
        nearly_lowest(derivative, 0.1)
