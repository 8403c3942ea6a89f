"""The accelerated ascent: the problem's certificate, and fewer passes than the plain ascent."""

import numpy as np
import pytest
from made_solvers import of_rows
from members import BOUNDED_LOSSES, scalar_problem
from members import SCALAR_LOSSES as LOSSES
from members import STRONG_REGULARIZERS as REGULARIZERS

from rrmlinear import Parameter, Problem, fit
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual.accelerated import Accelerated
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.loop.result import Status, Stopping

D, COST = 12, 40.0


def ascent(problem, loss, cost=COST):
    costs = np.full(problem.n_examples, cost)
    given = problem.rows, problem.labels, costs, loss
    return lambda kind, omega, **how: of_rows(kind, *given, omega, **how)


def check(result, loss, omega, X, y, gap, cost=COST):
    w, duals = result.weights.reshape(-1), result.duals
    primal = cost * loss.values(y, X @ w).sum() + omega.value_of(w)
    dual = -cost * loss.conjugates(y, duals).sum() - omega.conjugate_of(cost * (X.T @ duals))
    assert result.primal == pytest.approx(primal, rel=1e-10)
    assert result.dual == pytest.approx(dual, rel=1e-8, abs=1e-8 * primal)
    assert -1e-10 * primal <= primal - dual <= 1.01 * gap * max(1, primal)


@pytest.mark.parametrize("omega", REGULARIZERS)
@pytest.mark.parametrize("name", BOUNDED_LOSSES)
def test_the_theory_arrives_and_its_bound_holds(name, omega):
    problem, X, y = scalar_problem(name)
    loss, omega = LOSSES[name], REGULARIZERS[omega]
    make, cost = (
        ascent(problem, loss, 20.0 if loss.smoothing else 1.0),
        20.0 if loss.smoothing else 1.0,
    )
    best = make(ProxSDCA, omega).solve(Stopping(gap_tol=1e-10))
    result = make(Accelerated, omega, inner="theory").solve(Stopping(gap_tol=0.02))
    assert result.solved
    assert result.primal - best.primal <= result.target
    if result.status is Status.SOLVED:
        check(result, loss, omega, X, y, 0.02, cost)
    else:
        assert result.status is Status.BOUNDED
        assert "above its minimum" in result.notes[-1]


def test_where_the_theory_expects_nothing_it_stays_plain_and_says_so():
    problem, _, _ = scalar_problem("logistic")
    omega, make = L2(), ascent(problem, LOSSES["logistic"], 0.1)
    quick, plain = make(Accelerated, omega), make(ProxSDCA, omega)
    found, expected = quick.solve(Stopping(gap_tol=1e-8)), plain.solve(Stopping(gap_tol=1e-8))
    assert quick.kappa == 0
    assert "the plain ascent is used" in found.notes[0]
    assert found.weights.tobytes() == expected.weights.tobytes()


def test_a_loss_that_is_smooth_enough_is_still_accelerated_where_it_proves_slow():
    problem, X, _ = scalar_problem("squared")
    cost = 9 / (X**2).sum(axis=1).max()
    solver = ascent(problem, LOSSES["squared"], cost)(Accelerated, L2(), observe=True)
    result = solver.solve(Stopping(gap_tol=1e-9))
    assert result.status is Status.SOLVED
    assert result.notes[0].startswith("not accelerated at first")
    assert solver.kappa > 0


def separable(n=40, d=400):
    """Classes that a plane separates: there are more features than examples."""
    rng = np.random.default_rng(3)
    X = 100 * rng.random((n, d))
    return Problem.from_arrays(X, np.where(rng.random(n) < 0.5, 1.0, -1.0)), X


def test_a_kappa_far_too_large_falls_and_the_run_does_not_stall():
    # the curvature of the data asks for a κ of 1e9, at which w would stand still
    problem, X = separable()
    loss = LOSSES["squared-hinge"]
    solver = ascent(problem, loss, 1e4)(Accelerated, L2())
    result = solver.solve(Stopping(gap_tol=1e-6))
    assert result.status is Status.SOLVED
    check(result, loss, L2(), X, problem.labels, 1e-6, 1e4)


def test_momentum_that_drives_the_gap_up_restarts_with_longer_inner_problems():
    random = np.random.default_rng(0)
    X, w = random.standard_normal((200, 20)), random.standard_normal(20)
    problem = Problem.from_arrays(X, X @ w + random.standard_normal(200), bias=45.0)
    result = fit(problem, Parameter(loss="squared", solver=33, gap_tol=1e-5)).result
    assert result.status is Status.SOLVED  # it was 3e35
