"""The risks of chains: values, gradients, conjugates, threads and formats, and sums over labellings
against all of them.
"""

import itertools

import numpy as np
import pytest

from rrmlinear.risks.layouts.chains._chain_sums import ChainSums
from rrmlinear.risks.layouts.chains._transitions import Transitions
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


SIZES = (0.0, 1.0, 30.0, 140.0, 160.0, 700.0)


def forces(nodes, transitions, label, starts, distance):
    ends = itertools.pairwise(starts)
    return [ByForce(nodes[a:b], transitions, label[a:b], distance) for a, b in ends]


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("distance", "scale"), [(0.0, 1.0), (1.0, 1.0), (1.0, 20.0)])
def test_log_sums_and_marginals_are_those_of_all_labellings(k, size, distance, scale):
    rng = np.random.default_rng(k)
    nodes, transitions, label, starts, costs = random_chains(rng, k, size)
    known = forces(nodes, transitions, label, starts, distance)
    sums = ChainSums(label, starts, k, costs, distance)
    ready = Transitions(transitions, scale)
    m, marginals, pairs = len(costs), np.empty_like(nodes), np.zeros((k, k))
    out = np.empty(m)
    sums.log_sums(nodes, ready, 0, m, out, marginals, pairs)
    accuracy = 1e-15 * max(1.0, 20 * size * scale)
    np.testing.assert_allclose(out, [f.log_sum(scale) for f in known], rtol=1e-13, atol=1e-12)
    expected = [f.marginals(scale) for f in known]
    np.testing.assert_allclose(
        marginals, np.concatenate([e[0] for e in expected]), rtol=0, atol=10 * accuracy + 1e-14
    )
    summed = sum(c * e[1] for c, e in zip(costs, expected, strict=True))
    np.testing.assert_allclose(pairs, summed, rtol=0, atol=50 * accuracy + 1e-13)
    again = np.empty(m)
    sums.log_sums(nodes, ready, 0, m, again)
    np.testing.assert_array_equal(again, out)
    np.testing.assert_allclose(marginals.sum(axis=1), 1, rtol=0, atol=10 * accuracy + 1e-13)


@pytest.mark.parametrize("k", [9, 24, 40, 61])
def test_many_labels_with_one_position_after_the_other(k):
    rng = np.random.default_rng(k)
    nodes, transitions, label, starts, costs = random_chains(rng, k, 3.0, (2, 1, 3))
    known = forces(nodes, transitions, label, starts, 1.0)
    sums = ChainSums(label, starts, k, costs, 1.0)
    out, marginals, pairs = np.empty(3), np.empty_like(nodes), np.zeros((k, k))
    sums.log_sums(nodes, Transitions(transitions), 0, 3, out, marginals, pairs)
    np.testing.assert_allclose(out, [f.log_sum() for f in known], rtol=1e-13)
    expected = [f.marginals() for f in known]
    np.testing.assert_allclose(marginals, np.concatenate([e[0] for e in expected]), atol=1e-13)
    summed = sum(c * e[1] for c, e in zip(costs, expected, strict=True))
    np.testing.assert_allclose(pairs, summed, atol=1e-13)
    labels = np.empty(len(label), dtype=np.int32)
    sums.best(nodes, Transitions(transitions, best=True), 0, 3, out, labels)
    np.testing.assert_allclose(out, [f.scores.max() for f in known], rtol=1e-13)
