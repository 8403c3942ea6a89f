"""The time limit from the first second on: preparations end early with a certificate at 0."""

import signal
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.risks.conditions import class_places
from rrmlinear.solvers.bundle import bmrm
from rrmlinear.solvers.loop import power
from rrmlinear.solvers.loop.result import Status
from rrmlinear.training.classes import class_problems, in_turn, one_vs_rest

#: Seconds that no preparation takes that ends, on any machine.
ENDLESS = 20.0
#: Solver types whose preparation is a power iteration, with the choices that ask for one.
PREPARED = [
    (37, {"ratio": 1.0}),
    (38, {"ratio": 1.0}),
    (37, {"ratio": 1.0, "free_bias": True}),
    (34, {"lipschitz": "fixed"}),
    (35, {"lipschitz": "fixed"}),
    (36, {"lipschitz": "fixed", "free_bias": True}),
]


@pytest.fixture
def slow_products(monkeypatch, signs):
    """A problem whose power iteration never ends, and takes 0.01 s a product."""
    monkeypatch.setattr(power, "EIGENVALUE_ACCURACY", -np.inf)
    monkeypatch.setattr(power.top_eigenvector, "__defaults__", (10**9, 0))
    centred = power._centred

    def slow(risk, scores):
        time.sleep(0.01)
        return centred(risk, scores)

    monkeypatch.setattr(power, "_centred", slow)
    return Problem.from_arrays(signs.rows.values, signs.labels, bias=1.0)


@pytest.mark.parametrize(("solver", "choices"), PREPARED)
def test_a_preparation_ends_at_the_limit(slow_products, fit, solver, choices):
    begin = time.perf_counter()
    result = fit(slow_products, solver=solver, loss="hinge", time_limit=0.2, **choices).result
    assert time.perf_counter() - begin < ENDLESS
    assert (result.status, result.passes) == (Status.TIME_LIMIT, 0)
    assert "the time limit came before the first pass" in result.notes[-1]
    assert not result.weights[:5].any()
    assert not result.duals.any()
    # at w = 0 with the best intercept: the share of the smaller class counts twice
    free = "free_bias" in choices
    n, fewer = 80, min(np.bincount(slow_products.labels > 0))
    assert result.primal == pytest.approx(2 * fewer if free else n)
    assert (result.dual, result.gap) == (0.0, result.primal)
    assert result.shortfall().startswith("the time limit was reached before the tolerance")


@pytest.fixture
def own_clock(monkeypatch):
    """A clock that goes on by 0.1 ms whenever it is read, so that no machine is too slow for a
    limit. Begins of problems take as many seconds as are set in ``begin``.
    """
    solve, clock = class_problems.solve_scalars, SimpleNamespace(begin=0.0, seconds=0.0)

    def begun(*arguments):
        clock.seconds += clock.begin
        return solve(*arguments)

    def now():
        clock.seconds += 1e-4
        return clock.seconds

    clock.now = now
    monkeypatch.setattr(class_problems, "solve_scalars", begun)
    monkeypatch.setattr(time, "perf_counter", clock.now)
    return clock


def test_one_against_the_rest_keeps_time_for_a_pass_of_each(fit, own_clock):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 30)), np.arange(200) % 5
    problem = Problem.from_arrays(X, y.astype(float))
    own_clock.begin = 0.1
    begin = own_clock.now()
    result = fit(problem, solver=32, loss="hinge", C=1e6, gap_tol=1e-12, time_limit=1.0).result
    assert own_clock.now() - begin < 2.0
    assert result.status is Status.TIME_LIMIT
    assert all(each.passes >= 1 for each in result.problems)
    assert result.problems[0].passes > 10
    assert result.problems[0].status is Status.TIME_LIMIT


def test_problems_that_were_not_begun_are_at_zero(fit, monkeypatch):
    rng = np.random.default_rng(0)
    problem = Problem.from_arrays(rng.normal(size=(50, 4)), np.arange(50) % 5 + 0.0)
    monkeypatch.setattr(in_turn, "GRACE", 0.0)
    monkeypatch.setattr(class_problems, "solve_scalars", slowed(class_problems.solve_scalars, 0.06))
    result = fit(problem, solver=32, loss="hinge", gap_tol=1e-12, time_limit=0.1).result
    idle = [each for each in result.problems if each.passes == 0]
    assert idle
    assert result.status is Status.TIME_LIMIT
    assert f"the time limit left no pass for {len(idle)} of them" in result.notes
    at = [j for j, each in enumerate(result.problems) if each.passes == 0]
    assert not result.weights[:, at].any()
    assert not result.duals[:, at].any()
    # hinge at 0: a loss of 1 for each example
    assert [each.gap for each in idle] == [50.0] * len(idle)
    assert result.gap == pytest.approx(sum(each.gap for each in result.problems))


def slowed(solve, seconds):
    def slow(*arguments):
        time.sleep(seconds)
        return solve(*arguments)

    return slow


