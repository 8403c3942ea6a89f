"""Whole-data functions: value, gradient and conjugate equal NumPy's."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses.logistic import Logistic
from rrmlinear.losses.margin import Hinge, SmoothHinge, SquaredHinge
from rrmlinear.losses.multiclass import SmoothCrammerSinger
from rrmlinear.losses.regression import EpsilonInsensitive, Huber
from rrmlinear.risks.block import BlockRisk
from rrmlinear.risks.scalar import ScalarRisk

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


@pytest.mark.parametrize("loss", [Logistic(), SquaredHinge(), Huber(0.7)])
def test_the_gradient_is_that_of_the_value(loss):
    risk, X, _, _ = make(loss)
    w = np.random.default_rng(2).standard_normal(X.shape[1])
    gradient = risk.gradient(risk.at(risk.scores(w)).derivatives)
    for j in range(len(w)):
        step = 1e-6 * np.eye(len(w))[j]
        rise = risk.at(risk.scores(w + step)).value - risk.at(risk.scores(w - step)).value
        assert gradient[j] == pytest.approx(rise / 2e-6, abs=1e-7)


@pytest.mark.parametrize(
    "loss",
    [Logistic(), Hinge(), SmoothHinge(0.4), SquaredHinge(), Huber(0.7), EpsilonInsensitive(0.3)],
)
@pytest.mark.parametrize("n", [1, N, 1024, 2500])
@pytest.mark.parametrize("keep", [True, False])
def test_a_trial_along_a_line_is_the_evaluation_there(loss, n, keep):
    y, scores, moves = np.random.default_rng(4).standard_normal((3, n))
    costs = np.arange(n) % 3 / 2
    risk = ScalarRisk(Problem.from_arrays(np.ones((n, 1)), y).rows, loss, np.sign(y), costs)
    afresh = risk.at(scores + 0.4 * moves)
    at, rate = risk.at(scores).along(moves, 0.4, keep=keep)
    assert ("derivatives" in vars(at)) == keep
    np.testing.assert_allclose(at.scores, afresh.scores, rtol=1e-15, atol=1e-15)
    assert at.value == pytest.approx(afresh.value, rel=1e-13)
    np.testing.assert_allclose(at.derivatives, afresh.derivatives, rtol=1e-13, atol=1e-13)
    expected = float((costs * afresh.derivatives) @ moves)
    size = float((costs * abs(afresh.derivatives)) @ abs(moves))
    assert rate == pytest.approx(expected, abs=1e-13 * size)
    assert afresh.derivative_along(moves) == pytest.approx(expected, abs=1e-13 * size)
    fresh = risk.at(scores + 0.4 * moves)  # whose derivatives nobody has asked for
    assert fresh.derivative_along(moves) == pytest.approx(expected, abs=1e-13 * size)


@pytest.mark.parametrize("loss", [Logistic(), SquaredHinge(), Huber(0.7)])
def test_derivatives_are_duals_that_attain_the_value(loss):
    risk, _, _, costs = make(loss)
    scores = np.random.default_rng(3).standard_normal(N)
    alphas = -risk.at(scores).derivatives
    attained = -risk.conjugate(alphas) - (costs * alphas) @ scores
    assert attained == pytest.approx(risk.at(scores).value, rel=1e-12)


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


def test_derivatives_of_blocks_attain_the_value(blocks):
    risk, _, _, costs, W = blocks
    scores = risk.scores(W)
    alphas = -risk.at(scores).derivatives
    attained = -risk.conjugate(alphas) - (costs[:, np.newaxis] * alphas * scores).sum()
    assert attained == pytest.approx(risk.at(scores).value, rel=1e-12)


def test_value_and_slope_of_blocks_along_a_line(blocks):
    risk = blocks[0]
    k = risk.shape[1]
    scores, moves = np.random.default_rng(4).standard_normal((2, len(risk.costs), k))
    at = scores + 0.4 * moves
    value, slope = risk.at(at).tangent()[0], risk.at(at).derivative_along(moves)
    assert value == pytest.approx(risk.at(at).value, rel=1e-14)
    assert slope == pytest.approx(np.vdot(risk.costs * risk.at(at).derivatives, moves), rel=1e-12)


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
