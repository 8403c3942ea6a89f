"""Gram matrices of columns rounded to bytes are those of the rounded columns."""

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.solvers.features._byte_gram import MOST_ROWS, ByteGram, is_quick
from rrmlinear.solvers.features.feature_columns import FeatureColumns
from rrmlinear.solvers.features.feature_descent import FeatureDescent
from rrmlinear.solvers.features.working_gram import WorkingGram

needs_bytes = pytest.mark.skipif(
    not is_quick(), reason="the machine has no instructions for products of bytes"
)


def rounded(block: np.ndarray) -> np.ndarray:
    """Columns of multiples of 1/127 of their largest number."""
    largest = np.abs(block).max(axis=0)
    inverse = np.divide(127, largest, out=np.zeros_like(largest), where=largest > 0)
    whole = np.rint(block * inverse).astype(np.float64)
    return np.divide(whole, inverse, out=np.zeros_like(whole), where=inverse > 0)


@needs_bytes
@pytest.mark.parametrize("by_rows", [False, True])
@pytest.mark.parametrize(("known", "count"), [(0, 1), (0, 16), (0, 50), (17, 40), (32, 33)])
def test_lines_are_products_of_rounded_columns(known, count, by_rows):
    rng = np.random.default_rng(count)
    gram = ByteGram(known, count)
    expected = np.zeros((count, count))
    for rows in (MOST_ROWS, 37, 64, 1):  # shorter ones after longer ones
        block = rng.standard_normal((rows, count)).astype(np.float32)
        block *= 10.0 ** rng.integers(-3, 4, count)
        block[:, count // 2] = 0
        gram.add(np.ascontiguousarray(block if by_rows else block.T), by_rows)
        expected += rounded(block).T @ rounded(block)
    lengths = np.sqrt(np.maximum(expected.diagonal(), 1e-300))
    error = (gram.lines() - expected[known:]) / np.outer(lengths[known:], lengths)
    assert np.abs(error).max() < 1e-5


@needs_bytes
def test_values_that_do_not_fit_are_refused():
    for shape in ((3, 5), (4, MOST_ROWS + 1)):
        with pytest.raises(ValueError, match="do not fit"):
            ByteGram(0, 4).add(np.zeros(shape, dtype=np.float32), False)


@needs_bytes
@pytest.mark.parametrize("order", ["C", "F"])
def test_matrices_by_bytes_are_near_those_of_the_columns(order):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 120)) + rng.standard_normal((3000, 1)) + 1
    X[:, 3] *= rng.random(3000) < 0.01  # a few large values
    y = rng.standard_normal(3000)
    rows = Problem.from_arrays(np.asarray(X, order=order), y, bias=1.0).rows
    columns = FeatureColumns(rows, y, np.ones(3000), True)
    gram = WorkingGram(columns, is_exact=False)
    centred = X - X.mean(axis=0)
    lengths = np.linalg.norm(centred, axis=0)
    for chosen in (np.arange(0, 60), np.arange(2, 90), np.arange(0, 120, 3)):
        matrix = gram.choose(chosen).matrix()
        expected = centred[:, chosen].T @ centred[:, chosen]
        assert gram.by_bytes
        np.testing.assert_allclose(
            matrix / np.outer(lengths[chosen], lengths[chosen]),
            expected / np.outer(lengths[chosen], lengths[chosen]),
            atol=2e-3,
        )
        assert np.linalg.eigvalsh(matrix)[0] > 0
    exact = WorkingGram(columns, is_exact=False).choose(np.arange(9), by_bytes=False)
    assert not exact.by_bytes
    np.testing.assert_allclose(
        exact.matrix(), centred[:, :9].T @ centred[:, :9], rtol=2e-5, atol=0.1
    )


@needs_bytes
@pytest.mark.parametrize(("part", "used"), [(1e-1, True), (1e-9, False)])
def test_tight_targets_take_no_bytes(part, used):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((10_000, 120))
    y = X[:, :20].sum(axis=1) + rng.standard_normal(10_000)
    rows = Problem.from_arrays(X, y).rows
    solver = FeatureDescent(rows, y, np.ones(10_000), l1=1000.0, modulus=0.0)
    seen = []
    minimize = solver._minimize

    def watched(gram, features, has_all):
        if gram.part == 1:
            seen.append(gram.by_bytes)
        return minimize(gram, features, has_all)

    solver._minimize = watched
    solver.start()
    solver.target = part * solver.certificate.primal
    for number in range(4):
        solver.run_pass(number)
    assert seen[0] is used
    assert solver.certificate.gap < 1e-6 * solver.certificate.primal
