"""FISTA: its certificate recomputed, the optimum of the dual ascent, and its rate."""

import numpy as np
import pytest
from members import SMOOTH_LOSSES, SMOOTHED_LOSSES

from rrmlinear import Problem
from rrmlinear.losses import margin, regression
from rrmlinear.losses.logistic import Logistic
from rrmlinear.losses.multiclass import SmoothCrammerSinger
from rrmlinear.losses.weston_watkins import WestonWatkins
from rrmlinear.regularizers.separable import L2, ElasticNet
from rrmlinear.risks.block import BlockRisk
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.dual.blocks.block_descent import BlockAscent
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.gradient.fista import FISTA
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.stopping import Stopping

LOSSES = SMOOTH_LOSSES | SMOOTHED_LOSSES
N, D = 60, 12


def solve(solver, problem, loss, omega, costs, **rules):
    if solver is FISTA:
        run = FISTA(ScalarRisk(problem.rows, loss, problem.labels, costs), omega)
    else:
        run = solver(problem.rows, problem.labels, costs, loss, omega)
    return run.solve(Stopping(**({"gap_tol": 1e-10} | rules)))


@pytest.mark.parametrize("form", ["sparse", "dense"])
@pytest.mark.parametrize("omega", [L2(), ElasticNet(0.7), ElasticNet(0.7, 3.0)])
@pytest.mark.parametrize("name", LOSSES)
def test_the_certificate_is_true_and_the_optimum_that_of_the_ascent(
    objectives, make, name, omega, form
):
    problem, X, y = make(name, form)
    loss, costs = LOSSES[name], np.linspace(0, 4, N)
    result = solve(FISTA, problem, loss, omega, costs)
    assert result.status is Status.SOLVED
    primal, dual = objectives(X, y, costs, loss, omega, result)
    assert result.primal == pytest.approx(primal, rel=1e-12)
    assert result.dual == pytest.approx(dual, rel=1e-10)
    assert -1e-12 * primal <= result.gap <= 1.01e-10 * max(1, primal)
    ascent = solve(ProxSDCA, problem, loss, omega, costs)
    assert result.primal == pytest.approx(ascent.primal, rel=1e-9)
    np.testing.assert_allclose(result.weights, ascent.weights, atol=1e-4)


def test_an_appended_column_is_a_feature(make):
    problem, X, y = make("logistic", bias=1.0)
    wide = Problem.from_arrays(np.c_[X, np.ones(N)], y)
    costs = np.ones(N)
    results = [solve(FISTA, p, Logistic(), L2(), costs) for p in (problem, wide)]
    np.testing.assert_allclose(results[0].weights, results[1].weights, atol=1e-5)


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


def test_the_same_bits_each_time(make):
    problem, _, _ = make("huber")
    runs = [solve(FISTA, problem, LOSSES["huber"], L2(), np.ones(N)) for _ in range(2)]
    assert runs[0].weights.tobytes() == runs[1].weights.tobytes()
    assert runs[0].passes == runs[1].passes


def test_limits_end_a_run(make):
    problem, _, _ = make("squared")
    result = solve(FISTA, problem, regression.Squared(), L2(), np.ones(N), max_passes=1)
    assert result.status is Status.PASS_LIMIT
    assert np.isfinite(result.primal)
    assert not result.last.estimated


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


def test_data_of_zeros_are_solved_at_once():
    problem = Problem.from_arrays(np.zeros((3, 2)), np.array([1.0, -1.0, 1.0]))
    result = solve(FISTA, problem, Logistic(), L2(), np.ones(3))
    assert result.status is Status.SOLVED
    assert result.primal == pytest.approx(3 * np.log(2), rel=1e-12)
    np.testing.assert_array_equal(result.weights, [0, 0])


@pytest.mark.parametrize("omega", [L2(), ElasticNet(0.2, 1.5)])
@pytest.mark.parametrize("loss", [SmoothCrammerSinger(0.5), WestonWatkins().smoothed(0.5)])
def test_losses_of_all_classes(small_problem, block_objectives, loss, omega):
    small = small_problem(n=50, d=6, k=4)
    rows, costs = small.problem().rows, np.linspace(0, 2, 50)
    label = small.y.astype(np.int32)
    result = FISTA(BlockRisk(rows, loss, label, 4, costs), omega).solve(Stopping(gap_tol=1e-10))
    assert result.status is Status.SOLVED
    assert result.weights.shape == (6, 4)
    primal, dual = block_objectives(small.X, label, costs, loss, omega, result)
    assert result.primal == pytest.approx(primal, rel=1e-12)
    assert result.dual == pytest.approx(dual, rel=1e-9)
    ascent = BlockAscent(rows, label, 4, costs, loss, omega).solve(Stopping(gap_tol=1e-10))
    assert result.primal == pytest.approx(ascent.primal, rel=1e-9)
    np.testing.assert_allclose(result.weights, ascent.weights, atol=1e-4)
