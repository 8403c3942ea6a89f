"""Scores, updates and margins of k classes against NumPy: exact on whole numbers."""

import itertools

import numpy as np
import pytest

from rrmlinear.data.rows import aligned_zeros

EXCLUDED = -1e300
CLASSES = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 25, 32, 33, 63, 72]
LENGTHS = [1, 3, 8, 9, 21, 63]


@pytest.fixture
def aligned(whole):
    """A matrix of whole numbers, padded with zero columns, on a cache line's boundary."""

    def make(n, k, stride, seed=5):
        W = aligned_zeros(max(n, 1), stride)
        W[:n, :k] = whole(n, k, seed=seed)
        return W

    return make


@pytest.fixture
def cases(whole, rows_of):
    return [case for d in LENGTHS for case in rows_of(whole(2, d, 0.8))]


@pytest.mark.parametrize("k", CLASSES)
def test_stride_keeps_vectors_aligned(door, k):
    stride = door.stride_of(k)
    assert stride >= k
    assert stride in (2, 4) or stride % 8 == 0
    assert stride < k + 8


def test_scores(door, aligned, cases):
    for (rows, X), k in itertools.product(cases, CLASSES):
        stride = door.stride_of(k)
        W, out = aligned(X.shape[1], k, stride), aligned_zeros(1, max(stride, 8))[0]
        door.scores(rows, 1, W, stride, out)
        np.testing.assert_array_equal(out[:stride], X[1] @ W)


@pytest.mark.parametrize("k", CLASSES[1:])
def test_rows_without_padding_have_the_same_bits(door, cases, k):
    stride, rng = door.stride_of(k), np.random.default_rng(k)
    for rows, X in cases:
        plain, W = rng.normal(size=(X.shape[1], k)), aligned_zeros(X.shape[1], stride)
        W[:, :k] = plain
        out, same = aligned_zeros(2, max(stride, 8))
        door.scores(rows, 1, W, stride, out)
        door.scores(rows, 1, plain, stride, same)
        np.testing.assert_array_equal(same[:k], out[:k])
        # memory behind the last row keeps its numbers
        memory, steps = np.full(plain.size + 8, 7.0), aligned_zeros(1, max(stride, 8))[0]
        memory[: plain.size], steps[:k] = plain.ravel(), rng.normal(size=k)
        door.update(rows, 1, W, steps)
        door.update(rows, 1, memory[: plain.size].reshape(plain.shape), steps)
        np.testing.assert_array_equal(memory[: plain.size].reshape(plain.shape), W[:, :k])
        assert (memory[plain.size :] == 7).all()


@pytest.mark.parametrize("k", [9, 16, 20, 32, 40, 72])
def test_scores_have_the_same_bits_from_panels(door, cases, k):
    stride = door.stride_of(k)
    for rows, X in cases:
        W = aligned_zeros(X.shape[1], stride)
        W[:, :k] = np.random.default_rng(k).normal(size=(X.shape[1], k))
        out, part = aligned_zeros(1, stride)[0], aligned_zeros(1, stride)[0]
        door.scores(rows, 1, W, stride, out)
        for width in {8, (stride // 8 + 1) // 2 * 8}:
            for begin in range(0, stride - width + 1, width):
                panel = aligned_zeros(X.shape[1], width)
                panel[:] = W[:, begin : begin + width]
                door.scores(rows, 1, panel, stride, part)
                np.testing.assert_array_equal(part[:width], out[begin : begin + width])


def test_update(door, aligned, cases):
    for (rows, X), k in itertools.product(cases, CLASSES):
        stride = door.stride_of(k)
        W, steps = aligned(X.shape[1], k, stride), aligned(1, k, stride, seed=6)[0]
        expected = W + np.outer(X[1], steps)
        door.update(rows, 1, W, steps)
        np.testing.assert_array_equal(W, expected)


@pytest.mark.parametrize("count", [4, 8])
def test_some_classes(door, aligned, cases, count):
    for (rows, X), k in itertools.product(cases, [3, 8, 17, 40]):
        stride = door.stride_of(k)
        W = aligned(X.shape[1], k, stride)
        places = np.random.default_rng(k).integers(0, k, count)
        out = np.empty(count)
        door.scores_some(rows, 0, W, places, out)
        np.testing.assert_array_equal(out, X[0] @ W[:, places])
        changed = np.unique(places)
        steps, expected = np.arange(1.0, len(changed) + 1), W.copy()
        expected[:, changed] += np.outer(X[0], steps)
        door.update_some(rows, 0, W, changed, steps)
        np.testing.assert_array_equal(W, expected)


@pytest.mark.parametrize("k", CLASSES)
def test_margins(door, aligned, k):
    k8 = (k + 7) // 8 * 8
    scores, out = aligned(1, k, k8)[0], aligned_zeros(1, k8)[0]
    label = k // 2
    door.margins(scores, k, label, 1.0, 2.0, out)
    expected = 1 + 2 * (scores - scores[label])
    expected[label] = expected[k:] = EXCLUDED
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("k", CLASSES)
def test_change(door, aligned, k):
    k8, label = (k + 7) // 8 * 8, k - 1
    old, new = np.abs(aligned(1, k, k8, seed=7)[0]), np.abs(aligned(1, k, k8, seed=8)[0])
    margins, steps = aligned(1, k, k8, seed=9)[0], aligned_zeros(1, k8)[0]
    old[label] = new[label] = 0
    new[0] = 0 if label == 0 else old[0] + 1e-9  # within rounding: undone
    moves = np.where(np.abs(new - old) > 1e-6, new - old, 0)
    found = door.change(margins, 1.0, old, new, label, 1e-6, steps)
    linear = (moves * (1 - margins)).sum()
    assert found == (np.count_nonzero(moves), moves.sum(), linear, (moves**2).sum())
    np.testing.assert_array_equal(new, old + moves)
    expected = -moves
    expected[label] = moves.sum()
    np.testing.assert_array_equal(steps, expected)


@pytest.mark.parametrize("columns", [8, 16, 64])
def test_steps_are_packed(door, whole, columns):
    steps = whole(1, columns, 0.3)[0]
    places, packed = np.empty(columns + 1, np.int64), np.empty(columns + 1)
    count = door.pack_steps(steps, 100, places, packed)
    at = np.flatnonzero(steps)
    assert places[:count].tolist() == (100 + at).tolist()
    assert packed[:count].tolist() == steps[at].tolist()


@pytest.mark.parametrize("stride", [2, 4, 8, 24, 72])
def test_squares(door, aligned, stride):
    W, sums = aligned(9, stride, stride), np.ones(stride)
    door.squares(W, sums)
    np.testing.assert_array_equal(sums, 1 + (W**2).sum(axis=0))
