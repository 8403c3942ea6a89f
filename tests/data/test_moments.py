"""Sums and spreads of lines: those of exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

from rrmlinear.data.moments import moments

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 1023, 1024, 1025, 3000])
@pytest.mark.parametrize("centre", [0.0, 1e6])
def test_they_are_those_of_exact_arithmetic(kind, n, centre):
    lines = (RNG.standard_normal((3, n)) + centre).astype(kind)
    sums, spreads = moments(lines)
    for line, total, spread in zip(lines, sums, spreads, strict=True):
        exact = [Fraction(float(x)) for x in line]
        mean = sum(exact) / n
        assert total == pytest.approx(float(sum(exact)), rel=1e-12, abs=1e-12 * n)
        assert spread == pytest.approx(float(sum((x - mean) ** 2 for x in exact)), rel=1e-9)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 1500, 2999])
def test_a_number_that_is_not_finite_shows_in_both(wrong, place):
    lines = RNG.standard_normal((2, 3000))
    lines[1, place] = wrong
    sums, spreads = moments(lines)
    assert np.isfinite(sums).tolist() == np.isfinite(spreads).tolist() == [True, False]


def test_lines_without_numbers():
    assert [each.tolist() for each in moments(np.zeros((2, 0)))] == [[0, 0], [0, 0]]
