"""RowPairAscent: the optimum of other solvers, sparse and dense, and a start near it."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from rrmlinear.data.rows import Rows
from rrmlinear.losses.margin import Hinge, SquaredHinge
from rrmlinear.losses.regression import Absolute, EpsilonInsensitive, Quantile
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.dual.intercept import InterceptAscent
from rrmlinear.solvers.dual.pairs.row_pairs import RowPairAscent
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.loop.rules.of_duals import FreeRange
from rrmlinear.solvers.loop.task import Task

N = 1000
TIGHT = Stopping(gap_tol=1e-9, max_passes=20_000)
ROUGH = Stopping(gap_tol=1e-6, max_passes=20_000)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((N, 5)) * (rng.random((N, 5)) < 0.6)
    y = np.where(X[:, 0] + 0.5 * rng.standard_normal(N) > 0.3, 1.0, -1.0)
    return X, y, rng.uniform(0.1, 3, N)


def rows_of(X, sparse):
    if not sparse:
        return Rows(X, None, None, X.shape[1], 1.0)
    csr = sp.csr_array(X)
    return Rows(csr.data, csr.indices, csr.indptr, X.shape[1], 1.0)


def solver_of(rows, loss, y, costs, start=None):
    risk = ScalarRisk(rows, loss, y, costs, condition=Intercept())
    return RowPairAscent(Task.of(risk, L2(), start))


@pytest.mark.parametrize("loss", [Hinge(), Absolute(), Quantile(0.3)])
@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("equal", [True, False])
def test_the_optimum_of_another_solver(data, loss, sparse, equal):
    X, y, costs = data
    costs = np.full(N, 0.7) if equal else np.where(np.arange(N) % 17, costs, 0.0)
    rows = rows_of(X, sparse)
    found = solver_of(rows, loss, y, costs).solve(TIGHT)
    other = InterceptAscent(Task.of_rows(rows, y, costs, loss, L2())).solve(ROUGH)
    assert found.status is other.status is Status.SOLVED
    assert found.primal == pytest.approx(other.primal, rel=2e-6)
    assert_allclose(found.weights, other.weights, atol=1e-2)
    assert abs(costs @ found.duals) <= 1e-9 * costs.sum()
    support = found.support
    assert support["at_bound"] <= support["duals"] == np.count_nonzero(found.duals)


def test_the_rule_of_liblinear_ends_it(data):
    X, y, costs = data
    solver = solver_of(rows_of(X, True), Hinge(), y, costs)
    solver.rule = FreeRange(solver.risk, 1e-4)
    found = solver.solve(Stopping(gap_tol=0.0))
    assert found.status is Status.RULE
    scores = X @ found.weights[:-1]
    pulls = y - scores
    can_rise = found.duals < np.where(y > 0, 1, 0)
    can_fall = found.duals > np.where(y > 0, 0, -1)
    assert pulls[can_rise].max() - pulls[can_fall].min() <= 1.1e-4


def test_it_begins_at_the_duals_of_another_run(data):
    X, y, costs = data
    rows = rows_of(X, False)
    first = solver_of(rows, Hinge(), y, costs).solve(TIGHT)
    again = solver_of(rows, Hinge(), y, costs, first.duals).solve(TIGHT)
    assert again.status is Status.SOLVED
    assert len(again.trace) == 1
    unbalanced = solver_of(rows, Hinge(), y, costs, np.maximum(y, 0) / 2).solve(TIGHT)
    assert unbalanced.primal == pytest.approx(first.primal, rel=1e-8)


@pytest.mark.parametrize("loss", [SquaredHinge(), EpsilonInsensitive(0.1)])
def test_losses_with_other_duals_are_refused(data, loss):
    X, y, costs = data
    with pytest.raises(ValueError, match="kink"):
        solver_of(rows_of(X, True), loss, y, costs)


def large():
    rng = np.random.default_rng(8)
    X = rng.standard_normal((40_000, 3)) + [1.0, 0.5, 0.0]
    return Rows(X, None, None, 3), X


def test_many_examples_that_start_near_to_a_threshold_end_at_the_optimum():
    rows, X = large()
    costs = np.ones(len(X))
    rows = Rows(X, None, None, 3, 1.0)
    y = np.where(X[:, 0] > X[:, 1], 1.0, -1.0)
    found = solver_of(rows, Hinge(), y, costs).solve(TIGHT)
    assert found.status is Status.SOLVED
    scores = X @ found.weights[:-1] + found.weights[-1]
    w = found.weights[:-1]
    assert found.primal == pytest.approx(w @ w / 2 + np.maximum(0, 1 - y * scores).sum(), rel=1e-9)
    v = X.T @ found.duals
    assert found.dual == pytest.approx(y @ found.duals - v @ v / 2, rel=1e-9)
    assert found.gap <= 1e-9 * found.primal
