"""Whole-data functions: value, gradient and conjugate equal NumPy's."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses.margin import Logistic
from rrmlinear.losses.multiclass import SmoothCrammerSinger
from rrmlinear.risks.scores import BlockRisk, ScalarRisk

N, D = 30, 7


def make(loss, form="sparse", dtype=np.float64, bias=-1.0):
    rng = np.random.default_rng(1)
    X = (rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.5)).astype(dtype)
    y = np.where(rng.random(N) < 0.5, 1.0, -1.0)
    costs = rng.random(N)
    costs[4] = 0
    problem = Problem.from_arrays(csr_array(X) if form == "sparse" else X, y, bias=bias)
    risk = ScalarRisk(problem.rows, loss, y, costs)
    X = X.astype(np.float64)
    return risk, np.c_[X, np.full(N, bias)] if bias > 0 else X, y, costs


@pytest.mark.parametrize("form", ["sparse", "dense"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("bias", [-1.0, 1.5])
def test_products_are_those_of_the_matrix(form, dtype, bias):
    risk, X, y, costs = make(Logistic(), form, dtype, bias)
    w = np.linspace(-1, 1, X.shape[1])
    assert risk.shape == w.shape
    scores = risk.scores(w)
    np.testing.assert_allclose(scores, X @ w, rtol=1e-13, atol=1e-14)
    assert risk.at(scores).value == pytest.approx(costs @ np.log1p(np.exp(-y * scores)), rel=1e-13)
    derivatives = risk.at(scores).derivatives
    np.testing.assert_allclose(derivatives, -y / (1 + np.exp(y * scores)), rtol=1e-13)
    np.testing.assert_allclose(risk.gradient(derivatives), X.T @ (costs * derivatives), atol=1e-13)


def test_a_dual_out_of_its_domain_counts_where_the_cost_does():
    risk, _, y, _ = make(Logistic())
    alphas = 0.5 * y
    alphas[4] = -2 * y[4]  # its cost is 0
    assert np.isfinite(risk.conjugate(alphas))
    alphas[5] = -2 * y[5]
    assert risk.conjugate(alphas) == np.inf


@pytest.fixture(params=[2, 3, 5, 11])
def blocks(request):
    k = request.param
    rng = np.random.default_rng(7)
    X = rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.5)
    label = rng.integers(0, k, N).astype(np.int32)
    costs = rng.random(N)
    costs[4] = 0
    rows = Problem.from_arrays(csr_array(X), label, bias=2.0).rows
    loss = SmoothCrammerSinger(0.5)
    risk = BlockRisk(rows, loss, label, k, costs)
    return risk, np.c_[X, np.full(N, 2.0)], label, costs, rng.standard_normal((D + 1, k))


def test_products_of_blocks_are_those_of_the_matrix(blocks):
    risk, X, label, costs, W = blocks
    assert risk.shape == W.shape
    scores = risk.scores(W)
    np.testing.assert_allclose(scores, X @ W, rtol=1e-12, atol=1e-13)
    assert risk.at(scores).value == pytest.approx(
        costs @ risk.loss.values(scores, label), rel=1e-13
    )
    derivatives = risk.at(scores).derivatives
    np.testing.assert_allclose(derivatives.sum(axis=1), 0, atol=1e-15)
    own = derivatives.copy()
    own[np.arange(N), label] = 0
    np.testing.assert_allclose(own, risk.loss.derivatives(scores, label), rtol=1e-13)
    np.testing.assert_allclose(
        risk.gradient(derivatives), X.T @ (costs[:, np.newaxis] * derivatives), atol=1e-13
    )
    blocks_of = risk.duals(-derivatives)
    assert (blocks_of[np.arange(N), label] == 0).all()
    expected = risk.loss.conjugates(blocks_of, label, costs)[costs > 0].sum()
    assert risk.conjugate(-derivatives) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n", [5, 400])  # few and many stored values a feature
@pytest.mark.parametrize("k", [2, 3, 5, 7, 10, 35])
@pytest.mark.parametrize("bias", [-1.0, 1.5])
def test_block_products_are_those_of_the_matrix(n, k, bias):
    rng = np.random.default_rng(k)
    X = rng.standard_normal((n, D)) * (rng.random((n, D)) < 0.5)
    rows = Problem.from_arrays(csr_array(X), np.ones(n), bias=bias).rows
    X = np.c_[X, np.full(n, bias)] if bias > 0 else X
    costs, label = rng.random(n), rng.integers(0, k, n, dtype=np.int32)
    w, derivatives = rng.standard_normal((X.shape[1], k)), rng.standard_normal((n, k))
    for threads in (1, 2):
        risk = BlockRisk(rows, SmoothCrammerSinger(0.5), label, k, costs, threads=threads)
        for weights in (w, np.asfortranarray(w)):
            np.testing.assert_allclose(risk.scores(weights), X @ w, rtol=1e-12, atol=1e-13)
        expected = X.T @ (costs[:, np.newaxis] * derivatives)
        np.testing.assert_allclose(risk.gradient(derivatives), expected, rtol=1e-12, atol=1e-12)
