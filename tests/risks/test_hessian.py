"""The second derivative of a risk: NumPy's matrix, its products and its diagonal."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.risks.hessian import Hessian

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


@pytest.mark.parametrize("form", ["sparse", "dense"])
def test_without_active_rows_it_is_zero(form):
    rows, _, h = make(form, np.float64, -1.0)
    hessian = Hessian(rows, 0 * h, (np.ones(N),))
    assert not hessian.matrix().any()
    assert not hessian.product(np.ones(D)).any()
