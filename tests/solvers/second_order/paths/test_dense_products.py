"""Products of dense rows with several vectors: those of NumPy, for all remainders of sizes."""

import numpy as np
import pytest

from rrmlinear.data.rows import Rows
from rrmlinear.solvers.second_order.paths._dense_products import sums, times


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [*range(1, 9), 13, 26])
@pytest.mark.parametrize(
    ("n", "d"),
    [(1, 1), (2, 9), (3, 2), (10, 1), (17, 7), (33, 500), (100, 8), (1030, 130), (4097, 33)],
)
def test_products_are_those_of_numpy(n, d, k, dtype):
    rng = np.random.default_rng(n + d)
    X = rng.standard_normal((n, d)).astype(dtype)
    rows, exact = Rows(X, None, None, d), X.astype(np.float64)
    weights, pulls = rng.standard_normal((k, d)), rng.standard_normal((k, n))
    sizes = abs(weights) @ abs(exact).T
    assert (abs(times(rows, weights) - weights @ exact.T) <= 1e-15 * (4 + d) * sizes).all()
    sizes = abs(pulls) @ abs(exact)
    assert (abs(sums(rows, pulls) - pulls @ exact) <= 1e-15 * (4 + n) * sizes).all()


def test_rows_without_examples_or_features_have_products_of_0():
    assert times(Rows(np.empty((0, 3)), None, None, 3), np.ones((2, 3))).shape == (2, 0)
    assert (sums(Rows(np.empty((0, 3)), None, None, 3), np.ones((2, 0))) == np.zeros((2, 3))).all()
