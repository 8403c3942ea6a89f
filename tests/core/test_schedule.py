"""The schedule of visits: examples awake, and the number of passes that others skip."""

import numpy as np
import pytest

QUIET, CALM = 0.1, 1.0


@pytest.fixture(scope="module")
def door(built):
    return built("core/core_door.pyx")


@pytest.fixture
def schedule(door):
    """(schedule, wake, streak) over n examples, all awake."""

    def make(n):
        wake, streak = np.zeros(n, np.int32), np.zeros(n, np.uint8)
        return door.Schedule(wake, streak), wake, streak

    return make


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 63, 200])
def test_examples_awake_that_cost_something_are_visited_once(schedule, n):
    rng = np.random.default_rng(n)
    plan, wake, _ = schedule(n)
    wake[:], cost = rng.integers(0, 4, n), rng.integers(0, 2, n).astype(float)
    for number in range(4):
        order = np.full(n + 1, -1)
        count = plan.awake(cost, number, 5, order)
        expected = np.flatnonzero((wake <= number) & (cost > 0))
        assert sorted(order[:count]) == expected.tolist()


def test_the_order_follows_from_seed_and_pass(schedule):
    plan, cost = schedule(50)[0], np.ones(50)
    orders = {}
    for seed in (0, 1):
        for number in (0, 1):
            order, again = np.empty(51, np.int64), np.empty(51, np.int64)
            assert plan.awake(cost, number, seed, order) == 50
            plan.awake(cost, number, seed, again)
            assert order[:50].tolist() == again[:50].tolist()
            orders[seed, number] = tuple(order[:50])
    assert len(set(orders.values())) == 4


def test_draws_are_uniform_over_examples_that_cost_something(schedule):
    n = 40
    plan, wake, _ = schedule(n)
    wake[:] = 99  # draws ask nobody whether they sleep
    cost, counts = np.where(np.arange(n) % 4 == 0, 0.0, 1.0), np.zeros(n)
    for number in range(2000):
        order = np.full(n, -1)
        drawn = plan.draw(cost, number, 3, order)
        assert drawn == 30
        counts += np.bincount(order[:drawn], minlength=n)
    assert not counts[cost == 0].any()
    assert (np.abs(counts[cost > 0] - 2000) < 5 * np.sqrt(2000)).all()


def test_how_long_an_example_is_passed_over(door, schedule):
    plan, wake, streak = schedule(1)
    plan.note(0, 2 * CALM, 10, QUIET, CALM)
    assert (wake[0], streak[0]) == (11, 0)
    plan.note(0, CALM, 10, QUIET, CALM)
    assert (wake[0], streak[0]) == (11 + door.PASSES_OF_A_NAP, 0)
    slept = []
    for _ in range(8):
        plan.note(0, QUIET, 10, QUIET, CALM)
        slept.append(int(wake[0]) - 11)
    assert slept == [min(2**times, door.MOST_PASSES_ASLEEP) for times in range(8)]
    plan.note(0, 2 * CALM, 10, QUIET, CALM)
    assert (wake[0], streak[0]) == (11, 0)


@pytest.mark.parametrize("step", [1, 2, 8])
def test_waking(schedule, step):
    n = 9
    plan, wake, streak = schedule(n)
    wake[:], streak[:] = 50, 3
    gaps = np.full((n, step), 100.0)  # beside each gap lie numbers that are none
    gaps[:, 0] = np.where(np.arange(n) % 2, 2 * QUIET, QUIET)
    plan.wake_above(gaps, QUIET)
    assert wake.tolist() == [0 if i % 2 else 50 for i in range(n)]
    assert streak.tolist() == [0 if i % 2 else 3 for i in range(n)]
    plan.wake_all()
    assert not wake.any()
    assert streak.tolist() == [0 if i % 2 else 3 for i in range(n)]


def test_a_measurement_counts_as_a_visit_without_a_gap(schedule):
    plan, wake, streak = schedule(4)
    wake[:], streak[:] = [3, 6, 7, 6], [0, 0, 0, 2]
    plan.rest_below(np.array([[QUIET], [2 * QUIET], [QUIET], [0.0]]), QUIET, 5)
    # 6 is the next pass: who would have been visited there skips it and those after a visit
    assert wake.tolist() == [8, 6, 7, 11]
    assert streak.tolist() == [1, 0, 0, 3]
    before = wake.copy()
    plan.rest_below(np.zeros((4, 1)), QUIET, 5)
    assert wake.tolist() == [before[0], 8, before[2], before[3]]
