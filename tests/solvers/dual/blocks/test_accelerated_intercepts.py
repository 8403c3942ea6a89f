"""The block ascent with exact intercepts, accelerated: the optimum of the plain one, sooner."""

import numpy as np
import pytest
from members import CLASS_LOSSES
from numpy.testing import assert_allclose

from rrmlinear import Problem
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual.blocks.block_intercept import (
    AcceleratedIntercepts,
    InterceptBlockAscent,
)
from rrmlinear.solvers.loop.stopping import Stopping

N, D, K = 200, 6, 4


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N, D)) + 2.0
    score = X @ rng.normal(size=(D, K)) + rng.normal(size=(N, K))
    return X, (score - score.mean(axis=0)).argmax(axis=1).astype(np.int32)


def solved(kind, data, loss, C, stopping, sparse=False, **more):
    X, label = data
    if sparse:
        from scipy.sparse import csr_array

        X = csr_array(X)
    rows = Problem.from_arrays(X, label, bias=1.0).rows
    solver = kind(rows, label, K, np.full(N, C), CLASS_LOSSES[loss], L2(), **more)
    return solver.solve(stopping)


@pytest.mark.parametrize("loss", CLASS_LOSSES)
@pytest.mark.parametrize(("C", "sparse"), [(0.01, False), (1.0, True), (30.0, False)])
def test_the_same_optimum(data, loss, C, sparse):
    stopping = Stopping(gap_tol=1e-6, max_passes=20_000)
    plain = solved(InterceptBlockAscent, data, loss, C, stopping, sparse)
    quick = solved(AcceleratedIntercepts, data, loss, C, stopping, sparse)
    assert quick.solved
    assert 0 <= quick.gap <= 1e-6 * quick.primal
    if plain.solved:
        assert quick.primal == pytest.approx(plain.primal, rel=3e-6)
        assert_allclose(quick.weights[:-1], plain.weights[:-1], atol=3e-2 * np.sqrt(C))
