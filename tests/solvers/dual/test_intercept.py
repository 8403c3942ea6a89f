"""Prox-SDCA with an intercept: its certificate recomputed, and the optimum of others."""

import numpy as np
import pytest
from made_solvers import of_rows
from members import SCALAR_LOSSES as LOSSES
from members import SIGN_LOSSES, scalar_problem, takes_signs
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses import regression
from rrmlinear.regularizers.bounded import Bounded
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual.intercept import InterceptAscent
from rrmlinear.solvers.loop.result import Status, Stopping

N, D = 60, 12


def data(name, form="sparse", dtype=np.float64, bias=1.0, centre=0.0):
    shift = 0.3 if takes_signs(name) else 5.0
    return scalar_problem(name, form, dtype, bias=bias, shift=shift, centre=centre)


def solve(problem, loss, omega, costs, **rules):
    given = problem.rows, problem.labels, costs, loss, omega
    solver = of_rows(InterceptAscent, *given, free_bias=True)
    return solver.solve(Stopping(**({"gap_tol": 1e-9} | rules)))


def check(result, X, y, loss, omega, costs, bias=1.0, gap=1e-9):
    """Hold primal, dual and gap against NumPy's from weights and duals alone."""
    assert result.status is Status.SOLVED
    w, b, alpha = result.weights[:-1], bias * result.weights[-1], result.duals
    assert abs(costs @ alpha) <= 1e-13 * (1 + costs @ np.abs(alpha))
    primal = costs @ loss.values(y, X @ w + b) + omega.value_of(w)
    active = costs > 0
    conjugates = costs[active] @ loss.conjugates(y[active], alpha[active])
    dual = -conjugates - omega.conjugate_of(X.T @ (costs * alpha))
    assert result.primal == pytest.approx(primal, rel=1e-10)
    assert result.dual == pytest.approx(dual, rel=1e-9, abs=1e-11)
    assert -1e-12 * max(1, primal) <= primal - dual <= 1.01 * gap * max(1, primal)


@pytest.mark.parametrize("name", SIGN_LOSSES)
def test_one_example_against_a_thousand(name):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((2002, 5))
    y = np.where(np.arange(2002) < 2, 1.0, -1.0)
    X[:2] += 2
    costs = np.where(y > 0, 30.0, 0.05)
    problem = Problem.from_arrays(X, y, bias=1.0)
    result = solve(problem, LOSSES[name], L2(), costs)
    check(result, X, y, LOSSES[name], L2(), costs)
    assert result.passes < 1000


@pytest.mark.parametrize("name", ["hinge", "logistic", "absolute", "squared"])
def test_a_column_of_ones_without_a_penalty_is_a_free_intercept(name):
    problem, X, y = data(name)
    beside = Problem.from_arrays(np.column_stack([X, np.full(N, 0.5)]), y)
    omega = Bounded(L2(), factors=np.append(np.ones(D), 0.0))
    given = beside.rows, beside.labels, np.ones(N), LOSSES[name], omega
    column = of_rows(InterceptAscent, *given).solve(Stopping(1e-9))
    intercept = solve(problem, LOSSES[name], L2(), np.ones(N))
    assert column.solved
    assert column.primal == pytest.approx(intercept.primal, rel=2e-9)
    np.testing.assert_allclose(column.weights[:D], intercept.weights[:D], atol=1e-3)


@pytest.mark.parametrize("name", SIGN_LOSSES)
def test_one_class_takes_the_intercept_alone(name):
    problem, X, _ = data(name)
    problem = Problem.from_arrays(X, np.ones(N), bias=1.0)
    result = solve(problem, LOSSES[name], L2(), np.ones(N))
    assert result.status is Status.SOLVED
    assert np.abs(result.weights[:D]).max() < 1e-6
    assert result.primal < 1e-9


def test_labels_far_from_zero():
    problem, X, y = data("absolute", centre=1.0)
    far = Problem.from_arrays(csr_array(X), y + 1e6, bias=1.0)
    near = solve(problem, regression.Absolute(), L2(), np.full(N, 0.1))
    moved = solve(far, regression.Absolute(), L2(), np.full(N, 0.1))
    assert moved.weights[D] - 1e6 == pytest.approx(near.weights[D], abs=1e-3)
    assert moved.primal == pytest.approx(near.primal, rel=1e-7)


@pytest.mark.parametrize("cost", [1e-6, 1e-3])
def test_costs_so_small_that_only_the_intercept_fits(cost):
    problem, X, y = data("squared")
    result = solve(problem, regression.Squared(), L2(), np.full(N, cost))
    check(result, X, y, regression.Squared(), L2(), np.full(N, cost))
    assert result.weights[D] == pytest.approx(y.mean(), abs=300 * cost)


@pytest.mark.parametrize("name", SIGN_LOSSES)
def test_a_certificate_of_tiny_costs_keeps_its_digits(name):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((5000, 3))
    y = np.where(np.arange(5000) < 50, 1.0, -1.0)
    costs = np.full(5000, 1e-7)
    problem = Problem.from_arrays(X, y, bias=1.0)
    result = solve(problem, LOSSES[name], L2(), costs)
    assert abs(costs @ result.duals) <= 1e-13 * (costs @ np.abs(result.duals))
    assert result.gap >= -1e-12 * result.primal
