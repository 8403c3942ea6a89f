"""Laws of the steps that solvers share: momentum."""

from rrmlinear.solvers.loop.steps import Momentum


def test_momentum_starts_again_uphill():
    momentum = Momentum(1.0)
    for _ in range(5):
        momentum.ahead()
        momentum.advance(-1.0)
    assert momentum.ahead() > 0.3
    momentum.advance(1e-300)
    assert momentum.ahead() == 0.0
