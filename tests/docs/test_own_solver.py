"""The solver that the manual writes finds the optimum that the package's own finds."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from rrmlinear.data.rows import Rows
from rrmlinear.losses.margin import Logistic
from rrmlinear.regularizers.separable import ElasticNet
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.gradient.fista import FISTA
from rrmlinear.solvers.loop.result import Stopping
from rrmlinear.solvers.loop.task import Task

CODE = Path(__file__).resolve().parents[2] / "docs" / "code"


def test_the_solver_of_the_manual_proves_the_same_optimum():
    ProxDescent = runpy.run_path(str(CODE / "prox_descent.py"))["ProxDescent"]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=60) > 0, 1.0, -1.0)
    risk = ScalarRisk(Rows(X, None, None, 5), Logistic(), y, np.full(60, 0.2))
    stopping = Stopping(gap_tol=1e-8)
    ours = ProxDescent(risk, ElasticNet(0.5)).solve(stopping)
    fista = FISTA(Task.of(risk, ElasticNet(0.5))).solve(stopping)
    assert ours.solved
    assert 0 <= ours.gap <= 1e-8 * abs(ours.primal)
    assert ours.primal == pytest.approx(fista.primal, rel=1e-7)
