"""Problems of all types, and what two problems must have in common."""

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.data.rows import Rows


def _made(n=200, d=50, values=np.float64, indices=np.int32, weights=False, qid=False, seed=0):
    """Random rows, some of them empty."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 12, n) * (rng.random(n) < 0.8)
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    columns = [np.sort(rng.choice(d, length, replace=False)) for length in lengths]
    places = np.concatenate(columns).astype(indices)
    if indices is np.int64:
        places += 2**31
        d += 2**31
    rows = Rows(rng.standard_normal(indptr[-1]).astype(values), places, indptr, d)
    return Problem(
        rows,
        rng.integers(-1, 3, n).astype(float),
        rng.random(n) if weights else None,
        rng.integers(0, 2**60, n) if qid else None,
    )


def _assert_same(a, b):
    """Assert that two problems have the same arrays of the same types."""
    pairs = [(getattr(a.rows, name), getattr(b.rows, name)) for name in ("values", "indices")]
    pairs += [(a.labels, b.labels), (a.weights, b.weights), (a.query_ids, b.query_ids)]
    for one, other in pairs:
        assert (one is None) == (other is None)
        if one is not None:
            assert one.dtype == other.dtype
            assert np.array_equal(one, other)
    assert np.array_equal(a.rows.indptr, b.rows.indptr)
    assert a.n_features == b.n_features


@pytest.fixture(scope="session")
def made():
    return _made


@pytest.fixture(scope="session")
def assert_same():
    return _assert_same
