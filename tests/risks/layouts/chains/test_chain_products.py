"""Products of sparse rows with few columns, in whole numbers, whose sums are exact."""

import numpy as np
import pytest
from scipy import sparse

from rrmlinear.risks.layouts.chains._chain_products import few_column_products


@pytest.mark.parametrize("k", range(8, 33))
def test_few_columns(k):
    """Every number of columns: vectors of each width end with the row and overlap."""
    rng = np.random.default_rng(k)
    X = rng.integers(-9, 10, (40, 30)) * (rng.random((40, 30)) < 0.3)
    X[3] = 0
    rows = sparse.csr_array(X.astype(np.float64))
    matrix = rng.integers(-9, 10, (30, k)).astype(np.float64)
    first, out = rng.integers(-9, 10, k).astype(np.float64), np.full((40, k), np.nan)
    starts = rows.indptr.astype(np.int64)
    few_column_products(
        rows.data, rows.indices.astype(np.int32), starts, matrix, first, out, 0, 0, 40
    )
    assert np.array_equal(out, X @ matrix + first)
