"""Chains with features of edges: values, derivatives and inference against all labellings."""

import itertools

import numpy as np
import pytest
from scipy.special import logsumexp

from rrmlinear.risks.layouts.chains.chain_loss import LOG_LOSS, STRUCTURED_HINGE
from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk
from rrmlinear.risks.layouts.chains.observed_pairs import ObservedChainRisk
from tests.risks.layouts.chains.chains_by_force import assert_gradient, rows_of

D, E = 4, 5
LOSSES = {"crf": LOG_LOSS, "m3n": STRUCTURED_HINGE, "smoothed m3n": STRUCTURED_HINGE.smoothed(0.3)}


def made(k=3, loss=LOG_LOSS, threads=1, dense=False, lengths=(1, 4, 2, 5), kind=ChainRisk):
    """(risk, features of positions and of edges)."""
    rng = np.random.default_rng(k)
    starts = np.concatenate(([0], np.cumsum(lengths)))
    n, m = starts[-1], len(lengths)
    X = rng.standard_normal((n, D)) * (rng.random((n, D)) < 0.8)
    Z = rng.standard_normal((n - m, E)) * (rng.random((n - m, E)) < 0.6)
    label = rng.integers(0, k, n).astype(np.int32)
    costs = rng.uniform(0.5, 2, m)
    data = (rows_of(X, dense, -1.0)[0], label, starts, k, costs, threads, loss)
    return kind(*data, edges=rows_of(Z, dense, -1.0)[0]), X, Z


def by_force(risk, X, Z, w, s):
    """(labellings, their scores with the distance, place of the true one) of sequence s."""
    k, (begin, end) = risk.k, risk.starts[s : s + 2]
    W, T = w[: D * k].reshape(D, k), w[D * k : (D + k) * k].reshape(k, k)
    V = w[(D + k) * k :].reshape(E, k, k)
    nodes = X[begin:end] @ W
    tables = T + np.einsum("tf,fij->tij", Z[begin - s : end - s - 1], V)
    labels = np.array(list(itertools.product(range(k), repeat=end - begin)))
    scores = nodes[np.arange(end - begin), labels].sum(axis=1)
    scores += tables[np.arange(end - begin - 1), labels[:, :-1], labels[:, 1:]].sum(axis=1)
    wrong = (labels != risk.label[begin:end]).sum(axis=1)
    return labels, scores + risk.loss.distance * wrong, int(wrong.argmin())


def value_by_force(risk, X, Z, w):
    total, tau = 0.0, risk.loss.temperature
    for s, cost in enumerate(risk.sequence_costs):
        _, scores, true = by_force(risk, X, Z, w, s)
        best = tau * logsumexp(scores / tau) if tau else scores.max()
        total += cost * (best - scores[true])
    return total


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize(("size", "dense"), [(1.0, False), (1.0, True), (300.0, False)])
def test_values_and_gradients(name, k, size, dense):
    risk, X, Z = made(k, LOSSES[name], dense=dense)
    rng = np.random.default_rng(1)
    w, move = size * rng.standard_normal(risk.shape), rng.standard_normal(risk.shape)
    assert w.shape == ((D + k + E * k) * k,)
    assert_gradient(risk, lambda w: value_by_force(risk, X, Z, w), w, move, 1e-5, 1e-5)


def test_edges_beyond_the_range_of_exponentials():
    risk, X, Z = made()
    w = np.random.default_rng(2).standard_normal(risk.shape)
    w[(D + 3) * 3] = 4000.0  # only edges that have this feature, some of a sequence
    move, step = np.random.default_rng(3).standard_normal(risk.shape), 1e-5
    value, derivatives = risk.at(risk.scores(w)).tangent()
    assert value == pytest.approx(value_by_force(risk, X, Z, w), rel=1e-12)
    both = [value_by_force(risk, X, Z, w + sign * step * move) for sign in (1, -1)]
    numeric = (both[0] - both[1]) / (2 * step)
    assert risk.gradient(derivatives) @ move == pytest.approx(numeric, rel=1e-4, abs=1e-4)


def test_products_need_transitions_of_a_moderate_span():
    risk, _, _ = made()
    w = np.zeros(risk.shape)
    w[-1] = 4000
    hessian = risk.at(risk.scores(w)).hessian()
    with pytest.raises(ValueError, match="the transitions are too far apart"):
        hessian.product(w)


def test_observed_pairs_have_all_weights_of_edges():
    risk, X, Z = made(kind=ObservedChainRisk)
    rng = np.random.default_rng(4)
    w, move = rng.standard_normal((2, *risk.shape))
    value, derivatives = risk.at(risk.scores(w)).tangent()
    assert value == pytest.approx(value_by_force(risk, X, Z, risk.complete(w)), rel=1e-12)
    step = 1e-6
    both = [risk.total(risk.scores(w + sign * step * move)) for sign in (1, -1)]
    numeric = (both[0] - both[1]) / (2 * step)
    assert risk.gradient(derivatives) @ move == pytest.approx(numeric, rel=1e-6)
    assert risk.diagonal().shape == w.shape
    np.testing.assert_array_equal(risk.chosen(risk.complete(w)), w)
