"""Copies of rows in fewer bytes."""

import os

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array
from scipy.sparse.linalg import norm

from rrmlinear import Problem, write_container
from rrmlinear.data.container import working_copy
from rrmlinear.data.container.narrow import MOST_FEATURES, narrowed
from rrmlinear.data.rows import PackedRows

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


def random_rows(width=D, scale=1.0):
    X = csr_array(random_array((N, width), density=0.2 * D / width, rng=0))
    X.data = scale * np.random.default_rng(1).normal(size=X.nnz)
    return X


def matrix(rows):
    return csr_array((rows.values, rows.indices, rows.indptr), shape=rows.shape)


@pytest.mark.parametrize(
    ("width", "scale", "decimals"),
    [(D, 0.1, 9), (D, 1e4, 3), (MOST_FEATURES + 1, 0.1, None), (D, 1e-30, None)],
)
def test_rows_are_near_and_norms_are_exact(tmp_path, width, scale, decimals):
    X = random_rows(width, scale)
    rows = streamed(tmp_path, X)
    norms, narrow = read(rows)
    assert np.allclose(norms, (X * X).sum(axis=1) + 4, rtol=1e-14)
    found = narrow.rows
    assert (found.shape, found.bias) == (rows.shape, rows.bias)
    assert getattr(found, "decimals", None) == decimals
    assert isinstance(found, PackedRows) == (decimals is not None)
    assert (found.indptr == X.indptr).all()
    off = norm(matrix(found) - X, axis=1)
    assert (off <= narrow.part * norm(X, axis=1) * (1 + 1e-9)).all()
    assert narrow.part < 2.0**-22
    assert 1 < len(found.blocks) <= len(rows.blocks)
    assert os.listdir(tmp_path) == ["c.rrm"]


def test_decimal_numbers_lose_nothing(tmp_path):
    X = random_rows()
    X.data = np.round(X.data, 3)
    _, narrow = read(streamed(tmp_path, X))
    assert narrow.part < 1e-15
    assert (matrix(narrow.rows) != X).nnz == 0


def test_rows_without_values(tmp_path):
    norms, narrow = read(streamed(tmp_path, csr_array((N, D))))
    assert (norms == 4).all()
    assert narrow is None or narrow.rows.n_stored == 0


def test_values_that_have_no_narrow_form_are_not_copied(tmp_path):
    X = random_rows()
    X.data[-1] = 1e300  # no float32 and no whole number of 32 bits
    norms, narrow = read(streamed(tmp_path, X))
    assert narrow is None
    assert np.isfinite(norms[:-1]).all()
    assert os.listdir(tmp_path) == ["c.rrm"]


def test_narrow_rows_stay_as_they_are(tmp_path):
    norms, narrow = read(streamed(tmp_path, random_rows().astype(np.float32)))
    assert narrow is None
    assert (norms > 0).all()


def test_without_a_folder_to_write_there_is_no_copy(tmp_path, monkeypatch):
    def refuse(*args, **kwargs):
        raise OSError("no room")

    rows = streamed(tmp_path, random_rows())
    monkeypatch.setattr(working_copy.tempfile, "TemporaryFile", refuse)
    norms, narrow = read(rows)
    assert narrow is None
    assert (norms == rows.squared_norms()).all()
