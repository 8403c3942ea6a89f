"""Repaired duals: feasible, better than shrunk ones, never above the optimum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rrmlinear import Problem
from rrmlinear.losses import margin, regression
from rrmlinear.regularizers.groups.group_norms import L2Groups, LinfGroups
from rrmlinear.regularizers.separable import L1
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.layouts.tasks import TaskRisk, task_rows
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.result import Stopping
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.primal_dual import dual_repair
from rrmlinear.solvers.primal_dual.dual_repair import DualRepair
from rrmlinear.solvers.primal_dual.pdprox import Pdprox

N, D = 300, 12
NORMS = [L1(1.0), L2Groups(), LinfGroups(), L2Groups([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])]


def risk_of(loss, free):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((N, D)) * 10.0 ** np.linspace(-1, 1, D)
    y = X @ rng.standard_normal(D) + rng.standard_normal(N) * 5
    y = np.sign(y) if isinstance(loss, margin.Hinge) else y
    return ScalarRisk(
        Problem.from_arrays(X, y, bias=1.0).rows if free else Problem.from_arrays(X, y).rows,
        loss,
        y,
        np.full(N, 0.3),
        condition=Intercept() if free else None,
    )


def after_passes(risk, omega, passes):
    """α and v of Pdprox after this number of passes, without repair."""
    solver = Pdprox(Task.of(risk, omega))
    solver.start()
    solver.repair = None
    for number in range(1, passes + 1):
        solver.run_pass(number)
    last = solver._stepped(solver.state)
    return last.alphas, last.vector


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize(
    "loss", [margin.Hinge(), regression.Quantile(0.7)], ids=["hinge", "pinball"]
)
@pytest.mark.parametrize("omega", NORMS, ids=["l1", "l2", "linf", "groups"])
def test_what_it_finds_is_feasible_and_below_the_optimum(omega, loss, free):
    risk = risk_of(loss, free)
    exact = Pdprox(Task.of(risk, omega)).solve(Stopping(gap_tol=1e-7, max_passes=20_000))
    assert exact.solved
    for passes in (5, 40, 160):
        alphas, vector = after_passes(risk, omega, passes)
        best = Certificate(risk, omega)
        shrunk = best.offer_duals(alphas, vector)
        repair = DualRepair.of(risk, omega)
        products = [repair.look(best, alphas, vector) for _ in range(dual_repair.FIRST)]
        assert not any(products[:-1])
        assert shrunk <= best.dual <= exact.primal
        assert np.isfinite(risk.conjugate(best.alphas))
        assert omega.dual_scale_of((1 - 1e-9) * risk.gradient(best.alphas)) == 1


@pytest.mark.parametrize("free", [False, True])
def test_duals_of_tasks_far_outside_are_repaired(free):
    # losses that are large beside Ω ask for v near 0: shrunk duals stayed at a gap near 1
    rng = np.random.default_rng(5)
    n, d, k = 900, 4, 3
    X = rng.standard_normal((n, d)) + np.array([0, 0, 30, -100.0])
    tasks = np.arange(n) % k
    y = 1e5 * (X @ rng.standard_normal(d) + tasks + rng.standard_normal(n) ** 3)
    rows = task_rows(Problem.from_arrays(X, y).rows, np.arange(n), tasks, k)
    condition = Intercept() if free else None
    risk = TaskRisk(rows, regression.Absolute(), y, np.ones(n), tasks, k, condition=condition)
    result = Pdprox(Task.of(risk, LinfGroups().over((d, k)))).solve(
        Stopping(gap_tol=1e-5, max_passes=2000)
    )
    assert result.solved
    alphas = result.duals
    assert np.abs(alphas).max() <= 1
    if free:
        assert_allclose(np.bincount(tasks, alphas), 0, atol=1e-9)
    v = risk.gradient(alphas).reshape(d, k)
    assert np.abs(v).sum(axis=1).max() <= 1 + 1e-9
    assert result.dual == pytest.approx(y @ alphas, rel=1e-12)
