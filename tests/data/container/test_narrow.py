"""Copies of rows in single precision."""

import os

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array
from scipy.sparse.linalg import norm

from rrmlinear import Problem, write_container
from rrmlinear.data.container.narrow import PART, narrowed

N, D = 300, 60


def streamed(folder, X, bias=2.0):
    write_container(folder / "c.rrm", Problem.from_arrays(X, np.ones(X.shape[0])))
    problem = Problem.open(folder / "c.rrm").with_bias(bias)
    return problem.rows.streamed(problem.container.blocks(2000, 2, 1, evicts=True))


def read(rows):
    """‖x_i‖² as visits see them, and the copy."""
    norms, seen = np.full(rows.shape[0], np.nan), []
    narrow = narrowed(rows, norms, lambda begin, end: seen.append(norms[begin:end].copy()))
    assert (np.concatenate(seen) == norms).all()
    return norms, narrow


def random_rows(scale=1.0):
    X = csr_array(random_array((N, D), density=0.2, rng=0))
    X.data = scale * np.random.default_rng(1).normal(size=X.nnz)
    return X


def matrix(rows):
    return csr_array((rows.values, rows.indices, rows.indptr), shape=rows.shape)


@pytest.mark.parametrize("scale", [0.1, 1e4, 1e-30])
def test_rows_are_near_and_norms_are_exact(tmp_path, scale):
    X = random_rows(scale=scale)
    rows = streamed(tmp_path, X)
    norms, found = read(rows)
    assert np.allclose(norms, (X * X).sum(axis=1) + 4, rtol=1e-14)
    assert (found.shape, found.bias) == (rows.shape, rows.bias)
    assert found.stored[0].dtype == np.float32
    assert (found.indptr == X.indptr).all()
    off = norm(matrix(found) - X, axis=1)
    assert (off <= PART * norm(X, axis=1) * (1 + 1e-9)).all()
    assert 1 < len(found.blocks) <= len(rows.blocks)
    assert os.listdir(tmp_path) == ["c.rrm"]


@pytest.mark.parametrize("value", [1e300, 1e-42])
def test_values_beyond_single_precision_are_not_copied(tmp_path, value):
    X = random_rows()
    X.data[-1] = value
    norms, narrow = read(streamed(tmp_path, X))
    assert narrow is None
    assert np.isfinite(norms[:-1]).all()
    assert os.listdir(tmp_path) == ["c.rrm"]
