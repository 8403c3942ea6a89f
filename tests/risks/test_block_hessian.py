"""The second derivative of losses of k scores: differences, and its matrix, factor and products."""

import numpy as np
import pytest
from members import CLASS_LOSSES, loss_named
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.risks._class_sums import pair_work
from rrmlinear.risks.scores import BlockRisk

N, D, K = 30, 4, 5
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


@pytest.mark.parametrize("k", [2, 3, 9])
def test_rows_that_are_full_take_matrix_products(k):
    rows = Problem.from_arrays(np.ones((50, 80)), np.arange(50) % k).rows
    by_pairs, by_products = pair_work(rows, k, np.arange(50), 2 * np.arange(51))
    assert 0 < by_products < by_pairs
