"""Columns of nonzeros are gathered in few pieces of memory."""

import gc
import weakref

import numpy as np
import pytest

from rrmlinear.solvers.loop.label_ends import Column
from rrmlinear.training.labels.problems import CHUNK, Chunks


def _column(size, kind):
    return Column(np.arange(size, dtype=np.int32), np.arange(size).astype(kind))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_columns_share_chunks_that_go_with_the_last_of_them(kind):
    chunks, given = Chunks(), [_column(size, kind) for size in (3, 0, 5, 70_000, 1)]
    kept = [chunks.kept(each) for each in given]
    for mine, column in zip(kept, given, strict=True):
        assert (mine.places.dtype, mine.values.dtype) == (np.int32, kind)
        assert all(array.flags.aligned for array in mine)
        np.testing.assert_array_equal(mine.places, column.places)
        np.testing.assert_array_equal(mine.values, column.values)
    piece = weakref.ref(kept[0].places.base.obj)
    assert kept[-1].values.base.obj is piece()
    larger = chunks.kept(_column(CHUNK, kind))  # more than a chunk is one of its own
    assert larger.values.base.obj is not piece()
    del kept, mine
    gc.collect()
    assert piece() is None
