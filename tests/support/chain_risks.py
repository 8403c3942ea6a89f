"""Risks of sequences."""

import numpy as np
from scipy.sparse import csr_array

from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.risks.layouts.chains.chain_loss import LOG_LOSS
from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk


def made(loss=LOG_LOSS, k=3, m=14, d=6, most=5, C=0.5, bias=-1.0, costs=None, sparse=False, seed=0):
    """A risk of short sequences whose labels follow from their rows and neighbours."""
    rng = np.random.default_rng(seed)
    centres = 1.5 * rng.normal(size=(k, d))
    X, y = [], []
    for s in range(m):
        label = [rng.integers(k)]
        for _ in range(s % most):
            label.append((label[-1] + rng.integers(2)) % k)
        y.append(np.array(label))
        X.append(centres[label] + rng.normal(size=(len(label), d)))
        if sparse:
            X[-1][rng.random(X[-1].shape) < 0.5] = 0
            X[-1] = csr_array(X[-1])
    p = SequenceProblem.from_lists(X, y, labels=np.arange(k), bias=bias)
    each = np.full(m, C) if costs is None else C * np.asarray(costs, dtype=float)
    return ChainRisk(p.rows, p.label, p.starts, k, each, loss=loss)
