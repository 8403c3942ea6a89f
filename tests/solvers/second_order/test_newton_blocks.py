"""Newton's method on losses of all classes: certificates, the ascent's optimum, hard problems."""

from functools import cache

import numpy as np
import pytest
from members import CLASS_LOSSES
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses.multiclass import CrammerSinger, Softmax
from rrmlinear.losses.weston_watkins import WestonWatkins
from rrmlinear.regularizers.separable import L2, ElasticNet
from rrmlinear.risks.block import BlockRisk
from rrmlinear.solvers.dual.blocks.block_descent import BlockAscent
from rrmlinear.solvers.loop.result import Status, duals_by_scores
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.second_order import inner_problem, paces
from rrmlinear.solvers.second_order.newton import Newton
from rrmlinear.solvers.second_order.systems import systems

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


def solve_by(system, monkeypatch):
    """Let all Newton systems be solved in this way."""
    monkeypatch.setattr(systems, "MAX_FACTORIZED", 0 if system == "products" else 1000)
    monkeypatch.setattr(systems, "MAX_GRAM_FRACTION", np.inf if system == "p × p" else 0.0)


@cache
def optimum(name, omega, form):
    """That of the ascent."""
    problem, _, label = classes_problem(form=form)
    ascent = BlockAscent(
        problem.rows, label, K, np.linspace(0, 4, N), CLASS_LOSSES[name], omega
    ).solve(Stopping(gap_tol=1e-9, max_passes=200_000))
    assert ascent.solved
    return ascent.primal


@pytest.mark.parametrize("system", ["d × d", "p × p", "products"])
@pytest.mark.parametrize("form", ["sparse", "dense"])
@pytest.mark.parametrize("omega", [L2(), ElasticNet(1.0, 0.3)])
@pytest.mark.parametrize("name", CLASS_LOSSES)
def test_the_certificate_is_true_and_the_optimum_that_of_the_ascent(
    block_objectives, name, omega, form, system, monkeypatch
):
    solve_by(system, monkeypatch)
    problem, X, label = classes_problem(form=form)
    loss, costs = CLASS_LOSSES[name], np.linspace(0, 4, N)
    result = solve(problem, label, K, loss, omega, costs)
    assert result.status is Status.SOLVED
    primal, dual = block_objectives(X, label, costs, loss, omega, result)
    assert result.primal == pytest.approx(primal, rel=1e-12)
    assert result.dual == pytest.approx(dual, rel=1e-9)
    assert -1e-12 * primal <= result.gap <= 1.01e-10 * max(1, primal)
    assert result.primal == pytest.approx(optimum(name, omega, form), rel=2e-9)


@pytest.mark.parametrize("name", CLASS_LOSSES)
def test_duals_of_another_cost_are_a_start(name):
    problem, _, label = classes_problem()
    loss, costs = CLASS_LOSSES[name], np.linspace(0, 4, N)
    first = solve(problem, label, K, loss, L2(), costs)
    blocks = -first.duals.dense(K) / np.maximum(costs, 1e-300)[:, np.newaxis]
    blocks[np.arange(N), label] = -blocks.sum(axis=1)
    again = solve(problem, label, K, loss, L2(), 1.01 * costs, start=blocks)
    fresh = solve(problem, label, K, loss, L2(), 1.01 * costs)
    assert again.status is Status.SOLVED
    assert again.primal == pytest.approx(fresh.primal, rel=1e-9)
    assert again.passes <= fresh.passes


@pytest.mark.parametrize("loss", [WestonWatkins(), CrammerSinger()])
def test_behind_an_ascent_long_systems_take_fewer_steps_with_a_larger_q(loss, monkeypatch):
    problem, _, label = classes_problem(n=700, d=120, k=10, noise=2.0, seed=3)
    costs = np.ones(700)
    ascent = BlockAscent(problem.rows, label, 10, costs, loss, L2())
    duals = ascent.solve(Stopping(gap_tol=1e-9, max_passes=40)).duals
    start = duals_by_scores(duals, label, costs, 10)
    found = solve(problem, label, 10, loss, L2(), costs, start, gap_tol=1e-6)
    monkeypatch.setattr(paces, "LONG_PACE", paces.USUAL_PACE)
    usual = solve(problem, label, 10, loss, L2(), costs, start, gap_tol=1e-6)
    assert found.solved
    assert usual.solved
    assert found.primal == pytest.approx(usual.primal, rel=1e-6)
    assert found.passes <= usual.passes / 2


