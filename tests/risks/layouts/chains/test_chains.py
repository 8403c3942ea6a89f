"""The risks of chains: values, gradients, conjugates, threads and formats."""

import numpy as np
import pytest

from rrmlinear.risks.layouts.chains.chain_loss import LOG_LOSS, STRUCTURED_HINGE, ChainLoss
from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk
from tests.risks.layouts.chains.chains_by_force import (
    ByForce,
    assert_gradient,
    random_chains,
    rows_of,
)

LOSSES = {
    "crf": LOG_LOSS,
    "m3n": STRUCTURED_HINGE,
    "smoothed m3n": STRUCTURED_HINGE.smoothed(0.3),
    "cooler": ChainLoss(0.5, 0.01),
}


def made(k=3, loss=LOG_LOSS, d=7, dense=False, bias=-1.0, threads=1, lengths=(1, 4, 2, 5), seed=0):
    """(risk, X with the appended column)."""
    rng = np.random.default_rng(seed)
    _, _, label, starts, costs = random_chains(rng, k, 1.0, lengths)
    X = rng.standard_normal((starts[-1], d)) * (rng.random((starts[-1], d)) < 0.6)
    rows, X = rows_of(X, dense, bias)
    return ChainRisk(rows, label, starts, k, costs, threads, loss), X


def value_by_force(risk, X, w):
    nodes, transitions = risk.split(w, X.shape[1])
    total, tau = 0.0, risk.loss.temperature
    for s, cost in enumerate(risk.sequence_costs):
        some = slice(risk.starts[s], risk.starts[s + 1])
        force = ByForce(X[some] @ nodes, transitions, risk.label[some], risk.loss.distance)
        best = tau * force.log_sum(1 / tau) if tau else force.scores.max()
        true = (force.labels == risk.label[some]).all(axis=1)
        total += cost * (best - force.scores[true][0])
    return total


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize(
    ("dense", "bias"), [(False, -1.0), (False, 2.0), (True, -1.0), (True, 0.5)]
)
def test_values_and_gradients(name, k, dense, bias):
    risk, X = made(k, LOSSES[name], dense=dense, bias=bias)
    rng = np.random.default_rng(1)
    w, move = rng.standard_normal((2, *risk.shape))
    assert_gradient(risk, lambda w: value_by_force(risk, X, w), w, move, 1e-6, 1e-6)


def test_the_conjugate_of_the_hinge_is_the_distance():
    risk, _ = made(loss=STRUCTURED_HINGE)
    u = risk.at(risk.scores(np.random.default_rng(3).standard_normal(risk.shape))).derivatives
    nodes, _ = risk.split(u, risk.n)
    distance = -nodes[np.arange(risk.n), risk.label].sum()
    assert risk.conjugate(-u) == pytest.approx(-distance, abs=1e-12)


def test_threads_and_repetitions_give_the_same_bits():
    rng = np.random.default_rng(6)
    lengths = tuple(rng.integers(1, 30, 300))
    found = []
    for threads in (1, 1, 2, 2, 3):
        risk, _ = made(20, d=60, threads=threads, lengths=lengths)
        w = np.random.default_rng(7).standard_normal(risk.shape) / 5
        value, derivatives = risk.at(risk.scores(w)).tangent()
        found.append((value, derivatives, risk.gradient(derivatives)))
    for one, other in ((0, 1), (2, 3)):
        assert found[one][0] == found[other][0]
        np.testing.assert_array_equal(found[one][1], found[other][1])
        np.testing.assert_array_equal(found[one][2], found[other][2])
    for other in (2, 4):
        assert found[other][0] == pytest.approx(found[0][0], rel=1e-14)
        np.testing.assert_allclose(found[other][2], found[0][2], atol=1e-9)


def test_products_need_transitions_of_a_moderate_span():
    risk, _ = made()
    w = np.zeros(risk.shape)
    w[-1] = 400
    with pytest.raises(ValueError, match="the transitions are too far apart"):
        risk.at(risk.scores(w)).hessian()
