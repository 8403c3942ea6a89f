"""The best stump against all of them."""

import numpy as np
import pytest
from scipy.sparse import csc_array

from rrmlinear.core.deadline import TimeIsUpError, ends_within
from rrmlinear.solvers.boosting.hypotheses import Columns
from rrmlinear.solvers.boosting.stumps import Stumps


def best_by_trial(X, g):
    """The largest |Σ g_i h(x_i)| over every cut of every feature, and no cut."""
    sums = [g.sum()]
    for column in X.T:
        sums += [g @ np.where(column > value, 1.0, -1.0) for value in np.unique(column)[:-1]]
    return np.abs(sums).max()


def data(kind, rng):
    n, d = rng.integers(1, 14), rng.integers(1, 5)
    if kind == "real":
        return rng.normal(size=(n, d))
    X = rng.integers(-2, 3, (n, d)) * 1.0
    if kind == "without zeros":
        X[X == 0] = 1.0
    if kind == "one sign":
        X = np.abs(X)
    return X


def forms(X):
    stored = csc_array(X)
    explicit = csc_array(X)
    if explicit.nnz:
        explicit.data[0] = 0.0  # a zero that is stored
    return [(X, X), (X, np.asfortranarray(X)), (X, stored), (explicit.toarray(), explicit)]


@pytest.mark.parametrize("kind", ["real", "ties", "without zeros", "one sign"])
def test_the_first_stump_is_the_best_of_all(kind):
    rng = np.random.default_rng(3)
    for _ in range(60):
        made = data(kind, rng)
        g = rng.normal(size=len(made))
        for dense, X in forms(made):
            found = Stumps(X).best(g, 3)
            edges = [each.outputs @ g for each in found]
            assert edges[0] == pytest.approx(best_by_trial(dense, g), abs=1e-12)
            assert edges == sorted(edges, reverse=True)
            for each in found:
                stump = each.hypothesis
                above = dense[:, stump.feature] > stump.threshold
                np.testing.assert_array_equal(
                    each.outputs, np.where(above, stump.sign, -stump.sign)
                )


def test_a_threshold_lies_between_neighbours_however_near():
    below, above = 1.0, np.nextafter(1.0, 2.0)
    found = Stumps(np.array([[below], [above]])).best(np.array([-1.0, 1.0]), 1)[0]
    assert below <= found.hypothesis.threshold < above
    huge = np.array([[-1.7e308], [1.7e308]])
    assert Stumps(huge).best(np.array([-1.0, 1.0]), 1)[0].hypothesis.threshold == 0.0


def test_only_one_constant_is_found():
    X = np.zeros((4, 3))
    found = Stumps(X).best(np.array([1.0, 1.0, 1.0, -1.0]), 3)
    assert [each.hypothesis.threshold for each in found] == [-np.inf]
    np.testing.assert_array_equal(found[0].outputs, 1.0)


@pytest.mark.parametrize("sparse", [False, True])
def test_the_first_column_is_the_best_of_both_signs(sparse):
    rng = np.random.default_rng(4)
    X, g = rng.normal(size=(20, 6)) * (rng.random((20, 6)) < 0.5), rng.normal(size=20)
    columns = Columns(csc_array(X) if sparse else X)
    found = columns.best(g, 6)
    unit = np.abs(X).max()
    np.testing.assert_allclose(
        [unit * each.outputs @ g for each in found], np.sort(np.abs(X.T @ g))[::-1], atol=1e-13
    )
    assert columns.unit == unit


def test_sorting_looks_at_the_clock():
    with pytest.raises(TimeIsUpError), ends_within(0.0):
        Stumps(np.ones((3, 2))).prepare()
