"""exp and log without branches against NumPy, to units in the last place."""

import numpy as np
import pytest

SMALLEST = np.finfo(np.float64).tiny


def grid(low, high, count=20_001):
    return np.linspace(low, high, count)


def called(door, name, x):
    out = np.empty_like(x)
    door.elementary(name, x, out)
    return out


def units(found, exact):
    """The largest error in units in the last place."""
    return (np.abs(found - exact) / np.spacing(np.abs(exact))).max()


@pytest.mark.parametrize("x", [grid(-708, 709), grid(-1, 1), grid(-1e-9, 1e-9)], ids=len)
def test_exp(door, x):
    assert units(called(door, "exp", x), np.exp(x)) <= 2


@pytest.mark.parametrize(
    "x",
    [
        np.exp(grid(-700, 700)),
        grid(0.5, 2),
        1 + grid(1e-15, 1e-9),
        np.array([SMALLEST, 1.0, np.finfo(np.float64).max]),
    ],
    ids=["all", "near 1", "next to 1", "ends"],
)
def test_log(door, x):
    exact = np.log(x)
    found = called(door, "log", x)
    assert units(found[exact != 0], exact[exact != 0]) <= 2
    assert (found[exact == 0] == 0).all()


@pytest.mark.parametrize(
    "x", [grid(-0.999, 1), np.logspace(-300, 0, 5001), -np.logspace(-300, -0.001, 5001)], ids=len
)
def test_log1p(door, x):
    found, exact = called(door, "log1p", x), np.log1p(x)
    np.testing.assert_allclose(found, exact, rtol=1e-15, atol=0)


def test_the_rough_ones_have_three_digits(door):
    x = grid(-700, 700)
    np.testing.assert_allclose(called(door, "exp roughly", x), np.exp(x), rtol=2e-3)
    y = np.exp(grid(-300, 300))
    np.testing.assert_allclose(called(door, "log roughly", y), np.log(y), rtol=2e-3, atol=2e-3)


def test_exp_rises(door):
    x = np.sort(np.random.default_rng(0).uniform(-708, 709, 50_000))
    assert (np.diff(called(door, "exp", x)) >= 0).all()
