"""The time limit from the first second on: preparations end early with a certificate at 0."""

import signal
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.solvers.loop.result import Status
from rrmlinear.training.classes import class_problems

#: Processor seconds within which a run of a short limit ends, on any machine.
SOON = 8.0
#: Solver types whose preparation is a power iteration, with the choices that ask for one.
PREPARED = [
    (37, {"ratio": 1.0}),
    (38, {"ratio": 1.0}),
    (37, {"ratio": 1.0, "free_bias": True}),
    (34, {"lipschitz": "fixed"}),
    (35, {"lipschitz": "fixed"}),
    (36, {"lipschitz": "fixed", "free_bias": True}),
]


@pytest.fixture(scope="module")
def noise():
    """Rows without a direction of their own: a power iteration over them takes many seconds."""
    X = np.random.default_rng(0).normal(size=(20_000, 400))
    return Problem.from_arrays(X, np.resize([1.0, -1.0, 1.0], 20_000), bias=1.0)


@pytest.fixture(scope="module")
def classes():
    X = np.random.default_rng(0).normal(size=(4000, 30))
    return lambda k, **bias: Problem.from_arrays(X, np.arange(4000) % k + 0.0, **bias)


@pytest.mark.parametrize(("solver", "choices"), PREPARED)
def test_a_preparation_ends_at_the_limit(noise, fit, solver, choices):
    begin = time.process_time()
    result = fit(noise, solver=solver, loss="hinge", time_limit=0.2, **choices).result
    assert time.process_time() - begin < SOON
    assert (result.status, result.passes) == (Status.TIME_LIMIT, 0)
    assert "the time limit came before the first pass" in result.notes[-1]
    assert not result.weights[:400].any()
    assert not result.duals.any()
    # at w = 0 with the best intercept: the share of the smaller class counts twice
    fewer = min(np.bincount(noise.labels > 0))
    assert result.primal == pytest.approx(2 * fewer if "free_bias" in choices else 20_000)
    assert (result.dual, result.gap) == (0.0, result.primal)
    assert result.shortfall().startswith("the time limit was reached before the tolerance")


@pytest.mark.parametrize("loss", ["weston-watkins", "crammer-singer", "softmax"])
def test_classes_with_free_intercepts_end_at_zero(fit, classes, loss):
    choices = {"solver": 36, "loss": loss, "free_bias": True, "time_limit": 1e-9}
    result = fit(classes(6, bias=1.0), **choices).result
    assert (result.status, result.passes, result.dual) == (Status.TIME_LIMIT, 0, 0.0)
    assert not result.weights[:30].any()
    # classes of equal weight: no intercepts are better than 0
    at_zero = {"weston-watkins": 5.0, "crammer-singer": 1.0, "softmax": np.log(6)}[loss]
    assert result.gap == result.primal == pytest.approx(4000 * at_zero, rel=1e-2)


@pytest.fixture
def own_clock(monkeypatch):
    """A clock that goes on by 0.1 ms whenever it is read and by 0.1 s where a problem begins, so
    that no machine is too slow for a limit.
    """
    solve, clock = class_problems.solve_scalars, SimpleNamespace(seconds=0.0)

    def begun(*arguments):
        clock.seconds += 0.1
        return solve(*arguments)

    def now():
        clock.seconds += 1e-4
        return clock.seconds

    monkeypatch.setattr(class_problems, "solve_scalars", begun)
    monkeypatch.setattr(time, "perf_counter", now)
    return now


@pytest.mark.parametrize("threads", [1, 2])
def test_one_against_the_rest_keeps_time_for_a_pass_of_each(fit, own_clock, classes, threads):
    choices = {"C": 1e6, "gap_tol": 1e-12, "time_limit": 1.0, "threads": threads}
    begin = own_clock()
    result = fit(classes(6), solver=32, loss="hinge", **choices).result
    assert own_clock() - begin < 2.0
    assert result.status is Status.TIME_LIMIT
    assert all(each.passes >= 1 for each in result.problems)
    assert result.problems[0].passes > 10
    assert result.problems[0].status is Status.TIME_LIMIT


@pytest.mark.parametrize("threads", [1, 2])
def test_problems_that_were_not_begun_are_at_zero(fit, classes, threads):
    choices = {"gap_tol": 1e-12, "time_limit": 0.01, "threads": threads}
    result = fit(classes(2000), solver=32, loss="hinge", **choices).result
    idle = [j for j, each in enumerate(result.problems) if each.passes == 0]
    assert 0 < len(idle) < 2000
    assert result.status is Status.TIME_LIMIT
    assert f"the time limit left no pass for {len(idle)} of them" in result.notes
    assert not result.weights[:, idle].any()
    assert not result.duals[:, idle].any()
    # hinge at 0: a loss of 1 for each example
    assert {result.problems[j].gap for j in idle} == {4000.0}
    assert result.gap == pytest.approx(sum(each.gap for each in result.problems))


@pytest.mark.parametrize(("solver", "regularizer"), [("auto", "l1"), ("newton", "l2-norm")])
def test_a_limit_before_the_first_duals_leaves_a_gap(fit, own_clock, solver, regularizer):
    X = csr_array(np.random.default_rng(1).normal(size=(8, 9)))
    problem = Problem.from_arrays(X, np.arange(8) % 3 + 0.0, bias=1.0)
    for reads in range(16):  # of the clock
        choices = {"loss": "crammer-singer", "free_bias": True, "time_limit": 1e-4 * (reads + 0.5)}
        result = fit(problem, solver=solver, regularizer=regularizer, **choices).result
        assert 0 < result.gap < np.inf


def test_an_interrupt_ends_the_preparations_of_threads(noise, fit):
    problem = noise.relabelled(np.arange(20_000) % 4 + 0.0)
    main = threading.main_thread().ident
    timer = threading.Timer(0.3, signal.pthread_kill, [main, signal.SIGINT])
    timer.start()
    begin = time.process_time()
    with pytest.raises(KeyboardInterrupt):
        fit(problem, solver=37, ratio=1.0, loss="hinge", threads=2)
    assert time.process_time() - begin < SOON
    timer.join()


def test_weights_of_many_millions_look_at_the_clock(fit):
    rows = csr_array((np.ones(4), [0, 1, 2, 10**7 - 1], [0, 1, 2, 3, 4]), (4, 10**7))
    problem = Problem.from_arrays(rows, [1.0, -1.0, 1.0, -1.0])
    begin = time.process_time()
    result = fit(problem, solver=37, loss="hinge", time_limit=0.01).result
    assert time.process_time() - begin < 5.0
    assert (result.status, result.passes) == (Status.TIME_LIMIT, 0)
    assert result.primal == 4.0
