"""A limit that is not reached changes nothing: the same bits, the same passes."""

import time

import numpy as np
import pytest
from scipy.sparse import random as random_sparse

from rrmlinear import Parameter, Problem, fit
from rrmlinear.catalog.solvers import SOLVERS
from rrmlinear.solvers.loop.result import Status
from rrmlinear.training.classes import class_problems, one_vs_rest

#: Seconds that no run here takes.
LONG = 1e5


def blobs(k, n=90, d=12):
    rng = np.random.default_rng(0)
    y = np.arange(n) % k
    X = rng.standard_normal((n, d)) + rng.standard_normal((k, d))[y]
    return Problem.from_arrays(X, y.astype(float), bias=1.0)


def wide_text(k=10, n=300, d=5000):
    rng = np.random.default_rng(0)
    X = random_sparse(n, d, density=80 / d, rng=rng, format="csr")
    y = (X @ rng.standard_normal((d, k))).argmax(axis=1).astype(float)
    return Problem.from_arrays(X, y, bias=1.0)


def check_alike(problem, **choices):
    free = fit(problem, Parameter(**choices))
    most = free.result.passes + 1
    for limit in ({"time_limit": LONG}, {"max_passes": most}, {"time_limit": LONG, "threads": 2}):
        limited = fit(problem, Parameter(**(choices | limit)))
        if "threads" in limit:  # threads may share passes in another order
            free = fit(problem, Parameter(**choices, threads=2))
        assert limited.weights.tobytes() == free.weights.tobytes(), limit
        assert limited.result.passes == free.result.passes, limit
        assert limited.result.status is free.result.status


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("number", [*range(8), 30, 31])
def test_of_liblinears_types(number, classes):
    check_alike(blobs(classes), solver=number)


@pytest.mark.parametrize("number", [1, 3, 4, 7])
def test_of_classes_that_begin_together(number):
    problem = wide_text()
    check_alike(problem, solver=number)
    notes = fit(problem, Parameter(solver=number, time_limit=LONG)).result.notes
    assert any("classes at a time come first" in note for note in notes) == (number != 4)


@pytest.mark.parametrize("loss", ["hinge", "squared-hinge", "logistic"])
@pytest.mark.parametrize("solver", [n for n in SOLVERS if isinstance(n, int) and 32 <= n < 40])
def test_of_solvers(solver, loss):
    most = {} if solver in (32, 33) else {"max_passes": 40}
    problem = blobs(2)
    free = fit(problem, Parameter(solver=solver, loss=loss, C=0.1, **most))
    limited = fit(problem, Parameter(solver=solver, loss=loss, C=0.1, time_limit=LONG, **most))
    assert limited.weights.tobytes() == free.weights.tobytes()
    assert limited.result.passes == free.result.passes


@pytest.mark.parametrize(
    "loss", ["hinge", "squared-hinge", "logistic", "weston-watkins", "crammer-singer", "softmax"]
)
@pytest.mark.parametrize("free_bias", [None, True])
@pytest.mark.parametrize("make", [blobs, wide_text])
def test_of_the_automatic_solver(loss, free_bias, make):
    check_alike(make(4), loss=loss, solver="auto", C=0.3, free_bias=free_bias)


@pytest.mark.parametrize(
    "loss", ["squared", "absolute", "epsilon-insensitive", "huber", "quantile"]
)
@pytest.mark.parametrize("regularizer", ["l2", "l1", "elastic-net"])
def test_of_regressions(loss, regularizer):
    problem = blobs(2)
    numbers = problem.rows.values @ np.linspace(-1, 1, 12)
    problem = Problem.from_arrays(problem.rows.values, numbers, bias=1.0)
    more = {"l1": 0.1} if regularizer == "elastic-net" else {}
    check_alike(problem, loss=loss, regularizer=regularizer, solver="auto", C=0.1, **more)


def test_of_one_class():
    check_alike(blobs(2).with_bias(-1.0), solver=21, nu=0.3)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("delays", [(1.5,), (5.0, 0.0, 4.0), (1.5, 1.2, 0.4)])
def test_of_classes_whose_first_passes_are_delayed(monkeypatch, delays, threads):
    """A delay, taken for the time of each first pass to come, lets a problem wait for others."""
    problem = blobs(60, n=240)
    choices = {"solver": 3, "C": 1.0, "threads": threads}
    free = fit(problem, Parameter(**choices))
    monkeypatch.setattr(one_vs_rest, "MIN_WORK_AT_ONCE", 1)
    solve, clock, begun = class_problems.solve_scalars, time.perf_counter, []

    def delayed(*arguments):
        begun.append(delays[len(begun)] if len(begun) < len(delays) else 0.0)
        return solve(*arguments)

    monkeypatch.setattr(class_problems, "solve_scalars", delayed)
    monkeypatch.setattr(time, "perf_counter", lambda: clock() + sum(begun))
    limited = fit(problem, Parameter(**choices, time_limit=60.0))
    assert limited.weights.tobytes() == free.weights.tobytes()
    assert limited.result.passes == free.result.passes
    assert limited.result.status is free.result.status is Status.RULE
