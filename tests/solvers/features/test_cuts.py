"""Rows cut to some features: the same numbers, and no second copy of them."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from rrmlinear import Problem
from rrmlinear.solvers.features._cuts import cut_rows


@pytest.fixture
def matrix() -> sparse.csr_matrix:
    return sparse.random(2000, 300, density=0.2, format="csr", rng=np.random.default_rng(0))


def test_cut_rows_hold_the_columns_in_the_order_given(matrix):
    rows = Problem.from_arrays(matrix, np.ones(2000)).rows
    chosen = np.array([299, 0, 17, 200])
    cut = cut_rows(rows, chosen)
    assert cut.shape == (2000, 4)
    weights = np.random.default_rng(1).normal(size=(4, 1))
    np.testing.assert_allclose(cut.product(weights, 4), matrix[:, chosen] @ weights, atol=1e-12)


def test_a_cut_to_most_features_takes_little_more_memory_than_its_result(matrix):
    rows = Problem.from_arrays(matrix, np.ones(2000)).rows
    tracemalloc.start()
    cut = cut_rows(rows, np.arange(290))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.15 * 12 * cut.n_stored
