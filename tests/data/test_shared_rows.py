"""Rows that several problems share: of the same kind, with the same numbers, norms kept."""

import numpy as np
import pytest

from rrmlinear.data.array_rows import rows_of, shared_rows
from rrmlinear.data.packed_rows import PackedRows
from rrmlinear.data.rows import Rows


def rows(kind):
    rng = np.random.default_rng(0)
    if kind == "dense":
        return rows_of(rng.standard_normal((6, 4)))
    indices, indptr = np.tile(np.arange(3), 6), np.arange(0, 19, 3)
    values = rng.integers(-999, 999, 18)
    if kind == "sparse":
        return Rows(values / 1000, indices.astype(np.int32), indptr, 5, 1.0)
    packed = values.astype(np.int32), indices.astype(np.uint16)
    return PackedRows(*packed, indptr, 5, 1.0, decimals=3)


@pytest.mark.parametrize("kind", ["dense", "sparse", "packed"])
def test_norms_are_computed_once_and_given_as_copies(kind):
    alone = rows(kind)
    shared = shared_rows(alone)
    assert isinstance(shared, type(alone))
    assert (shared.shape, shared.bias, shared.width) == (alone.shape, alone.bias, alone.width)
    norms = shared.squared_norms()
    np.testing.assert_array_equal(norms, alone.squared_norms())
    shared.kept[:] = 7.0
    again = shared.squared_norms()
    np.testing.assert_array_equal(again, 7.0)
    again[:] = 0.0
    np.testing.assert_array_equal(shared.squared_norms(), 7.0)
    np.testing.assert_array_equal(shared.values, alone.values)
