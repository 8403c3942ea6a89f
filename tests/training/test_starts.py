"""Starts from another run: near its end, and the same minimum, by every solver that takes one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rrmlinear import Parameter, Problem, fit
from rrmlinear.catalog.solvers import SOLVERS
from rrmlinear.training.starts import Point

#: (loss, regularizer, choices): with one score and several, strong convexity and without.
PROBLEMS = {
    "hinge": ("hinge", "l2", {}),
    "logistic": ("logistic", "l2", {}),
    "lasso": ("squared", "l1", {}),
    "logistic-l1": ("logistic", "l1", {}),
    "net": ("squared", "elastic-net", {"l1": 1.0}),
    "groups": ("hinge", "group-lasso", {"groups": np.arange(8) // 2}),
    "softmax": ("softmax", "l2", {}),
    "crammer-singer": ("crammer-singer", "l2", {}),
}


def problem_of(name):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 8))
    scores = X[:, :3] + 0.5 * rng.standard_normal((120, 3))
    y = scores[:, 0] if name in ("lasso", "net") else np.sign(scores[:, 0])
    return Problem.from_arrays(X, scores.argmax(axis=1) if name in CLASSES else y)


CLASSES = ("softmax", "crammer-singer")
CASES = [(name, solver) for name in PROBLEMS for solver in (*range(32, 41), 42, "newton", "auto")]


def takes(name, solver):
    loss, regularizer, _ = PROBLEMS[name]
    features = {"l1": (35, 36, 37, 38, 42, "auto"), "group-lasso": (35, 36, 37, 38, "auto")}
    smooth = loss in ("squared", "logistic", "softmax")
    return solver in features.get(regularizer, (solver,)) and (solver != 42 or smooth)


@pytest.mark.parametrize(("name", "solver"), [case for case in CASES if takes(*case)])
def test_a_start_begins_near_the_end_and_leads_to_the_same_minimum(fit, name, solver):
    loss, regularizer, choices = PROBLEMS[name]
    tolerance = 1e-2 if solver == 40 and name in ("hinge", "crammer-singer") else 1e-5
    choices = choices | {"solver": solver, "loss": loss, "regularizer": regularizer, "C": 0.5}
    choices |= {"gap_tol": tolerance, "max_passes": 20_000}
    problem = problem_of(name)
    cold = fit(problem, **choices)
    warm = fit(problem, start=cold, **choices)
    assert cold.result.solved
    assert warm.result.solved
    assert warm.result.trace[0].primal <= (1 + 10 * tolerance) * cold.result.primal
    assert warm.result.primal == pytest.approx(cold.result.primal, rel=2 * tolerance)


@pytest.mark.parametrize("solver", [35, 37, 42, "auto"])
def test_weights_alone_are_a_start(fit, solver):
    problem, choices = problem_of("logistic-l1"), {"loss": "logistic", "regularizer": "l1"}
    cold = fit(problem, solver=solver, gap_tol=1e-6, **choices)
    point = Point(cold.weights)
    warm = fit(problem, solver=solver, gap_tol=1e-6, start=point, **choices)
    assert warm.result.trace[0].primal <= (1 + 1e-5) * cold.result.primal
    assert warm.result.primal == pytest.approx(cold.result.primal, rel=2e-6)


@pytest.mark.parametrize("solver", [37, 39, 42, "auto"])
def test_weights_of_another_problem_are_left_out_and_bad_ones_are_not_taken(fit, solver):
    problem = problem_of("logistic")
    cold = fit(problem, solver=solver, loss="logistic", gap_tol=1e-6)
    duals = cold.result.duals
    for weights in (np.ones((3, 1)), np.full((8, 1), np.nan), np.full((8, 1), 1e6)):
        start = Point(weights, duals)
        warm = fit(problem, solver=solver, loss="logistic", gap_tol=1e-6, start=start)
        assert warm.result.solved
        assert_allclose(warm.weights, cold.weights, atol=1e-2)


def test_solver_types_that_take_no_duals():
    assert [row.number for row in SOLVERS.values() if not row.starts] == [5, 6, 41, "marginals"]


def test_a_start_that_would_have_no_effect_is_refused(signs):
    with pytest.raises(ValueError, match="solver 41 begins at weights of zero"):
        fit(signs, Parameter(solver=41), start=np.zeros(80))
