"""The best multiple of weights: the least objective along them, and shorter runs on text."""

import numpy as np
import pytest
import scipy.sparse as sp
from made_solvers import of_rows

from rrmlinear import Problem
from rrmlinear.losses.multiclass import CrammerSinger, WestonWatkins
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.scores import BlockRisk
from rrmlinear.solvers.dual.blocks.block_descent import BlockAscent
from rrmlinear.solvers.dual.blocks.multiples import BestMultiple
from rrmlinear.solvers.loop.result import Stopping

LOSSES = {"weston-watkins": WestonWatkins(), "crammer-singer": CrammerSinger()}
K, COST = 6, 1000.0


def text(n=600, d=3000, seed=0):
    """Short rows with columns of several lengths, which any labels separate."""
    rng = np.random.default_rng(seed)
    X = sp.random(n, d, density=0.01, format="csr", random_state=seed)
    X.data *= 10.0 ** rng.uniform(-1, 1, d)[X.indices]
    return Problem.from_arrays(X, rng.integers(0, K, n))


def risk_of(problem, loss):
    label = problem.labels.astype(np.int32)
    return BlockRisk(problem.rows, loss, label, K, np.full(problem.n_examples, COST))


def ascent(problem, loss, regularizer=None):
    label, costs = problem.labels.astype(np.int32), np.full(problem.n_examples, COST)
    omega = L2(1.0) if regularizer is None else regularizer
    given = problem.rows, label, costs, loss, omega
    return of_rows(BlockAscent, *given, n_classes=K, repeats=True)


def objective(risk, w):
    return risk.at(risk.scores(w)).value + np.vdot(w, w) / 2


@pytest.mark.parametrize("name", LOSSES)
def test_no_other_multiple_has_a_much_smaller_objective(name):
    problem = text()
    risk = risk_of(problem, LOSSES[name])
    result = ascent(problem, LOSSES[name]).solve(Stopping(1e-12, max_passes=12))
    w = result.weights
    found = BestMultiple(risk, L2(1.0))
    found.search(w.copy(), result.gap, result.dual)
    assert objective(risk, found.weights) == pytest.approx(found.primal, rel=1e-12)
    t = np.vdot(found.weights, w) / np.vdot(w, w)
    assert t > 1
    np.testing.assert_allclose(found.weights, t * w, rtol=1e-12)
    growths = (t - 1) * np.geomspace(0.01, 100, 200)
    least = min(objective(risk, (1 + growth) * w) for growth in growths)
    assert found.primal - result.dual <= 1.5 * (least - result.dual)
    assert found.primal - result.dual < 0.5 * result.gap
