"""Newton's method on losses of all classes: certificates, the ascent's optimum, hard problems."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses.multiclass import CrammerSinger, Softmax, WestonWatkins
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.scores import BlockRisk
from rrmlinear.solvers.loop.result import Status, Stopping, duals_by_scores
from rrmlinear.solvers.second_order.newton import Newton

N, D, K = 60, 8, 4


def classes_problem(n=N, d=D, k=K, form="dense", noise=1.0, seed=7):
    rng = np.random.default_rng(seed)
    label = (np.arange(n) % k).astype(np.int32)
    X = rng.standard_normal((k, d))[label] + noise * rng.standard_normal((n, d))
    X[3 % n] = 0
    if form == "sparse":
        X *= rng.random(X.shape) < 0.4
    given = csr_array(X) if form == "sparse" else X
    return Problem.from_arrays(given, label.astype(float)), X, label


def solve(problem, label, k, loss, omega, costs, start=None, **rules):
    risk = BlockRisk(problem.rows, loss, label, k, costs)
    rules = {"gap_tol": 1e-10, "max_passes": 2000} | rules
    return Newton(risk, omega, start).solve(Stopping(**rules))


HARD = {
    "separable": {"noise": 0.05, "costs": 1e3},
    "two classes": {"k": 2},
    "one feature": {"d": 1, "costs": 100.0},
    "many classes": {"k": 40, "n": 200},
    "raw scales": {"stretch": 3.0, "costs": 10.0},
    "large costs": {"costs": 1e5, "noise": 2.0},
    "more features than examples": {"d": 90, "costs": 10.0},
}


@pytest.mark.parametrize("loss", [WestonWatkins(), CrammerSinger(), Softmax()])
@pytest.mark.parametrize("case", HARD)
def test_hard_problems_are_solved(block_objectives, case, loss):
    given = dict(HARD[case])
    cost, stretch = given.pop("costs", 1.0), given.pop("stretch", 0.0)
    _, X, label = classes_problem(**given)
    X = X * 10.0 ** np.random.default_rng(1).uniform(-stretch, stretch, X.shape[1])
    problem = Problem.from_arrays(X, label.astype(float))
    k, costs = given.get("k", K), np.full(len(label), cost)
    result = solve(problem, label, k, loss, L2(), costs, gap_tol=1e-8, max_passes=600)
    assert result.status is Status.SOLVED
    primal, dual = block_objectives(X, label, costs, loss, L2(), result)
    assert result.primal == pytest.approx(primal, rel=1e-10)
    assert primal - dual <= 1.1e-8 * max(1, primal)


@pytest.mark.parametrize("loss", [WestonWatkins(), CrammerSinger()])
@pytest.mark.parametrize("weights_are_good", [True, False])
def test_of_duals_and_weights_those_of_the_lower_primal_are_the_start(loss, weights_are_good):
    problem, _, label = classes_problem()
    costs = np.full(N, 10.0)
    risk = BlockRisk(problem.rows, loss, label, K, costs)
    optimal = solve(problem, label, K, loss, L2(), costs)
    weights = optimal.weights if weights_are_good else -optimal.weights
    duals = np.zeros((N, K))
    if not weights_are_good:
        duals = duals_by_scores(optimal.duals, label, costs, K)
    solver = Newton(risk, L2(), duals, first=lambda: (weights, None))
    result = solver.solve(Stopping(gap_tol=1e-10, max_passes=2000))
    assert result.solved
    assert result.primal == pytest.approx(optimal.primal, rel=1e-9)
    solver.start()
    scale = np.abs(optimal.weights).max()
    np.testing.assert_allclose(solver.w, optimal.weights, atol=1e-3 * scale)
    # the first smoothing is that of the gap of these weights
    assert solver.certificate.primal == pytest.approx(optimal.primal, rel=1e-3)
