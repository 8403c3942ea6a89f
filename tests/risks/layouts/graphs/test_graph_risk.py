"""Risks of labelled graphs: against chains, numerically, and trained to one optimum."""

import itertools

import numpy as np
import pytest

from rrmlinear.data.rows import Rows
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.layouts.chains.chain_loss import LOG_LOSS, STRUCTURED_HINGE
from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk
from rrmlinear.risks.layouts.graphs.cliques import Cliques
from rrmlinear.risks.layouts.graphs.graph_risk import GraphRisk
from rrmlinear.solvers.bundle.bmrm import BMRM
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.second_order.descent.lbfgs import LBFGS

LOSSES = {"log": LOG_LOSS, "hinge": STRUCTURED_HINGE, "smoothed": STRUCTURED_HINGE.smoothed(0.4)}
TREE = [(1, 0), (1, 2), (3, 1)]
TRIANGLES = [(0, 1, 2), (2, 1, 3), (3, 4)]


def graph_risk(graphs, lengths, k=3, d=4, loss=LOG_LOSS, seed=0, threads=1, C=0.7):
    rng = np.random.default_rng(seed)
    starts = np.concatenate(([0], np.cumsum(lengths)))
    X = rng.normal(size=(starts[-1], d))
    label = rng.integers(0, k, starts[-1]).astype(np.int32)
    costs = C * rng.uniform(0.5, 2, len(lengths))
    rows = Rows(X, None, None, d)
    return GraphRisk(rows, label, Cliques(graphs, starts, k), costs, threads, loss)


def mixed(**choices):
    return graph_risk([TREE, TRIANGLES, [], TREE, TRIANGLES] * 3, [4, 5, 1, 4, 5] * 3, **choices)


@pytest.mark.parametrize("name", LOSSES)
def test_chains_are_chain_risks(name):
    lengths = [1, 2, 5, 9]
    graphs = [list(itertools.pairwise(range(n))) for n in lengths]
    risk = graph_risk(graphs, lengths, loss=LOSSES[name])
    data = (risk.rows, risk.label, risk.starts, risk.k, risk.sequence_costs)
    chains = ChainRisk(*data, loss=LOSSES[name])
    assert risk.shape == chains.shape
    w = np.random.default_rng(1).normal(size=risk.shape)
    scores = risk.scores(w)
    assert (scores == chains.scores(w)).all()
    ours, known = risk.at(scores), chains.at(scores)
    assert ours.value == pytest.approx(known.value, rel=1e-13)
    assert ours.derivatives == pytest.approx(known.derivatives, abs=1e-12)
    assert risk.gradient(ours.derivatives) == pytest.approx(chains.gradient(known.derivatives))
    assert risk.room == chains.room


@pytest.mark.parametrize("name", ["log", "smoothed"])
def test_gradients_numerically(name):
    risk = mixed(loss=LOSSES[name])
    rng = np.random.default_rng(2)
    w, step = rng.normal(size=(2, *risk.shape))
    gradient = risk.gradient(risk.at(risk.scores(w)).derivatives)
    F = [risk.at(risk.scores(w + x * step)).value for x in (1e-5, -1e-5)]
    assert gradient @ step == pytest.approx((F[0] - F[1]) / 2e-5, rel=1e-7)


@pytest.mark.parametrize("name", LOSSES)
def test_fenchel_and_young(name):
    risk = mixed(loss=LOSSES[name])
    rng = np.random.default_rng(3)
    scores, other = (risk.scores(w) for w in rng.normal(size=(2, *risk.shape)))
    at, there = risk.at(scores), risk.at(other)
    u = at.derivatives
    assert scores[:-1] @ u[:-1] - risk.conjugate(-u) == pytest.approx(at.value)
    mean = (u + there.derivatives) / 2
    for s, value in ((scores, at.value), (other, there.value)):
        assert value >= s[:-1] @ mean[:-1] - risk.conjugate(-mean) - 1e-12
    # duals of a smoothed hinge are duals of the hinge
    if name == "smoothed":
        plain = risk.of_loss(STRUCTURED_HINGE)
        assert plain.at(scores).value >= scores[:-1] @ u[:-1] - plain.conjugate(-u) - 1e-12


def test_threads_give_the_same_derivatives():
    graphs, lengths = [TREE, TRIANGLES] * 300, [4, 5] * 300
    for loss in LOSSES.values():
        runs = []
        for threads in (1, 2):
            risk = graph_risk(graphs, lengths, d=60, k=3, loss=loss, threads=threads)
            assert risk.parts.threads == threads
            w = np.random.default_rng(4).normal(size=risk.shape)
            runs.append(risk.at(risk.scores(w)).tangent())
        assert runs[0][0] == pytest.approx(runs[1][0], rel=1e-13)
        assert runs[0][1] == pytest.approx(runs[1][1], abs=1e-9)


def test_marginals_and_labels():
    risk = mixed()
    w = np.random.default_rng(5).normal(size=risk.shape)
    marginals, logs = risk.marginals(w)
    assert marginals.sum(axis=1) == pytest.approx(1)
    truth = risk.truth @ risk.scores(w)
    expected = risk.sequence_costs @ logs - truth
    assert risk.at(risk.scores(w)).value == pytest.approx(expected)
    sharp, _ = risk.marginals(200 * w)
    assert (sharp.argmax(axis=1) == risk.labels(w)).all()


def test_lbfgs_trains_it():
    risk = mixed()
    stopping = Stopping(gap_tol=1e-7)
    result = LBFGS(risk, L2()).solve(stopping)
    assert result.solved
    assert result.primal == pytest.approx(BMRM(risk, L2()).solve(stopping).primal, rel=2e-7)


@pytest.mark.parametrize("name", LOSSES)
def test_bundles_train_it(name):
    risk = mixed(loss=LOSSES[name])
    result = BMRM(risk, L2()).solve(Stopping(gap_tol=1e-6))
    assert result.solved
    w = result.weights
    gradient = w + risk.gradient(risk.at(risk.scores(w)).derivatives)
    if name != "hinge":
        assert np.abs(gradient).max() < 2e-2 * np.abs(w).max()
    F = risk.at(risk.scores(w)).value
    assert result.primal == pytest.approx(w @ w / 2 + F)
    v = risk.gradient(result.duals)
    assert result.dual == pytest.approx(-risk.conjugate(result.duals) - v @ v / 2)


def test_a_tree_of_labels_is_learned():
    # neighbours always differ: only the tables can tell the leaves' labels from the root's
    m, rng = 60, np.random.default_rng(6)
    X, y = np.zeros((4 * m, 2)), np.zeros(4 * m, dtype=np.int32)
    root = rng.integers(0, 2, m)
    X[1::4, 0] = 2 * root - 1
    for node in range(4):
        y[node::4] = root if node == 1 else 1 - root
    cliques = Cliques([TREE] * m, np.arange(m + 1) * 4, 2)
    risk = GraphRisk(Rows(X, None, None, 2), y, cliques, np.ones(m), loss=STRUCTURED_HINGE)
    result = BMRM(risk, L2()).solve(Stopping(gap_tol=1e-4))
    assert (risk.labels(result.weights) == y).all()
