"""Risks of labelled graphs: against chains, numerically, and trained to one optimum."""

import itertools

import numpy as np
import pytest

from rrmlinear.data.rows import Rows
from rrmlinear.risks.layouts.chains.chain_loss import LOG_LOSS, STRUCTURED_HINGE
from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk
from rrmlinear.risks.layouts.graphs.cliques import Cliques
from rrmlinear.risks.layouts.graphs.graph_risk import GraphRisk

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
