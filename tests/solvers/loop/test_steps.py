"""Laws of the steps that solvers share: momentum, backtracking, and what is visible."""

from rrmlinear.solvers.loop.steps import Backtracking, Momentum, is_visible


def test_backtracking_stays_above_its_least():
    trial = Backtracking(1.0, 0.9)
    for _ in range(10):
        trial.served()
    assert trial.L == 0.9


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
