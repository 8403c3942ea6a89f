"""Rows: products and norms against scipy, over every kind of memory."""

import numpy as np
import pytest
from scipy import sparse

from rrmlinear.data.products import product
from rrmlinear.data.rows import Rows, gathered

KINDS = [
    (form, values, indices)
    for values in (np.float32, np.float64)
    for form, indices in (("dense", None), ("csr", np.int32), ("csr", np.int64))
]


def rows_over(X, kind, bias=-1.0):
    form, values, indices = kind
    X = X.astype(values)
    if form == "dense":
        return Rows(X, None, None, X.shape[1], bias)
    m = sparse.csr_array(X)
    return Rows(m.data, m.indices.astype(indices), m.indptr.astype(indices), X.shape[1], bias)


def random_rows(n, d, density, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32).astype(np.float64)
    X[rng.random((n, d)) >= density] = 0
    return X


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 8, 9, 16, 17, 24, 25, 32, 33, 40, 100])
def test_product_equals_scipy(kind, k):
    for d, density in ((1, 1.0), (3, 0.5), (7, 1.0), (21, 0.6), (64, 0.3)):
        X = random_rows(13, d, density, seed=k + d)
        W = np.random.default_rng(k).normal(size=(d, k))
        found = product(rows_over(X, kind), W, d)
        np.testing.assert_allclose(found, X @ W, rtol=1e-12, atol=1e-13)
        assert found.shape == (13, k)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("bias", [0.5, -2.0, 0.0])
@pytest.mark.parametrize("k", [2, 4, 9, 20, 70])
def test_product_with_an_appended_column(kind, bias, k):
    X, W = random_rows(11, 6, 0.7, 0), np.random.default_rng(k).normal(size=(7, k))
    column = np.full((11, 1), max(bias, 0.0))  # a negative bias is none
    rows = rows_over(X, kind, bias)
    assert repr(rows) == "<11 × 6 Rows>"
    assert rows.width == 6 + (bias >= 0)
    expected = np.hstack([X, column]) @ W
    np.testing.assert_allclose(product(rows, W, 6), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("bias", [-1.0, 1.5])
@pytest.mark.parametrize("features", [0, 1, 3, 9, 12])
def test_product_with_fewer_or_more_features_than_the_weights(kind, bias, features):
    # a model of `features` features: columns beyond them are left out, missing ones are zero
    X = random_rows(10, 9, 0.6, 1)
    W = np.random.default_rng(2).normal(size=(features + (bias >= 0), 5))
    common = min(9, features)
    expected = X[:, :common] @ W[:common] + (bias * W[features] if bias >= 0 else 0)
    found = product(rows_over(X, kind, bias), W, features)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("bias", [-1.0, 0.0, 3.0])
def test_squared_norms(kind, bias):
    X = random_rows(20, 15, 0.5, 3)
    expected = (X**2).sum(axis=1) + max(bias, 0.0) ** 2
    rows = rows_over(X, kind, bias)
    np.testing.assert_allclose(rows.squared_norms(), expected, rtol=1e-13)
    checked = rows_over(X, kind)
    assert checked.find_fault() == (None, True)
    for each in (rows, checked.with_bias(bias)):
        assert each.largest_square() == pytest.approx(expected.max(), rel=1e-13)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_first_fault_is_found(kind, bad):
    X = np.ones((6, 4))
    X[3, 2] = X[4, 0] = bad
    assert rows_over(X, kind).find_fault()[0] == ("value", 3, 2)


def test_bad_and_unsorted_indices_are_found():
    indptr, ones = np.array([0, 2, 3]), np.ones(3)
    assert Rows(ones, np.array([0, 4, 1]), indptr, 4).find_fault()[0] == ("index", 0, 1)
    assert Rows(ones, np.array([0, 1, -1]), indptr, 4).find_fault()[0] == ("index", 1, 0)
    assert Rows(ones, np.array([2, 1, 0]), indptr, 4).find_fault() == (None, False)
    assert Rows(ones, np.array([1, 1, 0]), indptr, 4).find_fault() == (None, False)
    # a fault behind rows that are sound, or have squares beyond the range of numbers
    far = Rows(np.array([1e200, 1e200, np.nan]), np.array([0, 1, 0]), indptr, 4)
    assert far.find_fault()[0] == ("value", 1, 0)
    assert Rows(np.full(3, 1e200), np.array([0, 1, 0]), indptr, 4).find_fault() == (None, True)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_rows_of_no_values(kind):
    rows = rows_over(np.zeros((3, 5)), kind)
    assert not rows.squared_norms().any()
    assert not product(rows, np.ones((5, 2)), 5).any()
    assert product(rows_over(np.zeros((3, 0)), kind), np.zeros((0, 3)), 0).shape == (3, 3)


@pytest.mark.parametrize("bias", [-1.0, 0.0, 1.0])
def test_products_refuse_weights_of_another_shape(bias):
    rows = Rows(np.zeros((3, 5)), None, None, 5, bias)
    needed = 5 + (bias >= 0)
    assert product(rows, np.zeros((needed, 2)), 5).shape == (3, 2)
    with pytest.raises(ValueError, match=f"{needed - 1} rows of weights, but {needed} are needed"):
        product(rows, np.zeros((needed - 1, 2)), 5)
    with pytest.raises(ValueError, match="dimensions"):
        product(rows, np.zeros(needed), 5)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, np.int32, np.uint16])
def test_parts_of_an_array_follow_each_other(kind):
    array = np.arange(30).astype(kind)
    begins, lengths = np.array([20, 0, 5, 29, 5]), np.array([4, 0, 3, 1, 2])
    found = gathered(array, begins, lengths)
    assert found.dtype == kind
    assert found.tolist() == [20, 21, 22, 23, 5, 6, 7, 29, 5, 6]
    assert gathered(array, begins[:0], lengths[:0]).size == 0
    for begin, length in ((29, 2), (-1, 1), (3, -1)):
        with pytest.raises(IndexError, match="outside"):
            gathered(array, np.array([begin]), np.array([length]))
