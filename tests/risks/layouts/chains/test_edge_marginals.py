"""The hinge of chains over marginals of edges: against chains, and by Pragam and AGM-EF."""

import numpy as np
import pytest

from rrmlinear.data.rows import Rows
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.layouts.chains.chain_loss import LOG_LOSS, STRUCTURED_HINGE
from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk
from rrmlinear.risks.layouts.chains.edge_marginals import EdgeMarginalsRisk
from rrmlinear.solvers.bundle.bmrm import BMRM
from rrmlinear.solvers.gradient.agm import AGM
from rrmlinear.solvers.gradient.pragam import Pragam
from rrmlinear.solvers.loop.result import Stopping
from rrmlinear.solvers.loop.task import Task


@pytest.fixture(scope="module")
def chain():
    rng = np.random.default_rng(0)
    lengths = [1, 2, 4, 1]
    starts = np.concatenate(([0], np.cumsum(lengths)))
    label = rng.integers(0, 3, starts[-1]).astype(np.int32)
    X = rng.normal(size=(starts[-1], 4)) + 2 * np.eye(4)[label]
    costs = 0.3 * np.arange(1.0, 5.0)
    return ChainRisk(Rows(X, None, None, 4), label, starts, 3, costs, loss=STRUCTURED_HINGE)


@pytest.fixture(scope="module")
def risk(chain):
    return EdgeMarginalsRisk(chain)


def test_values_and_gradients_are_those_of_the_chain(chain, risk):
    for w in np.random.default_rng(1).normal(size=(5, *chain.shape)):
        there, at = chain.at(chain.scores(w)), risk.at(risk.scores(w))
        assert at.value == pytest.approx(there.value)
        assert risk.gradient(at.derivatives) == pytest.approx(chain.gradient(there.derivatives))
        conjugate = risk.conjugate(-at.derivatives)
        assert conjugate == pytest.approx(chain.conjugate(-there.derivatives))
        gradient = risk.gradient(at.derivatives)
        assert gradient @ w - conjugate == pytest.approx(at.value)


def test_scores_and_gradients_are_adjoint(risk):
    rng = np.random.default_rng(2)
    w, u = rng.normal(size=risk.shape), rng.normal(size=risk.n_scores)
    assert (risk.costs * risk.scores(w)) @ u == pytest.approx(w @ risk.gradient(u))


def test_duals_beyond_the_marginals_cost_infinity(risk):
    zero = np.zeros(risk.n_scores)
    assert risk.conjugate(zero) == 0
    assert risk.conjugate(risk.truth) == np.inf
    negative = zero.copy()
    negative[:2] += 0.5, -0.5
    assert risk.conjugate(negative) == np.inf


def test_dual_steps_are_the_best(risk):
    rng = np.random.default_rng(3)
    w, q = rng.normal(size=risk.shape), 0.7
    scores = risk.scores(w)
    before = -risk.at(risk.scores(rng.normal(size=risk.shape))).derivatives

    def worth(alphas):
        away = alphas - before
        linear = (risk.costs * (scores * alphas + q / 2 * away**2)).sum()
        return -risk.conjugate(alphas) - linear

    best, _ = risk.dual_steps(scores, before, q)
    for other in rng.normal(size=(20, *risk.shape)):
        vertex = -risk.at(risk.scores(other)).derivatives
        for part in (1e-3, 0.1, 1.0):
            assert worth(best + part * (vertex - best)) <= worth(best) + 1e-8


@pytest.mark.parametrize("route", ["pragam", "smoothed-dual", "dual"])
def test_all_solvers_find_one_optimum(chain, risk, route):
    best = BMRM(Task.of(chain, L2())).solve(Stopping(gap_tol=1e-7)).primal
    solver = (
        Pragam(Task.of(risk, L2())) if route == "pragam" else AGM(Task.of(risk, L2(), route=route))
    )
    result = solver.solve(Stopping(gap_tol=1e-4, max_passes=3000))
    assert result.solved
    assert result.primal == pytest.approx(best, rel=1e-4)
    assert result.dual <= best * (1 + 1e-7)


def test_another_loss_is_refused(chain):
    with pytest.raises(ValueError, match="take the structured hinge"):
        EdgeMarginalsRisk(chain.of_loss(LOG_LOSS))
