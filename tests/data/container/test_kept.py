"""Copies of some rows of a container."""

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from rrmlinear import Problem, write_container
from rrmlinear.data.container import kept
from rrmlinear.data.container.kept import KeptRows

N, D = 200, 40


@pytest.fixture(params=[np.float64, np.float32])
def streamed(request, tmp_path):
    X = csr_array(random_array((N, D), density=0.2, rng=0)).astype(request.param)
    write_container(tmp_path / "c.rrm", Problem.from_arrays(X, np.ones(N)))
    problem = Problem.open(tmp_path / "c.rrm").with_bias(1.0)
    return X.toarray(), problem.rows.streamed(problem.container.blocks(2000, 2, 1, evicts=True))


def test_rows_that_are_kept_are_the_same_and_the_others_empty(streamed):
    X, rows = streamed
    keep = np.random.default_rng(0).random(N) < 0.3
    copy = KeptRows(rows)
    for begin, end in rows.spans():
        copy.add(begin, end, keep[begin:end])
    found = copy.finish()
    assert copy.n_stored == np.count_nonzero(X[keep])
    assert (found.shape, found.bias, found.values.dtype) == (rows.shape, rows.bias, X.dtype)
    dense = csr_array((found.values, found.indices, found.indptr), shape=(N, D)).toarray()
    assert (dense == np.where(keep[:, None], X, 0)).all()
    assert 1 < len(found.blocks) < len(rows.blocks)
    assert found.blocks.most_bytes <= rows.blocks.most_bytes


def test_a_copy_leaves_no_file(streamed):
    _, rows = streamed
    folder = kept.os.path.dirname(rows.blocks.source.path)
    copy = KeptRows(rows)
    for begin, end in rows.spans():
        copy.add(begin, end, np.ones(end - begin, dtype=bool))
    found = copy.finish()
    assert kept.os.listdir(folder) == ["c.rrm"]
    assert float(found.squared_norms().sum()) > N
