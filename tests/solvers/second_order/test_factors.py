"""The preconditioner by classes: the dense parts of a Hessian, and runs that it solves."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses.multiclass import CrammerSinger, Softmax, WestonWatkins
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.block import BlockRisk
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.second_order.factors import ClassFactors, cholesky_factor
from rrmlinear.solvers.second_order.newton import Newton

LOSSES = {
    "softmax": (Softmax(), 0.0),
    "weston-watkins": (WestonWatkins(), 0.3),
    "crammer-singer": (CrammerSinger(), 0.3),
}


def risk_of(loss, n, d, k, form="dense", bias=-1.0, stretch=3.0, C=1.0):
    """Noisy classes; columns of lengths 10^u, u in ±stretch."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < (0.3 if form == "sparse" else 1.0))
    label = (X @ rng.standard_normal((d, k)) + rng.standard_normal((n, k))).argmax(axis=1)
    X *= 10.0 ** rng.uniform(-stretch, stretch, d)
    given = csr_array(X) if form == "sparse" else X
    rows = Problem.from_arrays(given, label.astype(float), bias=bias).rows
    return BlockRisk(rows, loss, label.astype(np.int32), k, C * np.linspace(0.5, 2, n))


def hessian_of(name, n=250, d=9, k=4, **shape):
    loss, smoothing = LOSSES[name]
    risk = risk_of(loss, n, d, k, **shape)
    risk = risk.smoothed(smoothing) if smoothing else risk
    lengths = np.sqrt(np.diag(risk.gram()))
    w = np.random.default_rng(1).standard_normal(risk.shape) * 10 / lengths[:, np.newaxis]
    return risk.at(risk.scores(w)).hessian()


@pytest.mark.parametrize("bias", [-1.0, 2.0])
@pytest.mark.parametrize("form", ["sparse", "dense"])
@pytest.mark.parametrize("name", LOSSES)
def test_it_solves_with_the_dense_parts_of_each_class(name, form, bias):
    hessian = hessian_of(name, form=form, bias=bias)
    d, k = hessian.rows.width, hessian.k
    added = np.repeat(np.linspace(0.5, 2, d), k)
    whole = (hessian.matrix() + np.diag(added)).reshape(d, k, d, k)
    b = np.random.default_rng(2).standard_normal((d, k))
    mean = b.mean(axis=1, keepdims=True)
    found = ClassFactors(hessian, added).solve(b.ravel()).reshape(d, k)
    dense = [np.linalg.solve(whole[:, j, :, j], (b - mean)[:, j]) for j in range(k)]
    expected = np.transpose(dense)
    expected += mean / added.reshape(d, k)[:, :1] - expected.mean(axis=1, keepdims=True)
    lengths = np.sqrt(np.diag(whole.reshape(d * k, d * k)).reshape(d, k))
    np.testing.assert_allclose(lengths * found, lengths * expected, rtol=1e-3, atol=1e-4)


def test_another_diagonal_in_each_class_is_taken_as_it_is():
    hessian = hessian_of("softmax")
    d, k = hessian.rows.width, hessian.k
    added = np.linspace(0.5, 2, d * k)
    whole = (hessian.matrix() + np.diag(added)).reshape(d, k, d, k)
    b = np.random.default_rng(2).standard_normal((d, k))
    found = ClassFactors(hessian, added).solve(b.ravel()).reshape(d, k)
    expected = np.transpose([np.linalg.solve(whole[:, j, :, j], b[:, j]) for j in range(k)])
    lengths = np.sqrt(np.diag(whole.reshape(d * k, d * k)).reshape(d, k))
    np.testing.assert_allclose(lengths * found, lengths * expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", LOSSES)
def test_a_sample_of_the_rows_keeps_the_diagonal_and_nearly_the_rest(name):
    hessian = hessian_of(name, n=40_000, d=5, k=3)
    exact = hessian.class_parts(np.ones(5), 40_000)
    sampled = hessian.class_parts(np.ones(5), 4000)
    for one, other in zip(exact, sampled, strict=True):
        scale = 1 / np.sqrt(np.diag(one))
        assert np.abs(np.tril(other - one) * scale * scale[:, np.newaxis]).max() < 0.1
        assert (np.triu(other, 1) == 0).all()


@pytest.mark.parametrize("name", LOSSES)
def test_many_weights_of_stretched_columns_are_solved(name):
    """More than a factor of all takes."""
    risk = risk_of(LOSSES[name][0], 400, 160, 20, C=1e-2)
    result = Newton(risk, L2()).solve(Stopping(gap_tol=1e-8, max_passes=400))
    assert result.status is Status.SOLVED
    assert result.gap <= 1e-8 * abs(result.primal)


def test_numbers_that_overflow_are_said():
    hessian = hessian_of("softmax")
    with pytest.raises(FloatingPointError, match="overflowed"):
        ClassFactors(hessian, np.full(hessian.rows.width * hessian.k, np.inf))


@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_factors_of_singular_products(scale):
    X = scale * np.random.default_rng(1).standard_normal((30, 100))
    X[3], X[10:20] = 0, X[:10]
    factor = cholesky_factor(X @ X.T)
    assert_allclose(factor @ factor.T, X @ X.T, atol=1e-9 * scale**2)
    np.testing.assert_array_equal(factor, np.tril(factor))


def test_products_that_are_not_finite_have_no_factor():
    with pytest.raises(FloatingPointError, match="overflowed"):
        cholesky_factor(np.array([[np.inf]]))


def test_products_that_underflow_have_a_factor():
    factor = cholesky_factor(np.array([[1.6e-319, 0.0], [0.0, 0.0]]))
    assert np.isfinite(factor).all()
    assert (np.diagonal(factor) > 0).all()
