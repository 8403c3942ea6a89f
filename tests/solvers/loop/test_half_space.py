"""Duals in any half-space: the solvers of whole risks find the optimum of a conic solver."""

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.losses.margin import GeneralizedHinge, Hinge
from rrmlinear.losses.regression import EpsilonInsensitive
from rrmlinear.regularizers.separable import L1, L2
from rrmlinear.risks.conditions.budget import Budget
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.bundle.bmrm import BMRM
from rrmlinear.solvers.gradient.agm import AGM
from rrmlinear.solvers.gradient.pragam import Pragam
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.primal_dual.pdprox import Pdprox
from rrmlinear.solvers.second_order.newton import Newton

N = 50
LOSSES = {
    "hinge": Hinge(),
    "generalized-hinge": GeneralizedHinge(2.5),
    "epsilon-insensitive": EpsilonInsensitive(0.2),
}
SOLVERS = {
    "pdprox": lambda risk, omega: Pdprox(Task.of(risk, omega)),
    "agm": lambda risk, omega: AGM(Task.of(risk, omega)),
    "agm-dual": lambda risk, omega: AGM(Task.of(risk, omega, route="dual")),
    "pragam": lambda risk, omega: Pragam(Task.of(risk, omega)),
    "bmrm": lambda risk, omega: BMRM(Task.of(risk, omega)),
    "newton": Newton,
}


def optimum(cp, name, X, y, costs, v, limit, omega):
    """min over w and η ≥ 0 of Ω(w) + η ρ + Σ c_i φ(x_i'w + η v_i)."""
    w, eta = cp.Variable(X.shape[1]), cp.Variable(nonneg=True)
    scores = X @ w + eta * v
    losses = {
        "hinge": cp.pos(1 - cp.multiply(y, scores)),
        "generalized-hinge": cp.maximum(
            0, 1 - cp.multiply(y, scores), 1 - 2.5 * cp.multiply(y, scores)
        ),
        "epsilon-insensitive": cp.pos(cp.abs(y - scores) - 0.2),
    }[name]
    norm = cp.sum_squares(w) / 2 if isinstance(omega, L2) else 0.3 * cp.norm1(w)
    problem = cp.Problem(cp.Minimize(norm + eta * limit + costs @ losses))
    return problem.solve(solver=cp.CLARABEL), eta.value


@pytest.mark.parametrize("omega", [L2(), L1(0.3)], ids=["l2", "l1"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", SOLVERS)
def test_the_optimum_is_that_of_a_conic_solver(name, loss, omega):
    cp = pytest.importorskip("cvxpy", reason="the conic solver is in the test extra")
    if isinstance(omega, L1) and name not in ("pdprox", "agm"):
        pytest.skip("it needs a strongly convex regularizer")
    rng = np.random.default_rng(6)
    X = rng.standard_normal((N, 4)) + 0.5
    truth = X @ [1.0, -1.0, 0.5, 0.0] + 0.5 * rng.standard_normal(N)
    y = truth + 1 if loss == "epsilon-insensitive" else np.where(truth > 0.3, 1.0, -1.0)
    costs, v = rng.uniform(0.1, 0.3, N), np.abs(rng.standard_normal(N))
    v, limit = (v, 0.2) if loss == "epsilon-insensitive" else (y * v, 1.5)
    rows = Problem.from_arrays(X, y).rows
    risk = ScalarRisk(rows, LOSSES[loss], y, costs, condition=Budget(limit, v))
    expected, eta = optimum(cp, loss, X, y, costs, v, limit, omega)
    assert eta > 1e-3  # without it the duals would weigh more
    result = SOLVERS[name](risk, omega).solve(Stopping(gap_tol=1e-8, max_passes=20_000))
    assert result.status is Status.SOLVED
    assert result.primal == pytest.approx(expected, rel=1e-6)
    assert (costs * v) @ result.duals <= limit * (1 + 1e-9)
    assert (costs * v) @ result.duals == pytest.approx(limit, rel=1e-3)
