"""Random numbers against splitmix64 and multiply-shift in Python's whole numbers."""

import numpy as np
import pytest

WORD = 2**64
SEEDS = [0, 1, 12345, 2**63, WORD - 1]


@pytest.fixture(scope="module")
def door(built):
    return built("core/core_door.pyx")


def splitmix(state, count):
    """(the state afterwards, the numbers)."""
    numbers = []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) % WORD
        z = state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB % WORD
        numbers.append(z ^ z >> 31)
    return state, numbers


@pytest.mark.parametrize("seed", SEEDS)
def test_numbers(door, seed):
    assert door.numbers(seed, 50) == splitmix(seed, 50)[1]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("number", [0, 1, 77, 2**40])
def test_streams(door, seed, number):
    start = seed ^ number * 0xD1342543DE82EF95 % WORD
    assert door.stream(seed, number) == splitmix(start, 1)[1][0]


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 1000, 2**32 + 1, 2**63 + 1, WORD - 1])
def test_below(door, bound):
    expected = [z * bound >> 64 for z in splitmix(9, 50)[1]]
    assert door.numbers(9, 50, bound) == expected
    assert max(expected) < bound


def test_below_is_uniform(door):
    counts = np.bincount(door.numbers(3, 70_000, 7), minlength=7)
    assert (np.abs(counts - 10_000) < 5 * np.sqrt(10_000)).all()


@pytest.mark.parametrize("n", [0, 1, 2, 7, 8, 9, 63, 1000])
def test_shuffle(door, n):
    order, expected, state = np.arange(n), list(range(n)), 42
    after = door.shuffle(42, order)
    for i in range(n - 1, 0, -1):
        state, (z,) = splitmix(state, 1)
        j = z * (i + 1) >> 64
        expected[i], expected[j] = expected[j], expected[i]
    assert order.tolist() == expected
    assert sorted(expected) == list(range(n))
    assert after == state
