"""Columns that hold nothing or equal others: the smaller matrix and the weights of both."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear.data.alike_columns import AlikeColumns
from rrmlinear.data.rows import Rows


def made(bias=-1.0, value=np.float64, index=np.int32):
    """Twelve columns over nine rows: 3 and 7 are empty, 1, 4 and 9 equal, as are 0 and 11."""
    rng = np.random.default_rng(0)
    X = rng.integers(1, 4, (9, 12)) * (rng.random((9, 12)) < 0.4)
    X[:, [3, 7]] = 0
    X[:, 1] = 0
    X[4, 1] = 1
    X[:, 4] = X[:, 9] = X[:, 1]
    X[:, 11] = X[:, 0]
    X[:, 5] = 2 * X[:, 1]  # the same places, other values
    sparse = csr_array(X.astype(value))
    rows = Rows(sparse.data, sparse.indices.astype(index), sparse.indptr, 12, bias)
    return X, rows


def dense(rows):
    return csr_array((rows.values, rows.indices, rows.indptr), shape=rows.shape).toarray()


@pytest.mark.parametrize("value", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("bias", [-1.0, 1.0])
def test_scores_and_norms_stay(bias, value, index):
    X, rows = made(bias, value, index)
    alike = AlikeColumns(rows, merged=True)
    assert alike.rows.shape == (9, 7)
    assert alike.rows.width == 7 + (bias >= 0)
    assert alike.fraction == 7 / 12
    small = np.random.default_rng(1).standard_normal((alike.rows.width, 3))
    weights = alike.expanded(small)
    assert weights.shape == (rows.width, 3)
    np.testing.assert_allclose(X @ weights[:12], dense(alike.rows) @ small[:7], rtol=1e-6)
    assert np.linalg.norm(weights) == pytest.approx(np.linalg.norm(small))
    np.testing.assert_array_equal(weights[[3, 7]], 0)
    np.testing.assert_array_equal(weights[[4, 9]], weights[[1, 1]])
    np.testing.assert_allclose(alike.reduced(weights), small, rtol=1e-12)


def test_unmerged_columns_keep_their_weights():
    X, rows = made()
    alike = AlikeColumns(rows, merged=False)
    assert alike.rows.shape == (9, 10)
    small = np.random.default_rng(1).standard_normal((10, 2))
    weights = alike.expanded(small)
    np.testing.assert_allclose(X @ weights, dense(alike.rows) @ small)
    np.testing.assert_array_equal(np.sort(weights[weights != 0]), np.sort(small, axis=None))
