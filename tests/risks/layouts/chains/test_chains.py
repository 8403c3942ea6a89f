"""The risks of chains: values, gradients, conjugates, threads and formats."""

import numpy as np
import pytest

from rrmlinear.risks.layouts.chains.chain_loss import LOG_LOSS, STRUCTURED_HINGE, ChainLoss
from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk
from tests.risks.layouts.chains.chains_by_force import (
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
