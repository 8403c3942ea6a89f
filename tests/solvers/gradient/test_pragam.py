"""Pragam: its bound and the excessive gap at every iteration, and the optimum of other solvers."""

import numpy as np
import pytest
from members import BOUNDED_LOSSES as LOSSES

from rrmlinear.losses import margin
from rrmlinear.regularizers.separable import L1, L2
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.gradient.pragam import Pragam
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.loop.task import Task

N, D = 60, 12


def smoothed_value(risk, solver):
    """J_μ(w) of the present pair."""
    scores = risk.scores(solver.w)
    alphas, _ = risk.dual_steps(scores, solver.centre, solver.mu)
    away = alphas - solver.centre
    lost = risk.costs @ (scores * alphas + solver.mu / 2 * away**2)
    return solver.w @ solver.w / 2 - risk.conjugate(alphas) - lost


@pytest.mark.parametrize("free", [False, True])
def test_the_bound_and_the_excessive_gap_at_every_iteration(make, free):
    # (26) of the paper, in its scale: λ P with c_i = 1/(λ n), and D₂ = 1/(2n).
    problem, X, _ = make("hinge", bias=1.0 if free else -1.0)
    lam = 0.01
    costs = np.full(N, 1 / (lam * N))
    condition = Intercept() if free else None
    risk = ScalarRisk(problem.rows, margin.Hinge(), problem.labels, costs, condition=condition)
    L = np.linalg.norm(X, 2) ** 2 / lam  # the paper's
    solver = Pragam(Task.of(risk, L2(), lipschitz="fixed"), L=L * lam * costs[0], restarts=False)
    solver.start()
    for k in range(300):
        solver.run_pass(k + 1)
        alphas = solver.alphas
        primal = risk.at(risk.scores(solver.w)).value + solver.w @ solver.w / 2
        v = X.T @ (costs * alphas)
        dual = -risk.conjugate(alphas) - v @ v / 2
        assert lam * (primal - dual) <= 4 * L / (2 * N) / ((k + 1) * (k + 2)) + 1e-13
        assert primal >= dual - 1e-12 * primal
        value = smoothed_value(risk, solver)
        assert value <= dual + 1e-12 * primal
        assert lam * (primal - value) <= 4 * L / (2 * N) / ((k + 1) * (k + 2)) + 1e-13
        if free:
            assert abs(costs @ alphas) <= 1e-10 * (costs @ np.abs(alphas)) + 1e-15


def test_strong_convexity_of_the_conjugate_makes_it_linear(make):
    problem, X, y = make("smooth-hinge")
    costs = np.full(N, 3.0)
    risk = ScalarRisk(problem.rows, LOSSES["smooth-hinge"], y, costs)
    L = 3 * np.linalg.norm(X, 2) ** 2
    solver = Pragam(Task.of(risk, L2(), lipschitz="fixed"), L=L, restarts=False)
    result = solver.solve(Stopping(gap_tol=1e-11))
    rate = 1 - 1 / (0.5 + np.sqrt(0.25 + L / 0.5))
    distance = costs @ result.duals**2 / 2
    assert result.status is Status.SOLVED
    for k, row in enumerate(result.trace):
        assert row.primal - result.primal <= L * rate**k * distance + 1e-9


def test_what_cannot_be_is_refused(make):
    problem, _, y = make("hinge")
    risk = ScalarRisk(problem.rows, margin.Hinge(), y, np.ones(N))
    with pytest.raises(ValueError, match="needs a strongly convex regularizer, and L1 is not"):
        Pragam(Task.of(risk, L1(0.1)))
    with pytest.raises(ValueError, match=r"L must be positive and finite, got 0\.0"):
        Pragam(Task.of(risk, L2()), L=0.0)
