"""Risks of labelled graphs: against chains, numerically, and trained to one optimum."""

import numpy as np
import pytest

from rrmlinear.data.rows import Rows
from rrmlinear.risks.layouts.chains.chain_loss import LOG_LOSS, STRUCTURED_HINGE
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