def test_behind_duals_near_zero_the_distance_of_blocks_takes_fewer_steps(monkeypatch):
    problem, _, label = classes_problem(n=700, d=120, k=10, noise=2.0, seed=3)
    costs, loss = np.full(700, 1000.0), WestonWatkins()
    ascent = BlockAscent(problem.rows, label, 10, costs, loss, L2())
    duals = ascent.solve(Stopping(gap_tol=1e-9, max_passes=2)).duals
    start = 1e-6 * duals_by_scores(duals, label, costs, 10)
    found = solve(problem, label, 10, loss, L2(), costs, start, gap_tol=1e-6)
    monkeypatch.setattr(inner_problem, "MOST_KNOWN", np.inf)
    others = solve(problem, label, 10, loss, L2(), costs, start, gap_tol=1e-6)
    assert found.solved
    assert others.solved
    assert found.primal == pytest.approx(others.primal, rel=1e-6)
    assert found.passes <= 0.6 * others.passes


@pytest.mark.parametrize("loss", [WestonWatkins(), CrammerSinger()])
def test_the_distance_of_blocks_has_the_same_optimum(loss, monkeypatch):
    monkeypatch.setattr(paces, "MIN_BY_CLASSES", 0)
    problem, _, label = classes_problem(noise=2.0)
    costs = np.linspace(0, 4, N)
    start = np.full((N, K), 1e-9)
    start[np.arange(N), label] = -(K - 1) * 1e-9
    monkeypatch.setattr(inner_problem, "MOST_KNOWN", 0.0)
    found = solve(problem, label, K, loss, L2(), costs, -start)
    usual = solve(problem, label, K, loss, L2(), costs)
    assert found.solved
    assert usual.solved
    assert found.primal == pytest.approx(usual.primal, rel=1e-9)


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


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_columns_of_other_lengths_are_no_harder(shared_data, data_set, C):
    shared_data("pendigits")
    problem = data_set("pendigits")
    X = problem.to_scipy().toarray()
    label = problem.labels.astype(np.int32)
    lengths = 10.0 ** np.random.default_rng(0).uniform(-3, 3, X.shape[1])
    for factor in (1.0, lengths):
        stretched = Problem.from_arrays(X * factor, problem.labels)
        costs = np.full(len(label), C)
        result = solve(stretched, label, 10, WestonWatkins(), L2(), costs, gap_tol=1e-6)
        assert result.status is Status.SOLVED
        assert result.passes <= 250


def test_large_costs_begin_with_an_easy_inner_problem(shared_data, data_set):
    shared_data("dna.scale")
    problem = data_set("dna.scale")
    label = problem.labels.astype(np.int32) - 1
    costs = np.full(len(label), 1e3)
    result = solve(problem, label, 3, WestonWatkins(), L2(), costs, gap_tol=1e-6)
    assert result.status is Status.SOLVED
    assert result.passes <= 100  # 265 with the first q from the losses at zero alone


@pytest.mark.parametrize("loss", [WestonWatkins(), CrammerSinger()])
def test_long_columns_and_rare_features_cost_few_steps(loss):
    # the first smoothing followed the longest columns, and inner problems went on for weights that
    # few examples have: 92 and 78 passes
    rng = np.random.default_rng(0)
    n, k = 1500, 3
    X = np.hstack([rng.standard_normal((n, 6)), np.zeros((n, 12))])
    for j in range(12):
        X[rng.choice(n, 4 + 3 * j, replace=False), 6 + j] = 1
    noise = 1.5 * rng.gumbel(size=(n, k))
    label = (X[:, :6] @ rng.standard_normal((6, k)) + noise).argmax(axis=1).astype(np.int32)
    X *= 10.0 ** rng.permutation(np.linspace(0, 7, X.shape[1]))
    problem = Problem.from_arrays(X, label.astype(float))
    result = solve(problem, label, k, loss, L2(), np.full(n, 1e3), gap_tol=1e-4)
    assert result.status is Status.SOLVED
    assert result.passes <= 60


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
    solver = Newton(risk, L2(), duals, first=lambda: weights)
    result = solver.solve(Stopping(gap_tol=1e-10, max_passes=2000))
    assert result.solved
    assert result.primal == pytest.approx(optimal.primal, rel=1e-9)
    solver.start()
    scale = np.abs(optimal.weights).max()
    np.testing.assert_allclose(solver.w, optimal.weights, atol=1e-3 * scale)
    # the first smoothing is that of the gap of these weights
    assert solver.certificate.primal == pytest.approx(optimal.primal, rel=1e-3)
