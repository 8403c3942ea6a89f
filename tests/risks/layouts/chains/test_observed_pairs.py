"""Chains with weights of observed pairs: products, gradients, optimum, threads."""

import numpy as np
import pytest

from rrmlinear.risks.layouts.chains.chain_loss import LOG_LOSS, STRUCTURED_HINGE
from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk
from rrmlinear.risks.layouts.chains.observed_pairs import ObservedChainRisk
from tests.risks.layouts.chains.chains_by_force import rows_of

LENGTHS = (1, 4, 2, 5, 3)


def made(loss=LOG_LOSS, dense=False, bias=-1.0, threads=1, d=8, k=4):
    """(risk, the risk of all pairs, which pairs occur)."""
    rng = np.random.default_rng(0)
    starts = np.concatenate(([0], np.cumsum(LENGTHS)))
    label = rng.integers(0, k, starts[-1]).astype(np.int32)
    X = rng.standard_normal((starts[-1], d)) * (rng.random((starts[-1], d)) < 0.3)
    X[:, 3] = 0
    rows, X = rows_of(X, dense, bias)
    occur = np.array([[(X[label == j, f] != 0).any() for j in range(k)] for f in range(X.shape[1])])
    costs = rng.uniform(0.5, 2, len(LENGTHS))
    given = (rows, label, starts, k, costs, threads, loss)
    return ObservedChainRisk(*given), ChainRisk(*given), occur


@pytest.mark.parametrize("loss", [LOG_LOSS, STRUCTURED_HINGE], ids=["crf", "m3n"])
@pytest.mark.parametrize(
    ("dense", "bias"), [(False, -1.0), (False, 2.0), (True, -1.0), (True, 0.5)]
)
def test_it_is_the_risk_at_weights_that_are_0_elsewhere(loss, dense, bias):
    risk, whole, occur = made(loss, dense, bias)
    assert risk.shape == (occur.sum() + 16,)
    w = np.random.default_rng(1).standard_normal(risk.shape)
    full = risk.complete(w)
    nodes, transitions = whole.split(full, whole.rows.width)
    np.testing.assert_array_equal(nodes != 0, occur)
    np.testing.assert_array_equal(nodes[occur], w[:-16])
    np.testing.assert_array_equal(transitions.ravel(), w[-16:])
    np.testing.assert_array_equal(risk.chosen(full), w)
    scores = risk.scores(w)
    np.testing.assert_allclose(scores, whole.scores(full), atol=1e-12)
    derivatives = risk.at(scores).derivatives
    gradient = whole.gradient(derivatives)
    np.testing.assert_allclose(risk.gradient(derivatives), risk.chosen(gradient), atol=1e-12)
    np.testing.assert_allclose(risk.diagonal(), risk.chosen(whole.diagonal()))


def test_two_threads_give_the_bits_of_one():
    w = np.random.default_rng(1).standard_normal(made()[0].shape)
    one, two = made()[0], made(threads=2)[0]
    scores = one.scores(w)
    np.testing.assert_array_equal(scores, two.scores(w))
    u = one.at(scores).derivatives
    np.testing.assert_array_equal(one.gradient(u), two.gradient(u))
