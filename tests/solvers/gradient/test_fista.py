"""FISTA: its certificate recomputed, the optimum of the dual ascent, and its rate."""

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.losses import margin, regression
from rrmlinear.losses.margin import Logistic
from rrmlinear.regularizers.separable import L2, ElasticNet
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.gradient.fista import FISTA
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.loop.task import Task

N, D = 60, 12


def solve(solver, problem, loss, omega, costs, **rules):
    if solver is FISTA:
        run = FISTA(Task.of(ScalarRisk(problem.rows, loss, problem.labels, costs), omega))
    else:
        run = solver(Task.of_rows(problem.rows, problem.labels, costs, loss, omega))
    return run.solve(Stopping(**({"gap_tol": 1e-10} | rules)))


def test_the_dual_rises_and_every_pass_bounds_the_gap(make):
    problem, _, _ = make("logistic")
    costs = np.full(N, 10.0)
    result = solve(FISTA, problem, Logistic(), ElasticNet(0.5), costs)
    duals = [row.dual for row in result.trace]
    assert duals == sorted(duals)
    assert all(row.gap >= -1e-12 * row.primal for row in result.trace)
    best = result.primal
    assert all(row.primal - best <= row.gap + 1e-9 for row in result.trace)


def test_the_rate_of_the_method(make):
    # Beck and Teboulle, theorem 4.4: P(w_t) − P* ≤ 2 L' ‖w*‖² / (t + 1)², L' at most twice the
    # true constant; each of the first failed trials doubles a constant that starts too small.
    problem, X, _ = make("logistic")
    costs = np.full(N, 50.0)
    result = solve(FISTA, problem, Logistic(), ElasticNet(0.1), costs)
    L = 2 * np.linalg.norm(X, 2) ** 2 * 50 / 4
    trials = int(np.ceil(np.log2(N)))
    distance = float(result.weights @ result.weights)
    for row in result.trace[trials + 1 :]:
        bound = 2 * L * distance / (row.number - trials + 1) ** 2
        assert row.primal - result.primal <= bound + 1e-9


@pytest.mark.parametrize(
    ("loss", "smoothed"),
    [(margin.Hinge(), "SmoothHinge"), (regression.Quantile(0.3), "Quantile")],
)
def test_a_kink_is_refused_with_the_way_round_it(make, loss, smoothed):
    problem, _, _ = make("squared")
    message = f"{type(loss).__name__} has a kink: give it a smoothing above 0, .* {smoothed}$"
    with pytest.raises(ValueError, match=message):
        solve(FISTA, problem, loss, L2(), np.ones(N))


def test_data_that_overflow_are_refused():
    problem = Problem.from_arrays(np.full((2, 2), 1e200), np.array([1.0, -1.0]))
    with pytest.raises(ValueError, match="squared norm of an example overflows"):
        solve(FISTA, problem, Logistic(), L2(), np.ones(2))
