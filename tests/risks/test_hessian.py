"""The second derivative of a risk: NumPy's matrix, its products and its diagonal."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses.logistic import Logistic
from rrmlinear.risks import hessian as hessian_module
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.scalar import ScalarRisk

N, D = 40, 9


def make(form, dtype, bias, index=np.int32):
    rng = np.random.default_rng(3)
    X = (rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.6)).astype(dtype)
    given = X
    if form == "sparse":
        given = csr_array(X)
        given.indices, given.indptr = given.indices.astype(index), given.indptr.astype(index)
    rows = Problem.from_arrays(given, np.ones(N), bias=bias).rows
    X = X.astype(np.float64)
    h = rng.random(N) * (rng.random(N) < 0.5)
    return rows, np.c_[X, np.full(N, bias)] if bias > 0 else X, h


@pytest.mark.parametrize("n_free", [0, 1, 2])
@pytest.mark.parametrize("bias", [-1.0, 1.5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", ["sparse", "dense"])
def test_it_is_the_matrix_of_numpy(form, dtype, bias, n_free):
    rows, X, h = make(form, dtype, bias)
    ones = np.ones(N)
    ones[1::3] = 0
    free = {0: (), 1: (np.ones(N),), 2: (ones, 0.5 * (ones - 1))}[n_free]
    hessian = Hessian(rows, h, free)
    matrix = X.T @ (h[:, None] * X)
    for v in free:
        matrix -= np.outer(X.T @ (h * v), X.T @ (h * v)) / (h @ (v * v))
    np.testing.assert_allclose(hessian.matrix(), matrix, atol=1e-13)
    p = np.linspace(-1, 1, X.shape[1])
    np.testing.assert_allclose(hessian.product(p), matrix @ p, atol=1e-13)
    np.testing.assert_allclose(hessian.diagonal(), np.diag(matrix), atol=1e-13)
    assert hessian.active.tolist() == np.flatnonzero(h).tolist()


@pytest.mark.parametrize("n_free", [0, 1, 2])
@pytest.mark.parametrize("bias", [-1.0, 1.5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_that_read_large_rows_once_are_those_of_the_matrix(
    monkeypatch, dtype, bias, n_free
):
    from rrmlinear.risks import row_factor as module

    monkeypatch.setattr(module, "MIN_BLOCKED_ENTRIES", 0)
    rows, X, _ = make("dense", dtype, bias)
    h = np.linspace(0, 1, N)
    ones = np.ones(N)
    ones[1::3] = 0
    free = {0: (), 1: (np.ones(N),), 2: (ones, 0.5 * (ones - 1))}[n_free]
    hessian = Hessian(rows, h, free)
    assert hessian._is_blocked()
    p = np.linspace(-1, 1, X.shape[1])
    np.testing.assert_allclose(hessian.product(p), hessian.matrix() @ p, atol=1e-13)


@pytest.mark.parametrize("offset", [0.0, 1e6], ids=["near 0", "far from 0"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("even", [True, False])
def test_equal_curvatures_of_dense_rows(dtype, offset, even):
    # the rows serve as they are, unless they are far from 0
    X = (np.random.default_rng(2).standard_normal((N, D)) + offset).astype(dtype)
    hessian = Hessian(Problem.from_arrays(X, np.ones(N)).rows, np.full(N, 0.3), (np.ones(N),))
    centred = X.astype(np.float64) - X.astype(np.float64).mean(axis=0)
    np.testing.assert_allclose(hessian.matrix(), 0.3 * centred.T @ centred, atol=1e-8)
    inverse = np.full(D, 2.0) if even else np.linspace(1, 2, D)
    gram = 0.3 * (centred * inverse) @ centred.T
    np.testing.assert_allclose(hessian.gram(inverse), gram, atol=1e-8)


@pytest.mark.parametrize("n_free", [0, 1])
@pytest.mark.parametrize("bias", [-1.0, 1.5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_of_rows_serve_all_curvatures(dtype, bias, n_free):
    rows, X, _ = make("dense", dtype, bias)
    products = Hessian(rows, np.ones(N)).row_products()
    np.testing.assert_allclose(products, X @ X.T, atol=1e-12)
    for h in (np.linspace(0.1, 1, N), np.linspace(-1, 1, N).clip(0)):
        hessian = Hessian(rows, h, (np.ones(N),) * n_free)
        gram = hessian.gram(np.full(rows.width, 0.7))
        np.testing.assert_allclose(hessian.gram_of(products, 0.7), gram, atol=1e-12)


@pytest.mark.parametrize("offset", [0.0, 1e3])
@pytest.mark.parametrize("n_free", [0, 1])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_in_float32_have_its_digits_beside_the_mean(monkeypatch, dtype, n_free, offset):
    monkeypatch.setattr(hessian_module, "SINGLE_CHUNK", 4)
    monkeypatch.setattr(hessian_module, "CHUNK", 7)
    X = (np.random.default_rng(5).standard_normal((N, D)) + n_free * offset).astype(dtype)
    rows, free = Problem.from_arrays(X, np.ones(N)).rows, (np.ones(N),) * n_free
    hessian = Hessian(rows, np.full(N, 0.3), free)
    atol = 1e-4 if offset else 1e-5
    np.testing.assert_allclose(hessian.single_matrix(), hessian.matrix(), atol=atol)
    gram = hessian.gram(np.full(D, 0.7))
    np.testing.assert_allclose(hessian.single_gram(0.7), gram, atol=atol)
    some = hessian.among(np.arange(0, N, 3))
    np.testing.assert_allclose(some.single_matrix(), some.matrix(), atol=atol)
    assert some.single_gram(0.7) is None


def test_what_has_no_products_in_float32():
    rng = np.random.default_rng(6)
    X, ones = rng.standard_normal((N, D)), np.ones(N)
    rows = Problem.from_arrays(X, ones).rows
    sparse, biased = make("sparse", float, -1.0)[0], make("dense", float, 1.5)[0]
    for hessian in (
        Hessian(rows, rng.random(N)),
        Hessian(rows, ones, (np.sign(X[:, 0]),)),
        Hessian(sparse, ones),
        Hessian(biased, ones),
        Hessian(Problem.from_arrays(1e30 * X, ones).rows, ones),
    ):
        assert hessian.single_matrix() is None
        assert hessian.single_gram(1.0) is None


@pytest.mark.parametrize("few", [0.2, 2.0])
def test_it_follows_from_another_one_where_few_terms_change(few):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((N, 60)) * (rng.random((N, 60)) < few / 60 * D)
    rows = Problem.from_arrays(csr_array(X), np.ones(N), bias=1.0).rows
    h = np.where(np.arange(N) % 4, 2.0, 0.0)
    other = h.copy()
    other[:9] = [0, 2, 1, 0, 0, 2, 2, 2, 2]
    first, later = Hessian(rows, other), Hessian(rows, h)
    matrix = later.matrix_after(first, first.matrix())
    np.testing.assert_allclose(matrix, later.matrix(), rtol=1e-12, atol=1e-12)
    every = Hessian(rows, h + 1)
    assert later.matrix_after(every, every.matrix()) is None
    elsewhere = Problem.from_arrays(csr_array(X), np.ones(N), bias=1.0).rows
    assert later.matrix_after(Hessian(elsewhere, h), first.matrix()) is None


@pytest.mark.parametrize("form", ["sparse", "dense"])
def test_pairs_and_copies_make_the_same_matrix(form, monkeypatch):
    rows, _, h = make(form, np.float64, 1.5)
    copied = Hessian(rows, h).matrix()
    monkeypatch.setattr(hessian_module, "PAIR_COST", 0.0)
    np.testing.assert_allclose(Hessian(rows, h).matrix(), copied, rtol=1e-12, atol=1e-12)


def test_wide_indices_serve():
    narrow, wide = (make("sparse", np.float64, 1.0, index) for index in (np.int32, np.int64))
    assert np.array_equal(Hessian(narrow[0], narrow[2]).matrix(), Hessian(*wide[::2]).matrix())


@pytest.mark.parametrize("form", ["sparse", "dense"])
def test_without_active_rows_it_is_zero(form):
    rows, _, h = make(form, np.float64, -1.0)
    hessian = Hessian(rows, 0 * h, (np.ones(N),))
    assert not hessian.matrix().any()
    assert not hessian.product(np.ones(D)).any()


def test_it_is_the_derivative_of_the_gradient():
    rows, _, costs = make("sparse", np.float64, -1.0)
    y = np.where(np.arange(N) % 3, 1.0, -1.0)
    risk = ScalarRisk(rows, Logistic(), y, costs)
    w, step = np.linspace(-1, 1, D), 1e-6
    matrix = risk.at(risk.scores(w)).hessian().matrix()
    for j in range(D):
        sides = [
            risk.gradient(risk.at(risk.scores(w + sign * step * np.eye(D)[j])).derivatives)
            for sign in (1, -1)
        ]
        np.testing.assert_allclose(matrix[j], (sides[0] - sides[1]) / (2 * step), atol=1e-8)
