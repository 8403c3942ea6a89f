"""OneClassAscent: its optimum, its certificate, and an end before the first pass."""

import numpy as np
import pytest
import scipy.sparse as sp

from rrmlinear.data.rows import Rows
from rrmlinear.losses.regression import Quantile
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.dual.pairs.one_class import OneClassAscent
from rrmlinear.solvers.dual.pairs.row_pairs import PART_STEP
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.rules.of_duals import FreeRange
from rrmlinear.solvers.loop.stopping import Stopping

N, NU = 600, 0.3
TIGHT = Stopping(gap_tol=1e-9, max_passes=20_000)


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(5)
    return (rng.standard_normal((N, 5)) + 2) * (rng.random((N, 5)) < 0.6)


def solver_of(X, costs, *, sparse=False, start=None):
    csr = sp.csr_array(X)
    rows = (
        Rows(csr.data, csr.indices, csr.indptr, X.shape[1], -1.0)
        if sparse
        else Rows(X, None, None, X.shape[1], -1.0)
    )
    risk = ScalarRisk(rows, Quantile(1 - NU), np.zeros(len(X)), costs)
    return OneClassAscent(risk, L2(), NU, start)


def costs_of(equal):
    costs = np.random.default_rng(6).uniform(0.1, 3, N)
    return np.full(N, 0.7) if equal else np.where(np.arange(N) % 17, costs, 0.0)


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("equal", [True, False])
def test_primal_and_dual_are_those_of_its_points(X, equal, sparse):
    costs = costs_of(equal)
    solver = solver_of(X, costs, sparse=sparse)
    found = solver.solve(TIGHT)
    w, alphas, scores = found.weights, found.duals, X @ found.weights
    assert found.status is Status.SOLVED
    assert 0 <= alphas.min() <= alphas.max() <= 1
    assert costs @ alphas == pytest.approx(NU * costs.sum(), rel=1e-12)
    v = X.T @ (costs * alphas)
    assert found.dual == pytest.approx(-v @ v / 2, rel=1e-9)
    losses = np.maximum(0, solver.rho - scores) - NU * solver.rho
    assert found.primal == pytest.approx(w @ w / 2 + costs @ losses, rel=1e-9)
    assert found.gap <= 1e-9 * abs(found.primal)
    assert found.support["duals"] == np.count_nonzero(alphas)
    assert found.support["at_bound"] == np.count_nonzero(alphas == 1)


def test_the_rule_of_liblinear_ends_it(X):
    solver = solver_of(X, costs_of(equal=True))
    solver.rule = FreeRange(solver.risk, 1e-4)
    found = solver.solve(Stopping(gap_tol=0.0))
    scores = X @ found.weights
    assert found.status is Status.RULE
    assert scores[found.duals > 0].max() - scores[found.duals < 1].min() <= 1.1e-4


def test_it_begins_at_the_duals_of_another_run(X):
    costs = costs_of(equal=False)
    first = solver_of(X, costs).solve(TIGHT)
    again = solver_of(X, costs, start=first.duals).solve(TIGHT)
    assert len(again.trace) == 1
    unbalanced = solver_of(X, costs, start=np.ones(N)).solve(TIGHT)
    assert unbalanced.primal == pytest.approx(first.primal, rel=1e-8)


def test_the_examples_that_a_start_counts_may_have_no_cost():
    X = np.random.default_rng(3).standard_normal((90, 200)) + 0.2  # too few for a sample
    costs = np.where(np.arange(90) % PART_STEP, 1.0, 0.0)
    found, all_costly = (solver_of(X, c).solve(TIGHT) for c in (costs, np.ones(90)))
    assert found.status is all_costly.status is Status.SOLVED
    assert not found.duals[costs == 0].any()


def test_without_time_the_duals_are_alike(X):
    costs = costs_of(equal=False)
    solver = solver_of(X, costs)
    solver.start()
    solver.stay_at_zero()
    primal, dual = solver.certificate.measure()
    w = NU * costs @ X
    np.testing.assert_allclose(solver.final_weights(), w)
    assert dual == pytest.approx(-w @ w / 2)
    losses = np.maximum(0, solver.rho - X @ w) - NU * solver.rho
    assert primal == pytest.approx(w @ w / 2 + costs @ losses)
    assert primal >= dual
