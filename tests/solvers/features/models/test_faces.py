"""Steps on faces, and the cuts of the data that they take."""

import numpy as np
import pytest
from scipy.sparse import random_array

from rrmlinear import Parameter, Problem, fit
from rrmlinear.data.rows import Rows
from rrmlinear.solvers.features.feature_subsets import columns_of, part_of
from rrmlinear.solvers.features.models.faces import face_point


def sparse(n=60, d=40, density=0.2, seed=0):
    return random_array((n, d), density=density, rng=np.random.default_rng(seed), format="csr")


def rows_of(X, form, dtype, bias):
    if form == "dense":
        return Rows(X.toarray().astype(dtype), None, None, X.shape[1], bias)
    return Rows(X.data.astype(dtype), X.indices, X.indptr, X.shape[1], bias)


def dense(rows):
    if rows.is_dense:
        return np.asarray(rows.values)
    out = np.zeros(rows.shape)
    for i in range(rows.shape[0]):
        part = slice(rows.indptr[i], rows.indptr[i + 1])
        out[i, rows.indices[part]] = rows.values[part]
    return out


@pytest.mark.parametrize("bias", [-1.0, 0.0, 2.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", ["sparse", "dense"])
def test_cuts_are_the_features_asked_for(form, dtype, bias):
    X = sparse()
    whole = X.toarray().astype(dtype).astype(np.float64)
    if bias >= 0:
        whole = np.hstack([whole, np.full((len(whole), 1), bias)])
    rows = rows_of(X, form, dtype, bias)
    features = np.array([0, 3, 7, 22, whole.shape[1] - 1])
    factors = np.where(np.arange(len(whole)) % 3 == 0, 0.0, 1.5)
    np.testing.assert_array_equal(dense(part_of(rows, features)), whole[:, features])
    np.testing.assert_array_equal(dense(columns_of(rows, factors)), (whole * factors[:, None]).T)


def test_a_point_keeps_the_signs_of_its_face_and_decreases_the_model():
    rng = np.random.default_rng(2)
    for _ in range(50):
        Z = rng.standard_normal((12, 8))
        M, signs = Z.T @ Z, np.where(rng.random(8) < 0.5, -1.0, 1.0)
        weights, downhill = signs * rng.random(8), 10 * rng.standard_normal(8)
        step = np.linalg.solve(M, downhill)
        point = face_point(lambda x, M=M: M @ x, downhill, step, weights, signs)
        assert (point.weights * signs >= 0).all()
        move = point.weights - weights
        assert point.decrease == pytest.approx(move @ downhill - move @ M @ move / 2)
        assert point.decrease >= 0
        if point.inside:
            np.testing.assert_allclose(move, step)
        first = np.min(np.where(step * signs < 0, -weights / step, 1), initial=1.0)
        near = first * step
        assert point.decrease >= near @ downhill - near @ M @ near / 2 - 1e-12


@pytest.mark.parametrize(("loss", "C"), [("squared-hinge", 100.0), ("logistic", 1000.0)])
def test_separable_text_with_wild_counts_is_solved(loss, C):
    rng = np.random.default_rng(0)
    X = sparse(n=300, d=1500, density=0.02, seed=4)
    X.data = np.floor(rng.pareto(1.0, X.nnz)) + 1
    problem = Problem.from_arrays(X, np.where(rng.random(300) < 0.5, 1.0, -1.0))
    parameter = Parameter(
        solver="auto", loss=loss, C=C, regularizer="l1", gap_tol=1e-6, max_passes=150
    )
    result = fit(problem, parameter).result
    assert result.status.name == "SOLVED"
    assert np.count_nonzero(result.weights) > 150
