"""Weights as lines of equal rows without zeros, and back."""

import io

import numpy as np
import pytest

from rrmlinear.data.text import alike_weights
from rrmlinear.data.text._sparse_weights_text import parse_alike
from rrmlinear.data.text.alike_weights import AlikeWeights


def written(weights):
    file = io.BytesIO()
    alike = AlikeWeights(weights)
    alike.write(file)
    return alike, file.getvalue()


def read(text, shape):
    weights, seen = np.zeros(shape), np.zeros(shape[0], dtype=np.uint8)
    lines, fault, _ = parse_alike(bytearray(text), len(text), weights, seen)
    assert fault == ""
    return lines, weights


def test_equal_rows_share_a_line_and_zeros_have_none():
    weights = np.array([[0, 1.5], [0, 0], [-2, 0], [0, 1.5], [-0.0, 0.0], [1e-300, 0.1]])
    alike, text = written(weights)
    assert text.decode().splitlines() == ["1 4 : 2:1.5", "3 : 1:-2", "6 : 1:1e-300 2:0.1"]
    assert alike.n_lines == 3


@pytest.mark.parametrize("columns", [1, 2, 22])
@pytest.mark.parametrize("at_once", [1, 7, 1 << 12])
def test_they_read_back_bit_for_bit(columns, at_once, monkeypatch):
    monkeypatch.setattr(alike_weights, "ROWS_AT_ONCE", at_once)
    rng = np.random.default_rng(columns)
    kinds = rng.standard_normal((40, columns)) * 10.0 ** rng.integers(-200, 200, (40, columns))
    kinds[rng.random(kinds.shape) < 0.4] = 0
    weights = kinds[rng.integers(0, 40, 300)]
    alike, text = written(weights)
    lines, again = read(text, weights.shape)
    assert lines == alike.n_lines == len(np.unique(weights[weights.any(axis=1)], axis=0))
    np.testing.assert_array_equal(again, weights)


def test_no_weights():
    alike, text = written(np.zeros((3, 2)))
    assert (alike.n_lines, text) == (0, b"")


@pytest.mark.parametrize(
    ("text", "fault", "at"),
    [
        (b": 1:1\n", "NO_ROW", 0),
        (b"0 : 1:1\n", "NO_ROW", 0),
        (b"1 4 : 1:1\n", "NO_ROW", 2),
        (b"1 2:1\n", "NO_COLUMN", 4),
        (b"1\n", "NO_ROW", 1),
        (b"99999999999999999999999 : 1:1\n", "NO_ROW", 0),
        (b"2 2 : 1:1\n", "ROW_TWICE", 2),
        (b"1 : 3:1\n", "NO_COLUMN", 4),
        (b"1 : 2:1 1:1\n", "NO_COLUMN", 8),
        (b"1 : 1\n", "NO_COLUMN", 4),
        (b"1 : 1:\n", "NO_NUMBER", 6),
        (b"1 : 1:1x\n", "NO_NUMBER", 6),
        (b"1 : 1:inf\n", "NOT_FINITE", 6),
        (b"1 : 1:1e-999\n", "NOT_FINITE", 6),
    ],
)
def test_faults_have_their_place(text, fault, at):
    weights, seen = np.zeros((3, 2)), np.zeros(3, dtype=np.uint8)
    good = b"3 : 1:1\r\n"
    found = parse_alike(bytearray(good + text), len(good + text), weights, seen)
    assert found == (1, fault, len(good) + at)
