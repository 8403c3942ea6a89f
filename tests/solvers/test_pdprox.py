"""Pdprox: the optimum of other solvers, whichever order and storage it has."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses import margin, regression
from rrmlinear.regularizers.separable import L1, L2, ElasticNet
from rrmlinear.risks.decomposable import ScalarRisk
from rrmlinear.solvers.agm import AGM
from rrmlinear.solvers.pdprox import ORDERS, STORAGES, Pdprox
from rrmlinear.solvers.result import Status
from rrmlinear.solvers.stopping import Stopping

N, D = 60, 8
LOSSES = {
    "hinge": margin.Hinge(),
    "logistic": margin.Logistic(),
    "absolute": regression.Absolute(),
    "squared": regression.Squared(),
}


@pytest.fixture
def make():
    def problem(name, form="sparse", bias=-1.0):
        rng = np.random.default_rng(6)
        X = rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.6)
        X[3] = 0
        y = X @ rng.standard_normal(D) + 0.5 * rng.standard_normal(N) + 0.4
        if name in ("hinge", "logistic"):
            y = np.where(y > 0, 1.0, -1.0)
        return Problem.from_arrays(csr_array(X) if form == "sparse" else X, y, bias=bias), X, y

    return problem


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("omega", [L1(0.5), L2(), ElasticNet(0.7)])
@pytest.mark.parametrize("name", LOSSES)
def test_the_certificate_is_true_and_the_optimum_that_of_agm_ef(
    objectives, make, name, omega, order, storage
):
    problem, X, y = make(name)
    loss, costs = LOSSES[name], np.linspace(0, 4, N)
    risk = ScalarRisk(problem.rows, loss, y, costs)
    solver = Pdprox(risk, omega, order=order, storage=storage)
    result = solver.solve(Stopping(gap_tol=1e-8))
    assert result.status is Status.SOLVED
    # shrunk beyond rounding of v, so that it lies where the conjugate of a norm is finite
    shrunk = replace(result, duals=(1 - 1e-13) * result.duals)
    primal, dual = objectives(X, y, costs, loss, omega, shrunk)
    assert result.primal == pytest.approx(primal, rel=1e-12)
    assert result.dual == pytest.approx(dual, rel=1e-10)
    assert -1e-12 * primal <= result.gap <= 1e-8 * max(1, primal)
    other = AGM(risk, omega).solve(Stopping(gap_tol=1e-6, max_passes=5000))
    assert result.primal <= other.primal + 1e-8 * abs(other.primal)
    assert result.primal >= other.dual - 1e-12 * abs(other.dual)


def test_what_cannot_be_is_refused(make):
    problem, _, y = make("hinge")
    risk = ScalarRisk(problem.rows, margin.Hinge(), y, np.ones(N))
    with pytest.raises(ValueError, match=r"ratio must be positive and finite, got 0\.0"):
        Pdprox(risk, L1(0.1), ratio=0.0)
    with pytest.raises(ValueError, match="unknown order 'both'; there are dual, primal"):
        Pdprox(risk, L1(0.1), order="both")
    with pytest.raises(ValueError, match="unknown storage 'all'; there are double-primal, double-"):
        Pdprox(risk, L1(0.1), storage="all")
