"""Chains with features of edges: values, derivatives and inference against all labellings."""

import itertools

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import logsumexp

from rrmlinear.data.rows import Rows
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.layouts.chains.chain_loss import LOG_LOSS, STRUCTURED_HINGE
from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk
from rrmlinear.risks.layouts.chains.edge_marginals import EdgeMarginalsRisk
from rrmlinear.risks.layouts.chains.observed_pairs import ObservedChainRisk
from rrmlinear.solvers.bundle.bmrm import BMRM
from rrmlinear.solvers.dual.sequences.frank_wolfe import BlockFrankWolfe
from rrmlinear.solvers.dual.sequences.marginals import SequenceMarginals
from rrmlinear.solvers.gradient.agm import AGM
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.second_order.descent.lbfgs import LBFGS
from rrmlinear.solvers.second_order.descent.newton_cg import NewtonCG
from tests.risks.layouts.chains.chains_by_force import assert_product

D, E = 4, 5
LOSSES = {
    "crf": LOG_LOSS,
    "m3n": STRUCTURED_HINGE,
    "smoothed m3n": STRUCTURED_HINGE.smoothed(0.3),
}


def rows_of(X, dense):
    if dense:
        return Rows(np.ascontiguousarray(X), None, None, X.shape[1])
    sparse = csr_array(X)
    return Rows(sparse.data, sparse.indices, sparse.indptr, X.shape[1])


def made(k=3, loss=LOG_LOSS, threads=1, dense=False, lengths=(1, 4, 2, 5), kind=ChainRisk):
    """(risk, features of positions and of edges)."""
    rng = np.random.default_rng(k)
    starts = np.concatenate(([0], np.cumsum(lengths)))
    n, m = starts[-1], len(lengths)
    X = rng.standard_normal((n, D)) * (rng.random((n, D)) < 0.8)
    Z = rng.standard_normal((n - m, E)) * (rng.random((n - m, E)) < 0.6)
    label = rng.integers(0, k, n).astype(np.int32)
    costs = rng.uniform(0.5, 2, m)
    data = (rows_of(X, dense), label, starts, k, costs, threads, loss)
    return kind(*data, edges=rows_of(Z, dense)), X, Z


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
    at = risk.at(risk.scores(w))
    assert at.value == pytest.approx(value_by_force(risk, X, Z, w), rel=1e-12, abs=1e-12)
    gradient, step = risk.gradient(at.derivatives), 1e-5
    both = [value_by_force(risk, X, Z, w + sign * step * move) for sign in (1, -1)]
    assert gradient @ move == pytest.approx((both[0] - both[1]) / (2 * step), rel=1e-5, abs=1e-5)
    assert at.derivative_along(risk.scores(move)) == pytest.approx(gradient @ move, abs=1e-10)


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


@pytest.mark.parametrize("name", ["crf", "smoothed m3n"])
@pytest.mark.parametrize("k", [1, 3, 9])
@pytest.mark.parametrize("threads", [1, 2])
def test_products_with_the_second_derivative(name, k, threads):
    risk, _, _ = made(k, LOSSES[name], threads)
    assert_product(risk, 9, tolerance=1e-6)


def test_products_need_transitions_of_a_moderate_span():
    risk, _, _ = made()
    w = np.zeros(risk.shape)
    w[-1] = 4000
    hessian = risk.at(risk.scores(w)).hessian()
    with pytest.raises(ValueError, match="the transitions are too far apart"):
        hessian.product(w)


@pytest.mark.parametrize("name", LOSSES)
def test_solvers_agree(name):
    risk, _, _ = made(loss=LOSSES[name])
    kinked = name == "m3n"
    makers = {
        "Frank-Wolfe": BlockFrankWolfe,
        "bundle": BMRM,
        "L-BFGS": LBFGS,
        "Newton": NewtonCG,
        "marginals": SequenceMarginals,
    }
    chosen = ("Frank-Wolfe", "bundle") if kinked else ("bundle", "L-BFGS", "Newton", "marginals")
    found = {}
    for each in chosen:
        result = makers[each](risk, L2(2.0)).solve(Stopping(gap_tol=1e-7, max_passes=5000))
        assert result.solved, each
        assert result.dual <= result.primal
        assert np.abs(result.weights[-E * risk.k**2 :]).max() > 1e-3
        w = result.weights
        assert result.primal == pytest.approx(w @ w + risk.total(risk.scores(w)), rel=1e-12)
        found[each] = result.primal
    assert max(found.values()) <= min(found.values()) * (1 + 2e-7)
    if not kinked:
        result = AGM(risk, L2(2.0)).solve(Stopping(gap_tol=1e-4, max_passes=2000))
        assert result.primal == pytest.approx(min(found.values()), rel=2e-4)


def test_features_of_zero_change_nothing():
    risk, _, _ = made()
    none = Rows(np.zeros(0), np.zeros(0, np.int32), np.zeros(risk.edges.shape[0] + 1, np.int64), 2)
    data = (risk.rows, risk.label, risk.starts, 3, risk.sequence_costs)
    plain = LBFGS(ChainRisk(*data), L2()).solve(Stopping(gap_tol=1e-7))
    edged = LBFGS(ChainRisk(*data, edges=none), L2()).solve(Stopping(gap_tol=1e-7))
    np.testing.assert_allclose(edged.weights[: plain.weights.size], plain.weights, atol=1e-6)
    assert (edged.weights[plain.weights.size :] == 0).all()


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


def test_the_form_over_marginals_of_edges():
    chain, _, _ = made(loss=STRUCTURED_HINGE)
    risk = EdgeMarginalsRisk(chain)
    rng = np.random.default_rng(5)
    w, u = rng.standard_normal(chain.shape), rng.standard_normal(risk.n_scores)
    value = chain.at(chain.scores(w)).value
    assert risk.at(risk.scores(w)).value == pytest.approx(value, rel=1e-12)
    assert risk.gradient(u) @ w == pytest.approx((risk.costs * u) @ risk.scores(w), rel=1e-12)


def test_threads_give_about_the_same():
    lengths = tuple(np.random.default_rng(6).integers(1, 30, 1000))
    found = []
    for threads in (1, 2):
        risk, _, _ = made(9, threads=threads, lengths=lengths)
        assert len(risk.parts.cuts) == threads + 1
        w = np.random.default_rng(7).standard_normal(risk.shape) / 5
        value, derivatives = risk.at(risk.scores(w)).tangent()
        found.append((value, risk.gradient(derivatives)))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-13)
    np.testing.assert_allclose(found[0][1], found[1][1], atol=1e-9)
