"""The selection by digits: right on every input, six sweeps on the worst."""

import numpy as np
import pytest

# Six sweeps, and the comparisons of a few thousand numbers at the end.
WORST = 10


@pytest.fixture(scope="module")
def door(built):
    return built("core/core_door.pyx")


def from_bits(bits):
    return bits.astype(np.uint64).view(np.float64)


def one_apart_at_every_digit(n, rng):
    """All but a few share every digit but the last; each of those is apart at another digit."""
    bits = np.full(n, 0x3FF0000000000000, dtype=np.uint64) + rng.integers(0, 512, n).astype("u8")
    for at, digit in enumerate((61, 53, 42, 31, 20, 9)):
        bits[at] ^= np.uint64(1 << digit)
    return from_bits(bits)


INPUTS = {
    "random": lambda n, rng: rng.normal(size=n),
    "ascending": lambda n, rng: np.arange(n),
    "all equal": lambda n, rng: np.full(n, -7.0),
    "two neighbours": lambda n, rng: np.where(rng.random(n) < 0.5, 1.0, np.nextafter(1.0, 2.0)),
    "zeros of both signs": lambda n, rng: rng.choice([-0.0, 0.0], n),
    "infinities": lambda n, rng: rng.choice([-np.inf, -1.0, 0.0, np.inf], n),
    "smallest": lambda n, rng: rng.choice([-5e-324, 0.0, 5e-324, 1e-323], n),
    "wild scales": lambda n, rng: rng.normal(size=n) * 10.0 ** rng.integers(-300, 300, n),
    "against the digits": one_apart_at_every_digit,
    "each half nearer": lambda n, rng: 1 + rng.random(n) * 0.5 ** rng.geometric(0.1, n),
}


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("n", [1, 4096, 4097, 60_000])
def test_selects_the_rank_in_six_sweeps(door, kind, n):
    numbers = INPUTS[kind](max(n, 10), np.random.default_rng(n))[:n]
    for rank in sorted({0, n // 3, n // 2, n - 1}):
        found, work = door.select(np.array(numbers, dtype=float), rank, True)
        assert found == np.partition(numbers, rank)[rank]
        assert work <= WORST * max(n, 4096)
