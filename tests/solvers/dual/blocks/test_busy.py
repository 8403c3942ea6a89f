"""Busy examples: which they are, exact steps of their duals, and fewer visits on text."""

import numpy as np
import pytest
import scipy.sparse as sp
from made_solvers import of_rows

from rrmlinear import Problem
from rrmlinear.losses.multiclass import CrammerSinger, Softmax, WestonWatkins
from rrmlinear.regularizers.separable import L2, ElasticNet
from rrmlinear.solvers.dual.blocks.block_descent import BlockAscent
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.loop.rules.of_duals import ClassRange
from rrmlinear.solvers.loop.rules.rule import Point

LOSSES = {
    "weston-watkins": WestonWatkins(),
    "crammer-singer": CrammerSinger(),
    "softmax": Softmax(),
}
K = 4


def text(n=400, d=900, contradictions=20, seed=0):
    """Short rows of counts, of which some come twice with another label."""
    rng = np.random.default_rng(seed)
    X = sp.random(n, d, density=0.02, format="csr", random_state=seed)
    X.data = rng.integers(1, 4, X.nnz).astype(np.float64)
    y = rng.integers(0, K, n)
    X = sp.vstack([X, X[:contradictions]]).tocsr()
    return Problem.from_arrays(X, np.append(y, (y[:contradictions] + 1) % K))


def ascent(problem, loss, cost, regularizer=None, threads=1, repeats=True):
    label = problem.labels.astype(np.int32)
    costs = np.full(problem.n_examples, cost)
    omega = L2(1.0) if regularizer is None else regularizer
    how = {"n_classes": K, "threads": threads, "repeats": repeats}
    return of_rows(BlockAscent, problem.rows, label, costs, loss, omega, **how)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("regularizer", [L2(1.0), ElasticNet(0.02, 1.0)], ids=["l2", "l1"])
def test_the_gap_is_true(name, regularizer):
    problem, loss = text(), LOSSES[name]
    result = ascent(problem, loss, 3.0, regularizer).solve(Stopping(gap_tol=1e-7))
    assert result.status is Status.SOLVED
    scores = problem.to_scipy() @ result.weights
    primal = 3.0 * loss.values(scores, problem.labels.astype(np.int32)).sum()
    primal += regularizer.value_of(result.weights.ravel())
    assert result.primal == pytest.approx(primal, rel=1e-10)


@pytest.mark.parametrize("passes", [1, 6])
def test_ranges_that_a_measurement_notes_are_those_of_weights_and_duals(passes):
    problem, label = text(), text().labels.astype(np.int32)
    solver = ascent(problem, CrammerSinger(), 3.0)
    solver.rule = ClassRange(problem.rows, label, np.full(len(label), 3.0), 0.01)
    solver.start()
    for number in range(1, passes + 1):
        solver.run_pass(number)
    solver.measure()
    noted = solver.rule.ratio(solver.present())
    found = solver.rule.ratio(Point(solver.present_weights(), solver.present_duals()))
    solver.close()
    assert noted == pytest.approx(found, rel=1e-12)
    assert noted > 0
