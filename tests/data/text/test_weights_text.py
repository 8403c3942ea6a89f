"""Weights as text: the characters are those of "%.17g", whatever the size of the number."""

import numpy as np
import pytest

from rrmlinear.data.text._weights_text import format_weights, text_bound

N = 3000


def texts(numbers):
    weights = np.ascontiguousarray(numbers).reshape(-1, 3)
    text = bytearray(text_bound(*weights.shape))
    lines = bytes(text[: format_weights(text, weights)]).decode().splitlines()
    assert all(line.endswith(" ") for line in lines)
    assert len(lines) == len(weights)
    return " ".join(lines).split()


def edges():
    """Neighbours of powers of ten and of two."""
    apart = 1 + np.arange(-7, 8) * 2.0**-53
    return np.outer([*10.0 ** np.arange(-20, 22), *2.0 ** np.arange(-60, 60)], apart).ravel()


def numbers_of(kind):
    rng = np.random.default_rng(0)
    return {
        "normal": rng.standard_normal(N),
        "all-sizes": rng.standard_normal(N) * 10.0 ** rng.integers(-300, 300, N),
        "near-one": rng.standard_normal(N) * 10.0 ** rng.integers(-14, 18, N),
        "short": rng.integers(-999, 999, N) / 10.0 ** rng.integers(0, 9, N),
        "halfway": rng.integers(0, 2**53, N) * 2.0 ** rng.integers(-56, -1, N),
        "edges": edges(),
        "zeros": np.array([0.0, -0.0, 5e-324, -1.7976931348623157e308, 1.0, -1.0]),
    }[kind]


@pytest.mark.parametrize(
    "kind", ["normal", "all-sizes", "near-one", "short", "halfway", "edges", "zeros"]
)
def test_numbers_stand_as_printf_writes_them(kind):
    numbers = numbers_of(kind)
    assert texts(numbers) == [f"{number:.17g}" for number in numbers.tolist()]
