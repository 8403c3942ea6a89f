"""Pdprox: the optimum of other solvers, whichever order and storage it has."""

import numpy as np
import pytest
from made_solvers import of_risk

from rrmlinear import Problem
from rrmlinear.losses import margin
from rrmlinear.regularizers.separable import L1
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.primal_dual.pdprox import ORDERS, STORAGES, Pdprox

N, D = 60, 12


def test_what_cannot_be_is_refused(make):
    problem, _, y = make("hinge")
    risk = ScalarRisk(problem.rows, margin.Hinge(), y, np.ones(N))
    with pytest.raises(ValueError, match=r"ratio must be positive and finite, got 0\.0"):
        Pdprox(Task.of(risk, L1(0.1), ratio=0.0))
    with pytest.raises(ValueError, match="unknown order 'both'; there are dual, primal"):
        Pdprox(Task.of(risk, L1(0.1)), order="both")
    with pytest.raises(ValueError, match="unknown storage 'all'; there are double-primal, double-"):
        Pdprox(Task.of(risk, L1(0.1), storage="all"))


def solved(risk, omega, **choices):
    result = of_risk(Pdprox, risk, omega, **choices).solve(
        Stopping(gap_tol=1e-9, max_passes=20_000)
    )
    assert result.status is Status.SOLVED
    for row in result.trace:
        assert row.gap >= -1e-12 * abs(row.primal)
    return result


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (5, 1)])
def test_one_example_or_one_feature(shape, order, storage):
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal(shape), np.sign(rng.standard_normal(shape[0]))
    risk = ScalarRisk(Problem.from_arrays(X, y).rows, margin.Hinge(), y, np.ones(shape[0]))
    result = solved(risk, L1(0.1), order=order, storage=storage)
    if shape == (1, 1):  # the kink or zero, whichever is lower
        assert result.primal == pytest.approx(min(1.0, 0.1 / abs(X[0, 0])), rel=1e-8)


@pytest.mark.parametrize("order", ORDERS)
def test_data_without_effect(order):
    y = np.array([1.0, -1.0, 1.0])
    zeros, some = np.zeros((3, 2)), np.ones((3, 2))
    risk = ScalarRisk(Problem.from_arrays(zeros, y).rows, margin.Hinge(), y, np.ones(3))
    assert solved(risk, L1(1.0), order=order).primal == pytest.approx(3)
    risk = ScalarRisk(Problem.from_arrays(some, y).rows, margin.Hinge(), y, np.zeros(3))
    assert solved(risk, L1(1.0), order=order).primal == pytest.approx(0)
