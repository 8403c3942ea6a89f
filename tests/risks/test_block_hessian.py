"""The second derivative of losses of k scores: differences, and its matrix, factor and products."""

import numpy as np
import pytest
from members import CLASS_LOSSES, loss_named
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.risks import block_hessian
from rrmlinear.risks._class_matrix import pair_work
from rrmlinear.risks.block import BlockRisk
from rrmlinear.risks.block_hessian import BlockHessian

N, D, K = 30, 4, 5
STEP = 1e-6
#: Losses and the smoothing of the risk; those with a kink need one.
CASES = {
    f"{name}, {smoothing:g}": (loss, smoothing)
    for name, loss in {
        **CLASS_LOSSES,
        "smoothed weston-watkins": loss_named("weston-watkins", smoothing=0.7),
    }.items()
    for smoothing in (0.0, 0.5)
    if smoothing or loss.smoothing > 0
}


def make(form, loss, smoothing):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((N, D))
    bias = -1.0
    if form == "sparse":
        X, bias = csr_array(X * (rng.random((N, D)) < 0.08)), 1.5
    rows = Problem.from_arrays(X, np.arange(N) % K, bias=bias).rows
    costs = rng.uniform(0.3, 3, N)
    costs[3] = 0
    risk = BlockRisk(rows, loss, np.arange(N, dtype=np.int32) % K, K, costs)
    if smoothing:
        risk = risk.smoothed(smoothing)
    return risk, rng


@pytest.fixture(params=["dense", "sparse"])
def form(request):
    return request.param


@pytest.mark.parametrize("case", CASES)
def test_it_is_the_derivative_of_the_gradient_and_that_the_derivative_of_the_value(form, case):
    risk, rng = make(form, *CASES[case])
    w = rng.standard_normal(risk.shape)

    def at(moves):
        return risk.at(risk.scores(w + moves.reshape(w.shape)))

    steps = STEP * np.eye(w.size)
    differences = [
        risk.gradient(at(step).derivatives - at(-step).derivatives).ravel() / (2 * STEP)
        for step in steps
    ]
    matrix = at(steps[0] * 0).hessian().matrix()
    assert np.abs(matrix - differences).max() <= 1e-8 * max(1, np.abs(matrix).max())
    rises = [(at(step).value - at(-step).value) / (2 * STEP) for step in steps]
    gradient = risk.gradient(at(steps[0] * 0).derivatives).ravel()
    assert np.abs(gradient - rises).max() <= 1e-6


@pytest.mark.parametrize("case", CASES)
def test_matrix_factor_gram_products_and_diagonal_are_of_one_matrix(form, case):
    risk, rng = make(form, *CASES[case])
    hessian = risk.at(risk.scores(0.3 * rng.standard_normal(risk.shape))).hessian()
    assert hessian.size > 0
    matrix, p = hessian.matrix(), rng.standard_normal(np.prod(risk.shape))
    inverse = rng.uniform(0.5, 2, len(p))
    factor = np.array([hessian.adjoint(unit) for unit in np.eye(hessian.size)])
    near = {"rtol": 1e-12, "atol": 1e-12 * np.abs(matrix).max()}
    np.testing.assert_allclose(factor.T @ factor, matrix, **near)
    np.testing.assert_allclose(hessian.times(p), factor @ p, **near)
    np.testing.assert_allclose(hessian.product(p), matrix @ p, **near)
    np.testing.assert_allclose(hessian.diagonal(), np.diag(matrix), **near)
    np.testing.assert_allclose(hessian.gram(inverse), (factor * inverse) @ factor.T, **near)
    for count in (3, hessian.size + 1):  # by columns, and by rows of the factor
        columns = csr_array(rng.standard_normal((len(p), count)) * (rng.random(count) < 0.5))
        np.testing.assert_allclose(hessian.times_sparse(columns), factor @ columns, **near)


