"""Multiclass losses with other regularizers than ½‖W‖²: the certificate, and an outside solver."""

import numpy as np
import pytest
from made_solvers import of_rows
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses.multiclass import WestonWatkins
from rrmlinear.regularizers.separable import ElasticNet
from rrmlinear.solvers.dual.blocks.block_descent import BlockAscent
from rrmlinear.solvers.loop.result import Stopping


def data(n, d, k, form="sparse"):
    rng = np.random.default_rng(n + k)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.7)
    label = np.concatenate([np.arange(k), rng.integers(0, k, n - k)]).astype(np.int32)
    X[np.arange(n), label % d] += 2
    return Problem.from_arrays(csr_array(X) if form == "sparse" else X, label), X, label


def solve(problem, label, k, costs, omega, gap_tol=1e-9, threads=1):
    how = {"n_classes": k, "seed": 3, "threads": threads}
    solver = of_rows(BlockAscent, problem.rows, label, costs, WestonWatkins(), omega, **how)
    return solver.solve(Stopping(gap_tol=gap_tol))


@pytest.mark.parametrize(
    ("k", "threads", "form"),
    [(30, 1, "dense"), (30, 2, "sparse"), (100, 1, "sparse"), (100, 2, "dense")],
)
def test_weights_of_many_classes_are_those_of_the_duals(k, threads, form):
    """A visit moves a few classes of the dual vector, and their weights alone."""
    n, d = 120, 150
    problem, X, label = data(n, d, k, form)
    omega = ElasticNet(0.3)
    result = solve(problem, label, k, np.full(n, 0.1), omega, 1e-2, threads)
    assert result.solved
    scores = X @ result.weights
    margins = 1 + scores - scores[np.arange(n), label][:, np.newaxis]
    loss = 0.1 * (np.maximum(margins, 0).sum() - n)  # the true class's own margin is 1
    assert result.primal == pytest.approx(omega.value_of(result.weights.ravel()) + loss, rel=1e-12)
    blocks = np.zeros((n, k))
    duals = result.duals
    example = np.repeat(np.arange(n), np.diff(duals.indptr))
    blocks[example, duals.classes] = -duals.values
    blocks[np.arange(n), label] = -blocks.sum(axis=1)
    V = X.T @ blocks
    assert np.abs(np.sign(V) * np.maximum(np.abs(V) - 0.3, 0) - result.weights).max() < 1e-9
