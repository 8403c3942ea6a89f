"""The selection behind the median search: right on every input, linear on the worst."""

import numpy as np
import pytest

# An unlucky pivot costs a sweep over n elements, and the next round, with medians of five, two and
# a fifth of the problem, to leave 7/10 of it: T(n) ≤ 3 n + T(n/5) + T(7n/10) ≤ 30 n.
WORST = 30


@pytest.fixture(scope="module")
def door(built):
    return built("core/core_door.pyx")


def organ_pipe(n):
    return np.concatenate([np.arange(n // 2), np.arange(n - n // 2)[::-1]])


def median_of_three_killer(n):
    """Musser's sequence: the first, middle and last are ever the least two and the largest."""
    half = n // 2
    killer = np.empty(2 * half)
    odd = np.arange(1, half + 1)
    killer[:half] = np.where(odd % 2 == 1, odd, half + odd - 1)
    killer[half:] = 2 * odd
    return killer


INPUTS = {
    "random": lambda n, rng: rng.normal(size=n),
    "ascending": lambda n, rng: np.arange(n),
    "descending": lambda n, rng: -np.arange(n),
    "all equal": lambda n, rng: np.full(n, 7.0),
    "two values": lambda n, rng: rng.integers(0, 2, n),
    "few values": lambda n, rng: rng.integers(0, 9, n),
    "organ pipe": lambda n, rng: organ_pipe(n),
    "pipe upside down": lambda n, rng: -organ_pipe(n),
    "median-of-three killer": lambda n, rng: median_of_three_killer(n),
    "quarters low": lambda n, rng: np.where(np.arange(n) % (n // 4 or 1) == 0, -1.0, np.arange(n)),
    "wild scales": lambda n, rng: rng.normal(size=n) * 10.0 ** rng.integers(-300, 300, n),
    "infinities": lambda n, rng: rng.choice([-np.inf, 0.0, np.inf], n),
}


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("n", [1, 2, 5, 16, 17, 33, 1000, 20_000])
def test_selects_the_rank_in_linear_time(door, kind, n):
    numbers = INPUTS[kind](n, np.random.default_rng(n))
    n = len(numbers)
    if n == 0:
        numbers, n = np.zeros(1), 1
    for rank in sorted({0, n // 3, n // 2, n - 1}):
        found, work = door.select(np.array(numbers, dtype=float), rank)
        assert found == np.partition(numbers, rank)[rank]
        assert work <= WORST * n