@pytest.mark.parametrize("entries", [1, 9, 10_000])
@pytest.mark.parametrize("form", ["dense", "full"])
def test_products_of_full_rows_are_those_of_the_matrix_in_any_chunks(form, entries, monkeypatch):
    monkeypatch.setattr(block_hessian, "CACHED_ENTRIES", entries)
    rng = np.random.default_rng(8)
    X = rng.standard_normal((N, D))
    for bias in (-1.0, 1.5):
        given = X if form == "dense" else csr_array(X)
        rows = Problem.from_arrays(given, np.arange(N) % K, bias=bias).rows
        counts = rng.integers(2, K + 1, N)
        begin = np.concatenate(([0], np.cumsum(counts)))
        classes = np.concatenate([rng.permutation(K)[:count] for count in counts])
        rates = np.concatenate([np.sort(rng.uniform(0, 2, count))[::-1] for count in counts])
        arguments = rows, K, np.arange(N), begin, classes.astype(np.int32), rates
        hessian = BlockHessian(*arguments)
        assert hessian.is_full
        matrix, p = hessian.matrix(), rng.standard_normal(rows.width * K)
        products = [hessian.product(p) for _ in range(3)]
        assert hessian.copy is not None  # the second product and later ones read it
        for product in products:
            np.testing.assert_allclose(product, matrix @ p, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(products[1], products[2])


@pytest.mark.parametrize("case", CASES)
def test_a_trial_along_a_line_is_the_evaluation_there(case):
    risk, rng = make("dense", *CASES[case])
    scores, moves = (risk.scores(rng.standard_normal(risk.shape)) for _ in range(2))
    trial, rate = risk.at(scores).along(moves, 0.3)
    at = risk.at(scores + 0.3 * moves)
    assert rate == pytest.approx(at.derivative_along(moves), rel=1e-12)
    assert trial.value == pytest.approx(at.value, rel=1e-14)
    assert risk.terms.total(trial.scores) == pytest.approx(at.value, rel=1e-14)
    np.testing.assert_array_equal(trial.derivatives, at.derivatives)


@pytest.mark.parametrize("name", CLASS_LOSSES)
def test_derivatives_of_a_smoothed_risk_are_dual_steps_from_zero(name):
    risk, rng = make("dense", CLASS_LOSSES[name], 0.5)
    scores = rng.standard_normal((N, K))
    steps, _ = risk.dual_steps(scores, 0.0, 0.5)
    np.testing.assert_array_equal(risk.at(scores).derivatives, -steps)


def test_without_active_rows_it_is_zero():
    risk, _ = make("dense", CLASS_LOSSES["weston-watkins"], 0.5)
    scores = np.zeros((N, K))
    scores[np.arange(N), np.arange(N) % K] = 9.0
    hessian = risk.at(scores).hessian()
    assert hessian.size == 0
    assert not hessian.matrix().any()
    assert not hessian.product(np.ones(D * K)).any()
    assert hessian.gram(np.ones(D * K)).shape == (0, 0)


@pytest.mark.parametrize("bias", [-1.0, 1.5])
def test_sparse_rows_have_the_matrix_of_the_same_rows_as_dense_ones(bias):
    rng = np.random.default_rng(7)
    n, d, k = 200, 20, 6
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.1)
    counts = rng.integers(2, k + 1, n)
    begin = np.concatenate(([0], np.cumsum(counts)))
    classes = np.concatenate([rng.permutation(k)[:count] for count in counts]).astype(np.int32)
    rates = np.concatenate([np.sort(rng.uniform(0, 2, count))[::-1] for count in counts])
    matrices, work = [], []
    for form in (csr_array(X), X):
        rows = Problem.from_arrays(form, np.arange(n) % k, bias=bias).rows
        hessian = BlockHessian(rows, k, np.arange(n), begin, classes, rates)
        matrices.append(hessian.matrix())
        work.append(np.subtract(*pair_work(rows, k, np.arange(n), begin)))
    assert work[0] < 0 < work[1]  # sparse rows add all pairs at once, the others by products
    near = {"rtol": 1e-12, "atol": 1e-12 * np.abs(matrices[1]).max()}
    np.testing.assert_allclose(matrices[0], matrices[1], **near)
    np.testing.assert_array_equal(matrices[0], matrices[0].T)
