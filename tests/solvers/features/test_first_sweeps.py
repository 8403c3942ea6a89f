"""Runs to a gap over columns that several problems share: sweeps come first, exact models later."""

import numpy as np
import pytest
from scipy.sparse import random_array

from rrmlinear import Problem
from rrmlinear.data.array_rows import shared_rows
from rrmlinear.losses.logistic import Logistic
from rrmlinear.losses.margin import SquaredHinge
from rrmlinear.regularizers.separable import L1
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.features.feature_newton import CURVED_PASSES, FeatureNewton
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.stopping import Stopping

N, D, C = 400, 3000, 2.0


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(7)
    X = random_array((N, D), density=0.02, rng=rng, format="csr")
    y = np.where(X[:, :40] @ rng.standard_normal(40) + 0.1 * rng.standard_normal(N) > 0, 1.0, -1.0)
    return Problem.from_arrays(X, y)


def solver_of(problem, rows, loss):
    risk = ScalarRisk(rows, loss, problem.labels, np.full(N, C), 1)
    return FeatureNewton(risk, L1(0.2).over(risk.shape))


def solved(solver):
    """The result, and the numbers of the passes that swept."""
    swept, sweep = [], solver._sweep_columns
    solver._sweep_columns = lambda number: (swept.append(number), sweep(number))
    return solver.solve(Stopping(gap_tol=1e-9, max_passes=200)), swept


def test_shared_columns_are_swept_first_and_the_optimum_is_proved(problem):
    result, swept = solved(solver_of(problem, shared_rows(problem.rows), Logistic()))
    assert swept == list(range(1, len(swept) + 1))
    assert 0 < len(swept) < min(result.passes, CURVED_PASSES)
    assert result.status is Status.SOLVED
    X, y, alpha = problem.to_scipy(), problem.labels, result.duals
    assert np.abs(X.T @ (C * alpha)).max() <= 0.2 * (1 + 1e-12)
    primal = C * np.logaddexp(0, -y * (X @ result.weights)).sum()
    primal += 0.2 * np.abs(result.weights).sum()
    dual = -C * Logistic().conjugates(y, alpha).sum()
    assert 0 <= primal - dual <= 1.1e-9 * primal
    alone, never = solved(solver_of(problem, problem.rows, Logistic()))
    assert never == []
    assert alone.primal == pytest.approx(result.primal, rel=2e-9)


def test_pieces_of_the_squared_hinge_are_not_swept(problem):
    _, swept = solved(solver_of(problem, shared_rows(problem.rows), SquaredHinge()))
    assert swept == []
