"""Text that holds nearly every feature in every line is read as dense rows by the commands."""

import numpy as np
import pytest
import scipy.sparse as sp

from rrmlinear import Problem
from rrmlinear.data.text._libsvm_parser import PADDING
from rrmlinear.data.text.libsvm_format import read_examples, read_libsvm, write_libsvm
from rrmlinear.data.text.libsvm_reading import MIN_DENSE, Reading
from rrmlinear.data.text.line_blocks import LineBlocks


@pytest.mark.parametrize("text", ["1 1:2 2:3\n-1 1:4 2:5\n", "1 1:2\n-1 1:0\n"])
def test_full_lines_make_dense_rows(tmp_path, text):
    path = tmp_path / "data"
    path.write_text(text * (MIN_DENSE // 2))
    dense, sparse = read_examples(str(path), 1, False), read_libsvm(path)
    assert dense.rows.is_dense
    assert not sparse.rows.is_dense
    assert (dense.rows.values == sparse.to_scipy().toarray()).all()
    assert (dense.labels == sparse.labels).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("part", [1.0, 0.92])
def test_missing_values_are_zeros_of_dense_rows(dtype, part, tmp_path):
    rng, n = np.random.default_rng(2), MIN_DENSE // 6
    X = rng.standard_normal((n, 7)).round(3) * (rng.random((n, 7)) < part)
    X[0, 6], X[5] = 1.0, 0.0  # a row without values
    path = tmp_path / "data"
    write_libsvm(path, Problem.from_arrays(sp.csr_array(X), np.ones(n)))
    reading = Reading("data", np.dtype(dtype), None, False, False, compact=True)
    with open(path, "rb") as stream:
        reading.run(LineBlocks(stream, 1 << 16, PADDING), None, 2)
    problem = reading.problem()
    assert problem.rows.is_dense
    assert problem.rows.values.dtype == dtype
    assert (problem.rows.values == X.astype(dtype)).all()


@pytest.mark.parametrize("text", ["1 1:2 2:3\n-1 2:5\n", "1\n-1\n", "1 1:2 3:3\n"])
def test_lines_without_a_feature_stay_sparse(tmp_path, text):
    path = tmp_path / "data"
    path.write_text(text * (MIN_DENSE // 2))
    rows = read_examples(str(path), 1, False).rows
    assert not rows.is_dense
    assert rows.n_stored == MIN_DENSE // 2 * text.count(":")
