"""Laws of the steps that solvers share: backtracking, momentum, epochs and Anderson's mixing."""

import numpy as np
import pytest

from rrmlinear.solvers.loop.steps import (
    Anderson,
    Backtracking,
    Momentum,
    is_visible,
    mixing_weights,
)


def test_backtracking_finds_a_constant_within_its_factors():
    trial, needed = Backtracking(1e-3, 1e-6, rise=2.0, fall=1.1), 7.0
    for _ in range(100):
        if needed > trial.L:
            trial.failed()
        else:
            trial.served()
    assert needed / 1.1 <= trial.L < 2 * needed


def test_backtracking_stays_above_its_least():
    trial = Backtracking(1.0, 0.9)
    for _ in range(10):
        trial.served()
    assert trial.L == 0.9


def test_backtracking_with_factors_of_one_is_fixed():
    trial = Backtracking(3.0, 1.0, rise=1.0, fall=1.0)
    trial.failed()
    trial.served()
    assert trial.L == 3.0


def test_a_step_is_visible_beside_values_that_are_not_too_large():
    assert is_visible(1.0, 10.0, -1e8)
    assert not is_visible(1.0, 10.0, -1e10)


def test_momentum_starts_again_uphill():
    momentum = Momentum(1.0)
    for _ in range(5):
        momentum.ahead()
        momentum.advance(-1.0)
    assert momentum.ahead() > 0.3
    momentum.advance(1e-300)
    assert momentum.ahead() == 0.0


def affine(n, seed):
    """(A, fixed point) of a contraction x → A x + b."""
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.standard_normal((n, n)))[0]
    return (Q * np.linspace(0.5, 0.99, n)) @ Q.T, rng.standard_normal(n)


def test_an_affine_map_is_solved_in_as_many_steps_as_it_has_dimensions():
    A, fixed = affine(4, 0)
    points = [np.zeros(4)]
    for _ in range(5):
        points.append(fixed + A @ (points[-1] - fixed))
    theta = mixing_weights(list(np.diff(points, axis=0)), 0.0, 0.0)
    # the Gram matrix of the least-squares problem has the square of its condition
    np.testing.assert_allclose(theta @ points[1:], fixed, atol=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_mixing_takes_an_iteration_to_its_fixed_point_sooner(seed):
    A, fixed = affine(30, seed)
    mixing, x, plain, images = Anderson(8), np.zeros(30), np.zeros(30), []
    for _ in range(60):
        g = fixed + A @ (x - fixed)
        theta = mixing.weights(x, g)
        images = [*images, g][-len(theta) :]
        x = theta @ images
        plain = fixed + A @ (plain - fixed)
    assert np.linalg.norm(x - fixed) < 1e-2 * np.linalg.norm(plain - fixed)
