"""Averages of proximal points: their certificate is true, and they end runs sooner."""

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.losses.multiclass import CrammerSinger
from rrmlinear.losses.weston_watkins import WestonWatkins
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.block import BlockRisk
from rrmlinear.solvers.dual.accelerated import Accelerated
from rrmlinear.solvers.dual.block_descent import BlockAscent
from rrmlinear.solvers.loop.result import Status, duals_by_scores
from rrmlinear.solvers.loop.stopping import Stopping

N, D, K, COST, GAP = 300, 12, 5, 3.0, 1e-6


@pytest.mark.parametrize("loss", [WestonWatkins(), CrammerSinger()])
def test_averages_end_a_run_sooner_with_a_true_certificate(loss):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((N, D)) @ rng.standard_normal((D, D))
    scores = X @ rng.standard_normal((D, K))
    label = (scores + 2 * np.sqrt(D) * rng.standard_normal((N, K))).argmax(1).astype(np.int32)
    label[:K] = np.arange(K)
    rows, costs = Problem.from_arrays(X, label).rows, np.full(N, COST)
    risk, omega = BlockRisk(rows, loss, label, K, costs), L2(1.0)

    def solved(make_risk):
        solver = Accelerated(
            lambda inner: BlockAscent(rows, label, K, costs, loss, inner),
            omega,
            observe=True,
            make_risk=make_risk,
        )
        return solver, solver.solve(Stopping(gap_tol=GAP))

    (_, plain), (solver, result) = solved(None), solved(lambda: risk)
    assert plain.status is result.status is Status.SOLVED
    assert len(result.trace) <= 0.9 * len(plain.trace)
    alphas = duals_by_scores(result.duals, label, costs, K)
    w = result.weights
    primal = risk.at(risk.scores(w)).value + omega.value_of(w.ravel())
    dual = -risk.conjugate(alphas) - omega.conjugate_of(risk.gradient(alphas).ravel())
    assert result.primal == pytest.approx(primal, rel=1e-12)
    assert result.dual == pytest.approx(dual, rel=1e-12)
    assert 0 <= primal - dual <= GAP * primal
    assert result.support["duals"] == np.count_nonzero(result.duals.values)
    assert solver.averages.certificate.gap <= GAP * primal


def test_averages_need_memory_for_all_duals(monkeypatch):
    monkeypatch.setattr("rrmlinear.solvers.dual.averages.MAX_DUALS", 9)
    rows = Problem.from_arrays(np.eye(4), np.arange(4)).rows
    label, costs = np.arange(4, dtype=np.int32), np.ones(4)
    solver = Accelerated(
        lambda inner: BlockAscent(rows, label, 4, costs, WestonWatkins(), inner),
        L2(1.0),
        make_risk=lambda: None,
    )
    assert solver.solve(Stopping(gap_tol=1e-6)).solved
    assert solver.averages is None
