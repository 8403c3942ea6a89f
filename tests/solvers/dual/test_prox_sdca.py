"""Prox-SDCA: its certificate recomputed, and the optimum of an outside solver."""

import numpy as np
import pytest
from members import SCALAR_LOSSES as LOSSES
from members import scalar_problem

from rrmlinear.data.rows import Rows
from rrmlinear.losses import margin
from rrmlinear.regularizers.separable import L2, ElasticNet
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.loop.stopping import Stopping

N, D = 60, 12


def solve(problem, loss, regularizer, costs, **rules):
    solver = ProxSDCA(problem.rows, problem.labels, costs, loss, regularizer)
    return solver.solve(Stopping(**({"gap_tol": 1e-9} | rules)))


@pytest.mark.parametrize("name", ["hinge", "squared-hinge", "squared", "absolute", "quantile"])
@pytest.mark.parametrize("l1", [0.0, 0.7])
def test_optimum_is_that_of_a_conic_solver(name, l1):
    cp = pytest.importorskip("cvxpy", reason="the conic solver is in the test extra")
    problem, X, y = scalar_problem(name)
    result = solve(problem, LOSSES[name], ElasticNet(l1), np.full(N, 0.5))
    w = cp.Variable(D)
    r = y - X @ w
    m = cp.multiply(y, X @ w)
    phi = {
        "hinge": cp.sum(cp.pos(1 - m)),
        "squared-hinge": cp.sum_squares(cp.pos(1 - m)),
        "squared": cp.sum_squares(r) / 2,
        "absolute": cp.norm1(r),
        "quantile": cp.sum(cp.maximum(0.8 * r, -0.2 * r)),
    }[name]
    objective = cp.sum_squares(w) / 2 + l1 * cp.norm1(w) + 0.5 * phi
    best = cp.Problem(cp.Minimize(objective)).solve(solver=cp.CLARABEL)
    assert result.primal == pytest.approx(best, rel=1e-6)


def test_a_pass_visits_all_examples_with_a_gap_where_a_rule_is_open():
    rng = np.random.default_rng(7)
    X = rng.standard_normal((400, 10))
    y = np.where(X[:, 0] > 0.1, 1.0, -1.0)
    solver = ProxSDCA(Rows(X, None, None, 10), y, np.ones(400), margin.Hinge(), L2())
    solver.start()
    for number in range(1, 11):
        solver.run_pass(number)
    solver.target = 1000 * solver.gap_sum  # nearly all sleep
    for number in range(11, 13):
        solver.run_pass(number)
    work = solver.work
    solver.run_pass(13)
    visits = solver.work - work
    solver.losses()
    with_gap = int(np.count_nonzero(solver.state.gaps > 0))
    assert visits < with_gap < 400
    work, solver.rule_is_open = solver.work, True
    solver.run_pass(14)
    assert with_gap <= solver.work - work < 400
    assert not solver.rule_is_open


@pytest.mark.parametrize("loss", [margin.Hinge(), margin.SquaredHinge()])
def test_sizes_of_duals_follow_the_visits(loss):
    problem, _, y = scalar_problem("hinge", "sparse", np.float64)
    costs = np.linspace(0.1, 2, N)
    solver = ProxSDCA(problem.rows, y, costs, loss, ElasticNet(l1=0.1))
    solver.start()
    squares = problem.rows.squared_norms()
    for number in range(1, 6):
        if number == 4:
            solver.replace_duals(np.where(np.arange(N) % 3 == 0, 0.0, 0.5 * y))
        sizes = np.abs(solver.present_duals())
        support = np.count_nonzero(sizes)
        at_bound = np.count_nonzero(sizes >= loss.lipschitz)
        mean, fraction = solver.dual_sizes()
        assert mean == pytest.approx((squares * costs) @ sizes / max(1, support), rel=1e-12)
        assert fraction == at_bound / max(1, support)
        solver.run_pass(number)
