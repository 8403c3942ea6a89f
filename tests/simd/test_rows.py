"""A row's dot product, norm and update against NumPy: exact on whole numbers, every kind of row."""

import itertools

import numpy as np
import pytest

#: Lengths around those at which loops change: 4 and 8 at a time, and multiples of a cache line.
SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 130]


@pytest.fixture
def cases(whole, rows_of):
    """(rows, the same with the appended column, a vector over both) at every size."""
    return [
        (rows, X, whole(1, d + 1, seed=1)[0])
        for d in SIZES
        for rows, X in rows_of(whole(3, d, 0.7))
    ]


def test_dot(door, cases):
    for rows, X, v in cases:
        assert [door.dot(rows, i, v) for i in range(3)] == (X @ v).tolist()


@pytest.mark.parametrize("threshold", [1.0, 4.0, 20.0])
def test_thresholded_dot(door, cases, threshold):
    for rows, X, v in cases:
        soft = np.sign(v) * np.maximum(0, np.abs(v) - threshold)
        assert [door.dot(rows, i, v, threshold) for i in range(3)] == (X @ soft).tolist()


def test_squared_norm(door, cases):
    for rows, X, _ in cases:
        assert [door.squared_norm(rows, i) for i in range(3)] == (X**2).sum(axis=1).tolist()


def test_axpy_changes_the_coordinates_of_the_row_alone(door, cases):
    for rows, X, v in cases:
        for x, i in zip(X, range(3), strict=True):
            w = v.copy()
            if not rows.is_dense:
                w[x == 0] = np.nan  # kept, even in its bits
            expected = np.where(x == 0, w, w - 2 * x)
            door.axpy(rows, i, -2.0, w)
            np.testing.assert_array_equal(w, expected)


@pytest.mark.parametrize("cuts", [(0, 0, 1), (0, 0.3, 0.31, 1), (0, 0.5, 1)], ids=str)
def test_parts_make_the_row(door, cases, cuts):
    for rows, X, _ in cases:
        d = X.shape[1] - 1
        ends = [round(cut * d) for cut in cuts]
        for i in range(3):
            stored, bias, place = door.entries(rows, i)
            assert dict(stored) == {j: X[i, j] for j in range(d) if rows.is_dense or X[i, j]}
            assert (bias, place) == (X[i, d], d)
            parts = []
            for begin, end in itertools.pairwise(ends):
                part, part_bias, part_place = door.entries(rows, i, begin, end)
                base = begin if rows.is_dense else 0  # a dense part counts from its first feature
                parts += [(base + index, value) for index, value in part]
                assert part_bias == (bias if end == d else 0)
                assert base + part_place == d
            assert parts == stored


def test_gram_matrix_and_its_diagonal(door, cases):
    for rows, X, _ in cases:
        total, squares = np.zeros((X.shape[1], X.shape[1])), np.zeros(X.shape[1])
        for i in range(3):
            door.outer(rows, i, 2.0, total)
            door.outer_squares(rows, i, 2.0, squares)
        np.testing.assert_array_equal(total, np.tril(2 * X.T @ X))
        np.testing.assert_array_equal(squares, total.diagonal())
