"""κ of the proximal point method: it follows the duals, and gives way where it does harm."""

import pytest

from rrmlinear.solvers.dual.pace import (
    BOUND_KAPPA,
    FIRST_STEPS,
    FREE_KAPPA,
    MAX_LAG,
    PLAIN_PASSES,
    Proximal,
)


class Sizes:
    """Sizes that a test sets."""

    def __init__(self, size, at_bound=0.0):
        self.now = size, at_bound

    def __call__(self):
        return self.now


def settled(sizes, **rules):
    """A pace whose duals have stopped growing."""
    pace = Proximal(sizes, rules.get("min_kappa", 0.0), rules.get("passes"))
    pace.see(1.0, 0.0, 1.0)
    pace.step(0.0, 1.0)
    pace.step(0.0, 1.0)
    return pace


@pytest.mark.parametrize("at_bound", [0.0, 0.5, 1.0])
def test_kappa_follows_the_duals_and_those_at_bounds(at_bound):
    pace = settled(Sizes(3.0, at_bound))
    kappa, beta = pace.step(0.0, 1.0)
    assert kappa == pytest.approx(3 * (FREE_KAPPA + BOUND_KAPPA * at_bound**2))
    assert beta == 0


def test_growing_duals_are_looked_ahead_of():
    sizes = Sizes(1.0)
    pace = settled(sizes)
    sizes.now = 1.2, 0.0
    assert pace.step(0.0, 1.0)[0] == pytest.approx(FREE_KAPPA * 1.2 * 1.2**3)
    assert pace.step(0.0, 1.0)[0] == pytest.approx(FREE_KAPPA * 1.2)


def test_a_kappa_that_is_not_worth_its_steps_is_0():
    assert settled(Sizes(1.0), min_kappa=1.0).step(0.0, 1.0)[0] == 0
    assert settled(Sizes(9.0), min_kappa=1.0).step(0.0, 1.0)[0] > 1


def test_the_plain_ascent_goes_on_while_it_is_fast():
    fast, slow = (Proximal(Sizes(1.0), 0.0, None) for _ in range(2))
    told = [(fast.see(0.5**t, 0.0, t), slow.see(0.9**t, 0.0, t)) for t in range(3 * PLAIN_PASSES)]
    assert not any(leaves for leaves, _ in told)
    assert [leaves for _, leaves in told].index(True) == PLAIN_PASSES


def test_kappa_falls_while_the_weights_lag_behind_the_duals_and_recovers():
    pace = settled(Sizes(1.0))
    whole = pace.step(0.0, 1.0)[0]
    pace.see(1.0, 2 * MAX_LAG / whole, 5.0)
    assert pace.step(0.0, 1.0)[0] < whole
    for _ in range(9):
        pace.see(1.0, 0.0, 5.0)
        last = pace.step(0.0, 1.0)[0]
    assert last == pytest.approx(whole)


def test_kappa_is_halved_where_the_gap_stands_still():
    pace = settled(Sizes(1.0))
    whole = pace.step(0.0, 1.0)[0]
    for _ in range(2 * FIRST_STEPS):
        last = pace.step(0.0, 1.0)[0]
    assert last == pytest.approx(whole / 2)
    falling = settled(Sizes(1.0))
    for step in range(10 * FIRST_STEPS):
        last = falling.step(0.0, 0.99**step)[0]
    assert last == pytest.approx(whole)


def test_a_given_number_of_passes_is_kept():
    pace = settled(Sizes(1.0), passes=3)
    assert [pace.see(1.0, 0.0, 5.0) for _ in range(3)] == [False, False, True]
