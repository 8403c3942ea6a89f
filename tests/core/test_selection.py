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


class Adversary:
    """McIlroy's ("A Killer Adversary for Quicksort", 1999): a number is fixed only when it must be,
    always as low as can be.
    """

    def __init__(self, n):
        self.gas, self.fixed, self.candidate = n, 0, None
        self.value = [n] * n

    def below(self, a, b):
        if a != b and self.value[a] == self.gas and self.value[b] == self.gas:
            self.value[a if a == self.candidate else b] = self.fixed
            self.fixed += 1
        if self.value[a] == self.gas:
            self.candidate = a
        elif self.value[b] == self.gas:
            self.candidate = b
        return self.value[a] < self.value[b]


def model(a, rank, below):
    """The selection in Python, comparing by ``below``: (element, work)."""

    def sort_few(begin, n):
        for i in range(begin + 1, begin + n):
            x, j = a[i], i
            while j > begin and below(x, a[j - 1]):
                a[j] = a[j - 1]
                j -= 1
            a[j] = x

    def median_of_three(x, y, z):
        low, high = (x, y) if below(x, y) else (y, x)
        return low if below(z, low) else high if below(high, z) else z

    def pick(begin, n, rank):
        work, guaranteed = 0, False
        while n > 16:
            work += n
            if guaranteed:
                work += n
                groups = n // 5
                for g in range(groups):
                    sort_few(begin + 5 * g, 5)
                    place, middle = begin + g, begin + 5 * g + 2
                    a[place], a[middle] = a[middle], a[place]
                pivot, more = pick(begin, groups, groups // 2)
                work += more
            else:
                pivot = median_of_three(*(a[begin + i] for i in (n // 4, n // 2, 3 * (n // 4))))
            low, high, i = 0, n, 0
            while i < high:
                x = a[begin + i]
                if below(x, pivot):
                    a[begin + i], a[begin + low] = a[begin + low], x
                    i += 1
                    low += 1
                elif below(pivot, x):
                    high -= 1
                    a[begin + i], a[begin + high] = a[begin + high], x
                else:
                    i += 1
            if low <= rank < high:
                return pivot, work
            left = low if rank < low else n - high
            guaranteed = left > n - n // 4
            if rank >= high:
                begin += high
                rank -= high
            n = left
        sort_few(begin, n)
        return a[begin + rank], work + n

    return pick(0, len(a), rank)


@pytest.mark.parametrize("kind", INPUTS)
def test_the_model_works_as_the_selection_does(door, kind):
    numbers = INPUTS[kind](1000, np.random.default_rng(3)).astype(float)
    for rank in (0, 333, 500, 999):
        expected = model(numbers.tolist(), rank, float.__lt__)
        assert door.select(numbers.copy(), rank) == expected


@pytest.mark.parametrize("n", [100, 1000, 10_000])
def test_an_adversary_cannot_make_it_slow(door, n):
    adversary = Adversary(n)
    found, work = model(list(range(n)), n // 2, adversary.below)
    numbers = np.array(adversary.value, dtype=float)
    assert numbers[found] == np.sort(numbers)[n // 2]
    assert work <= WORST * n
    assert door.select(numbers, n // 2) == (np.sort(numbers)[n // 2], work)
