"""Copies of rows in fewer bytes."""

import os

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array
from scipy.sparse.linalg import norm

from rrmlinear import Problem, write_container
from rrmlinear.data.container import working_copy
from rrmlinear.data.container.narrow import MOST_FEATURES, narrowed
from rrmlinear.data.packed_rows import PackedRows, ShortRows
from rrmlinear.data.products import product

N, D = 300, 60


def streamed(folder, X, bias=2.0):
    write_container(folder / "c.rrm", Problem.from_arrays(X, np.ones(X.shape[0])))
    problem = Problem.open(folder / "c.rrm").with_bias(bias)
    return problem.rows.streamed(problem.container.blocks(2000, 2, 1, evicts=True))


def read(rows, short=False):
    """‖x_i‖² as visits see them, and the copy."""
    norms, seen = np.full(rows.shape[0], np.nan), []
    narrow = narrowed(rows, norms, lambda begin, end: seen.append(norms[begin:end].copy()), short)
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


@pytest.mark.parametrize("signs", ["positive", "both", "equal"])
@pytest.mark.parametrize("scale", [0.1, 1e4, 1e-30])
def test_short_rows_are_as_near_as_their_errors_say(tmp_path, signs, scale):
    X = random_rows(scale=scale)
    X.data = {"positive": np.abs(X.data), "both": X.data, "equal": np.full(X.nnz, scale)}[signs]
    rows = streamed(tmp_path, X)
    norms, narrow = read(rows, short=True)
    assert np.allclose(norms, (X * X).sum(axis=1) + 4, rtol=1e-14)
    found = narrow.rows
    assert isinstance(found, ShortRows)
    assert (found.shape, found.bias, found.n_bytes) == (rows.shape, rows.bias, rows.n_bytes // 3)
    off = norm(matrix(found) - X, axis=1)
    assert (off <= narrow.errors).all()
    assert (narrow.errors <= norm(X, axis=1) * 2.0**-14).all()


def test_short_rows_have_the_products_of_their_values(tmp_path):
    rows = read(streamed(tmp_path, random_rows()), short=True)[1].rows
    X, W = matrix(rows), np.random.default_rng(2).normal(size=(D + 1, 3))
    scores = X @ W[:D] + 2 * W[D]
    assert np.allclose(product(rows, W, D), scores, rtol=0, atol=1e-12)
    assert np.allclose(rows.squared_norms(), (X * X).sum(axis=1) + 4, rtol=1e-14)
    some = rows.between(10, 20)
    assert np.allclose(product(some, W, D), scores[10:20], rtol=0, atol=1e-12)
    assert (some.values[X.indptr[10] : X.indptr[20]] == X.data[X.indptr[10] : X.indptr[20]]).all()
    u = np.random.default_rng(3).random(D + 1)
    sums = [u[X.indices[X.indptr[i] : X.indptr[i + 1]]].sum() for i in range(10, 20)]
    assert np.allclose(rows.sums_over_features(u, 10, 20), sums)
    with pytest.raises(ValueError, match="2 numbers, but 60 features"):
        rows.sums_over_features(u[:2], 0, 1)
    with pytest.raises(ValueError, match=r"units of shape 2 × 2, but 300 rows"):
        ShortRows(*rows.stored, rows.indptr, D, units=rows.units[:2])


def test_short_rows_need_units_and_few_features(tmp_path):
    X = random_rows()
    X.data[-1] = 1e300
    assert read(streamed(tmp_path, X), short=True)[1] is None
    wide = read(streamed(tmp_path, random_rows(MOST_FEATURES + 1)), short=True)[1].rows
    assert wide.stored[0].dtype == np.float32
    empty = read(streamed(tmp_path, csr_array((N, D))), short=True)[1]
    assert empty is None or empty.rows.n_stored == 0
