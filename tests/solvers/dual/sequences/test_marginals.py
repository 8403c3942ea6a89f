"""The ascent on marginals: optimum, certificate, bits, refusals."""

import numpy as np
import pytest
from chain_risks import made

from rrmlinear.regularizers.separable import L2, ElasticNet
from rrmlinear.risks.layouts.chains.chain_loss import LOG_LOSS, STRUCTURED_HINGE, ChainLoss
from rrmlinear.solvers.dual.sequences.ascent import SequenceMarginals
from rrmlinear.solvers.lbfgs.lbfgs import LBFGS
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.loop.task import Task

LOSSES = {
    "crf": LOG_LOSS,
    "smoothed m3n": STRUCTURED_HINGE.smoothed(0.2),
    "cooler": ChainLoss(0.5, 0.1),
}


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize(("sparse", "bias"), [(False, -1.0), (True, 1.0)])
@pytest.mark.parametrize("C", [0.01, 0.5, 20.0])
def test_the_optimum_of_lbfgs(name, C, sparse, bias):
    risk = made(LOSSES[name], C=C, sparse=sparse, bias=bias)
    best = LBFGS(Task.of(risk, L2(1))).solve(Stopping(gap_tol=1e-8))
    result = SequenceMarginals(Task.of(risk, L2(1))).solve(Stopping(gap_tol=1e-7))
    assert result.solved
    assert all(row.gap >= -1e-9 * abs(row.primal) for row in result.trace)
    duals = [row.dual for row in result.trace]
    assert np.diff(duals).min(initial=0) >= -1e-10 * abs(best.primal)
    assert best.dual - 1e-7 * best.primal <= result.primal <= best.primal * (1 + 2e-7)
    np.testing.assert_allclose(result.weights, best.weights, atol=1e-3)


@pytest.mark.parametrize(
    "choices", [*({"k": k} for k in (2, 8, 9, 33)), {"costs": [0, 1, 2, 3] * 3 + [0, 1]}]
)
def test_numbers_of_labels_and_costs_of_sequences(choices):
    risk = made(LOG_LOSS, **choices)
    best = LBFGS(Task.of(risk, L2(0.3))).solve(Stopping(gap_tol=1e-8))
    result = SequenceMarginals(Task.of(risk, L2(0.3))).solve(Stopping(gap_tol=1e-7))
    assert result.solved
    assert result.primal == pytest.approx(best.primal, rel=1e-6)


def test_the_dual_by_the_risk():
    risk = made(LOG_LOSS, bias=1.0)
    result = SequenceMarginals(Task.of(risk, L2(2))).solve(Stopping(gap_tol=1e-3))
    vector = risk.gradient(result.duals)
    assert result.dual == pytest.approx(-risk.conjugate(result.duals) - vector @ vector / 4)
    np.testing.assert_allclose(result.weights, vector / 2, atol=1e-12)
    at = risk.at(risk.scores(result.weights))
    w = result.weights
    assert result.primal == pytest.approx(at.value + w @ w)


def test_a_seed_has_the_same_bits():
    first, again, other = (
        SequenceMarginals(Task.of(made(LOG_LOSS), L2(1), seed=seed)).solve(
            Stopping(gap_tol=1e-9, max_passes=3)
        )
        for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(first.weights, again.weights)
    assert (first.weights != other.weights).any()
    assert first.status is Status.PASS_LIMIT


def test_other_problems_are_refused():
    with pytest.raises(ValueError, match="the ascent on marginals needs a smooth loss"):
        SequenceMarginals(Task.of(made(STRUCTURED_HINGE), L2(1)))
    with pytest.raises(ValueError, match="the ascent on marginals needs a quadratic regularizer"):
        SequenceMarginals(Task.of(made(LOG_LOSS), ElasticNet(0.1)))
    with pytest.raises(ValueError, match="the transitions are too far apart"):
        SequenceMarginals(Task.of(made(ChainLoss(1.0, 1e-5), C=50.0), L2(1))).solve(Stopping())
