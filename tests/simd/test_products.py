"""X w and X'a over a range of rows, and products with planes: exact on whole numbers."""

import numpy as np
import pytest

SHAPES = [(0, 3), (1, 1), (3, 7), (5, 8), (4, 9), (7, 33), (9, 65), (300, 5), (517, 3)]


@pytest.fixture
def cases(whole, rows_of):
    return [case for shape in SHAPES for case in rows_of(whole(*shape, 0.8))]


def ranges_of(n):
    return sorted({(0, n), (0, n // 2), (n // 2, n), (min(1, n), n)})


def test_times(door, whole, cases):
    for rows, X in cases:
        w = whole(1, X.shape[1], seed=1)[0]
        for begin, end in ranges_of(len(X)):
            out = np.full(len(X) + 1, -0.5)
            expected = out.copy()
            expected[begin:end] = (X @ w)[begin:end]
            door.times(rows, begin, end, w, out)
            np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("density", [0.0, 0.01, 0.2, 1.0])
def test_add(door, whole, cases, density):
    # rows whose factor is 0 are left out where they are many, and added where they are few
    for rows, X in cases:
        c = np.abs(whole(1, len(X) + 1, seed=2)[0])
        a = whole(1, len(X) + 1, density, seed=3)[0]
        for begin, end in ranges_of(len(X)):
            total = np.ones(X.shape[1])
            door.add(rows, begin, end, c, a, total)
            np.testing.assert_array_equal(total, 1 + X[begin:end].T @ (c * a)[begin:end])


def test_long_rows(door, whole, rows_of):
    # sparse ones are prefetched, in the middle of memory and at its end
    w, a = whole(1, 701, seed=1)[0], whole(1, 12, seed=2)[0]
    for rows, X in rows_of(whole(12, 700, 0.5)):
        out, total = np.zeros(12), np.zeros(701)
        door.times(rows, 0, 12, w, out)
        door.add(rows, 0, 12, np.ones(12), a, total)
        np.testing.assert_array_equal(out, X @ w)
        np.testing.assert_array_equal(total, X.T @ a)


@pytest.mark.parametrize("n", [200, 203])
def test_long_rows_that_are_many(door, whole, rows_of, n):
    # of dense ones four that lie far apart are read at once
    w, a = whole(1, 141, seed=1)[0], whole(1, n, seed=2)[0]
    for rows, X in rows_of(whole(n, 140, 0.9)):
        out, total = np.full(n + 1, -0.5), np.ones(X.shape[1])
        door.times(rows, 1, n, w[: X.shape[1]], out)
        door.add(rows, 1, n, np.ones(n), a, total)
        np.testing.assert_array_equal(out[[0, n]], -0.5)
        np.testing.assert_array_equal(out[1:n], (X @ w[: X.shape[1]])[1:])
        np.testing.assert_array_equal(total, 1 + X[1:].T @ a[1:])


@pytest.mark.parametrize("d", [1, 7, 8, 63, 1023, 1024, 1025, 2100])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_columns(door, whole, count, d):
    A, v = whole(count, d), whole(1, d, seed=1)[0]
    weights = whole(1, count, 0.6, seed=2)[0]
    out, total = np.full(count, np.nan), v.copy()
    door.matrix_times(A, v, out)
    door.matrix_add(A, weights, total)
    np.testing.assert_array_equal(out, A @ v)
    np.testing.assert_array_equal(total, v + A.T @ weights)
    assert door.long_dot(A[0], v) == A[0] @ v
    door.long_axpy(total, 3.0, A[0])
    np.testing.assert_array_equal(total, v + A.T @ weights + 3 * A[0])
    assert door.long_dot3(A[0], v, total) == (A[0] * v) @ total
    door.long_moved(v, -2.0, A[0], total)
    np.testing.assert_array_equal(total, v - 2 * A[0])


def test_a_plane_of_weight_zero_is_not_read(door):
    total = np.zeros(3)
    door.matrix_add(np.array([[np.nan] * 3, [1.0, 2, 3]]), np.array([0.0, 2]), total)
    assert total.tolist() == [2, 4, 6]
