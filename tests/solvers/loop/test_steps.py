"""Laws of the steps that solvers share: backtracking, momentum, epochs and Anderson's mixing."""

import numpy as np
import pytest

from rrmlinear.solvers.loop.anderson import Anderson, mixing_weights
from rrmlinear.solvers.loop.backtracking import Backtracking, is_visible
from rrmlinear.solvers.loop.epochs import Epoch
from rrmlinear.solvers.loop.momentum import Momentum


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


@pytest.mark.parametrize(("first", "idle"), [(0.0, 2), (1.0, 1)])
def test_momentum_grows_as_nesterov_has_it(first, idle):
    momentum = Momentum(first)
    betas = []
    for _ in range(200):
        betas.append(momentum.ahead())
        momentum.advance(-1.0)
    assert betas[:idle] == [0.0] * idle
    assert (np.diff(betas[idle - 1 :]) > 0).all()
    # t grows by half a step each time, so that β is about 1 − 3/k
    assert betas[-1] == pytest.approx(1 - 3 / 200, abs=2e-3)


def test_momentum_starts_again_uphill():
    momentum = Momentum(1.0)
    for _ in range(5):
        momentum.ahead()
        momentum.advance(-1.0)
    assert momentum.ahead() > 0.3
    momentum.advance(1e-300)
    assert momentum.ahead() == 0.0


def test_momentum_looks_less_far_ahead_with_shorter_steps():
    momentum = Momentum(1.0)
    for _ in range(5):
        momentum.ahead()
        momentum.advance(0.0)
    assert momentum.ahead(4.0) < momentum.ahead(1.0) < momentum.ahead(0.25)


def ends(epoch, measures, number=0):
    return [epoch.is_over(measure, number) for measure in measures]


def test_an_epoch_ends_when_enough_is_done():
    assert ends(Epoch(0.2), [10.0, 5.0, 2.5, 2.0]) == [False, False, False, True]


def test_an_epoch_ends_when_what_is_left_rises_again():
    assert ends(Epoch(0.1, 0.8), [10.0, 9.0, 9.5, 7.0, 7.5]) == [False, False, False, False, True]


def test_an_epoch_ends_when_it_is_long():
    assert ends(Epoch(0.1, 0.0, 0.5), [10.0, 10.0, 10.0, 10.0], 6) == [False, False, False, True]


def test_an_epoch_begins_with_its_own_measure():
    epoch = Epoch(0.5)
    assert ends(epoch, [10.0, 5.0]) == [False, True]
    epoch.begin()
    assert ends(epoch, [4.0, 3.0, 2.0]) == [False, False, True]


def affine(n, seed):
    """(A, fixed point) of a contraction x → A x + b."""
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.standard_normal((n, n)))[0]
    return (Q * np.linspace(0.5, 0.99, n)) @ Q.T, rng.standard_normal(n)


@pytest.mark.parametrize("seed", range(5))
def test_mixed_residuals_are_the_shortest(seed):
    residuals = list(np.random.default_rng(seed).standard_normal((5, 30)))
    theta = mixing_weights(residuals, 0.0, 0.0)
    assert theta.sum() == pytest.approx(1, rel=1e-12)
    mixed = theta @ residuals
    # moves within the affine hull are orthogonal to it
    moves = np.array(residuals[1:]) - residuals[0]
    np.testing.assert_allclose(moves @ mixed, 0, atol=1e-10)


@pytest.mark.parametrize("count", [1, 4])
def test_residuals_that_are_all_the_same_leave_the_newest(count):
    theta = mixing_weights([np.ones(6)] * count, 1e-10, 1e-4)
    np.testing.assert_array_equal(theta, np.eye(count)[-1])


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
