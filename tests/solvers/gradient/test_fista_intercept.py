"""FISTA at the best intercept: its certificate, the optimum of others, lopsided classes."""

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.losses.margin import Logistic
from rrmlinear.regularizers.bounded import ElasticBall
from rrmlinear.regularizers.separable import L1, L2, ElasticNet
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.gradient.fista import FISTA
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.loop.task import Task

OMEGAS = [L2(), ElasticNet(0.5, 2.0), L1(3.0), ElasticBall(0.4, 0.6)]


def solve(X, y, loss, omega, costs, bias=1.0, **rules):
    problem = Problem.from_arrays(X, y, bias=bias)
    run = FISTA(
        Task.of(ScalarRisk(problem.rows, loss, problem.labels, costs, condition=Intercept()), omega)
    )
    return run.solve(Stopping(**({"gap_tol": 1e-9, "max_passes": 50_000} | rules)))


@pytest.mark.parametrize("omega", OMEGAS, ids=lambda omega: type(omega).__name__)
@pytest.mark.parametrize("cost", [1e-3, 1e3])
def test_one_positive_in_a_thousand(omega, cost):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1001, 5))
    y = -np.ones(1001)
    y[400], X[400] = 1.0, X[400] + 1
    loss, costs = Logistic(), np.full(1001, cost)
    result = solve(X, y, loss, omega, costs, gap_tol=1e-8)
    assert result.status is Status.SOLVED
    assert abs(costs @ result.duals) <= 1e-10 * (costs @ np.abs(result.duals))
    moved = X @ result.weights[:-1] + result.weights[-1]
    for b in (-1e-3, 1e-3):  # no other intercept is better
        assert costs @ loss.values(y, moved + b) >= costs @ loss.values(y, moved)
