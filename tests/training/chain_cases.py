"""Small sequences to train on, and the objective of chains by all labellings."""

import numpy as np

from rrmlinear.data.sequences import SequenceProblem
from tests.risks.layouts.chains.chains_by_force import ByForce

LENGTHS = [3, 1, 4, 2, 1, 4, 3, 2]
D, K = 4, 3


def made(seed=0, lengths=LENGTHS, weights=None, bias=-1.0, names=(2, 5, 9)):
    chance = np.random.default_rng(seed)
    X = [chance.normal(size=(n, D)) for n in lengths]
    W = chance.normal(size=(D, K))
    y = [np.array(names)[(part @ W).argmax(axis=1)] for part in X]
    return X, y, SequenceProblem.from_lists(X, y, weights, labels=names, bias=bias)


def objective(w, X, y, costs, loss, names=(2, 5, 9)):
    """½‖w‖² + Σ c_s φ_s."""
    d = X[0].shape[1]
    W, T = w[: d * K].reshape(d, K), w[d * K :].reshape(K, K)
    value = w @ w / 2
    for part, true, cost in zip(X, y, costs, strict=True):
        truth = np.searchsorted(names, true)
        labellings = ByForce(part @ W, T)
        own = labellings.scores[(labellings.labels == truth).all(axis=1)].item()
        if loss == "crf":
            value += cost * (labellings.log_sum() - own)
        else:
            value += cost * (ByForce(part @ W, T, truth, 1.0).scores.max() - own)
    return value
