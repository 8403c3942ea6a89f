"""The selection behind the median search: right on every input, linear on the worst."""

import subprocess

import numpy as np
import pytest

# An unlucky pivot costs 2 n comparisons, and the next round, with medians of five, 4 n and a fifth
# of the problem, to leave 7/10 of it: T(n) ≤ 6 n + T(n/5) + T(7n/10) ≤ 60 n.
WORST = 60


@pytest.fixture(scope="module")
def counter(compiled):
    """The selection with comparisons counted, as a program."""
    return compiled("count_comparisons")


def select(counter, numbers, rank):
    text = " ".join([str(len(numbers)), *(repr(float(x)) for x in numbers)])
    answer = subprocess.run(
        [counter, "numbers", str(rank)], input=text, capture_output=True, text=True, check=True
    )
    found, comparisons = answer.stdout.split()
    return float(found), int(comparisons)


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
def test_selects_the_rank_in_linear_time(counter, kind, n):
    numbers = INPUTS[kind](n, np.random.default_rng(n))
    n = len(numbers)
    if n == 0:
        numbers, n = np.zeros(1), 1
    for rank in sorted({0, n // 3, n // 2, n - 1}):
        found, comparisons = select(counter, numbers, rank)
        assert found == np.partition(numbers, rank)[rank]
        assert comparisons <= WORST * n


@pytest.mark.parametrize("n", [100, 1000, 10_000, 300_000])
def test_an_adversary_cannot_make_it_slow(counter, n):
    answer = subprocess.run(
        [counter, "adversary", str(n)], capture_output=True, text=True, check=True
    )
    right, comparisons = map(int, answer.stdout.split())
    assert right == 1
    assert comparisons <= WORST * n