def test_a_stage_that_is_not_ready_ends_at_zero(fit, signs, monkeypatch):
    from rrmlinear.catalog.stages import automatic
    from rrmlinear.solvers.dual import intercept

    less = intercept._less

    def slow(values, means):
        time.sleep(0.2)
        return less(values, means)

    monkeypatch.setattr(intercept, "_less", slow)
    monkeypatch.setattr(automatic, "WHOLE_PASSES", 0)  # the ascent goes first
    problem = Problem.from_arrays(signs.rows.values, signs.labels, bias=1.0)
    for solver in (32, "auto"):
        choices = {"solver": solver, "loss": "hinge", "free_bias": True, "time_limit": 0.1}
        result = fit(problem, **choices).result
        assert (result.status, result.passes) == (Status.TIME_LIMIT, 0)
        assert result.gap == result.primal > 0


@pytest.mark.parametrize("loss", ["weston-watkins", "crammer-singer", "softmax"])
def test_intercepts_of_classes_after_the_limit_are_not_sought_to_the_end(fit, monkeypatch, loss):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.integers(6, size=300) + 0.0
    problem, looks, look = Problem.from_arrays(X, y, bias=1.0), [], class_places.Look.at

    def slow(self, b, slopes):
        looks.append(b)
        time.sleep(0.05)
        return look(self, b, slopes)

    monkeypatch.setattr(class_places.Look, "at", slow)
    choices = {"solver": 36, "loss": loss, "free_bias": True, "time_limit": 0.1}
    result = fit(problem, **choices).result
    assert (result.status, result.passes) == (Status.TIME_LIMIT, 0)
    # the best ones of Weston and Watkins take more than 100
    assert 0 < len(looks) < 25
    assert 0 < result.primal < np.inf
    assert result.dual == 0.0


def test_threads_keep_the_limit_and_leave_problems_at_zero(fit, monkeypatch):
    rng = np.random.default_rng(0)
    problem = Problem.from_arrays(rng.normal(size=(50, 4)), np.arange(50) % 20 + 0.0)
    monkeypatch.setattr(one_vs_rest, "MIN_WORK_AT_ONCE", 1)
    monkeypatch.setattr(class_problems, "solve_scalars", slowed(class_problems.solve_scalars, 0.1))
    choices = {"loss": "hinge", "gap_tol": 1e-12, "time_limit": 0.2, "threads": 2}
    result = fit(problem, solver=32, **choices).result
    assert result.status is Status.TIME_LIMIT
    idle = [j for j, each in enumerate(result.problems) if each.passes == 0]
    assert 8 < len(idle) < 20  # one pass of each would take 2 s
    assert not result.weights[:, idle].any()
    assert f"the time limit left no pass for {len(idle)} of them" in result.notes


def test_threads_keep_time_for_a_pass_of_each(fit, monkeypatch, own_clock):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 30)), np.arange(200) % 6
    problem = Problem.from_arrays(X, y.astype(float))
    monkeypatch.setattr(one_vs_rest, "MIN_WORK_AT_ONCE", 1)
    own_clock.begin = 0.05
    choices = {"loss": "hinge", "C": 1e6, "gap_tol": 1e-12, "time_limit": 0.5, "threads": 2}
    result = fit(problem, solver=32, **choices).result
    assert all(each.passes >= 1 for each in result.problems)
    assert result.problems[0].passes > 10
    assert result.problems[0].status is Status.TIME_LIMIT


def test_an_interrupt_ends_the_preparations_of_threads(slow_products, fit, monkeypatch):
    rng = np.random.default_rng(0)
    problem = Problem.from_arrays(rng.normal(size=(50, 4)), np.arange(50) % 4 + 0.0)
    monkeypatch.setattr(one_vs_rest, "MIN_WORK_AT_ONCE", 1)
    main = threading.main_thread().ident
    timer = threading.Timer(0.3, signal.pthread_kill, [main, signal.SIGINT])
    timer.start()
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        fit(problem, solver=37, ratio=1.0, loss="hinge", threads=2)
    assert time.perf_counter() - begin < ENDLESS
    timer.join()


def test_weights_of_many_millions_look_at_the_clock(fit):
    rows = csr_array((np.ones(4), [0, 1, 2, 10**7 - 1], [0, 1, 2, 3, 4]), (4, 10**7))
    problem = Problem.from_arrays(rows, [1.0, -1.0, 1.0, -1.0])
    begin = time.process_time()
    result = fit(problem, solver=37, loss="hinge", time_limit=0.01).result
    assert time.process_time() - begin < 5.0
    assert (result.status, result.passes) == (Status.TIME_LIMIT, 0)
    assert result.primal == 4.0


def test_a_line_search_of_cutting_planes_ends_at_the_limit(fit, signs, monkeypatch):
    def endless(line, x, step, tolerance):
        while True:
            line(0.5)

    monkeypatch.setattr(bmrm, "lowest_point", endless)
    begin = time.perf_counter()
    result = fit(signs, solver=39, loss="hinge", gap_tol=1e-12, time_limit=0.2).result
    assert time.perf_counter() - begin < ENDLESS
    assert (result.status, result.passes) == (Status.TIME_LIMIT, 2)
    # half of the way lies lower than its begin
    assert -1e-9 <= result.gap < 80
    assert result.primal < 80
