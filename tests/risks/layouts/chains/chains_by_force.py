"""Help for tests of chains: sums over all labellings, and products with second derivatives."""

import itertools

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import logsumexp

from rrmlinear.data.rows import Rows


class ByForce:
    """All labellings of one sequence with their scores."""

    def __init__(self, nodes, transitions, label=None, distance=0.0):
        length, self.k = nodes.shape
        self.labels = np.array(list(itertools.product(range(self.k), repeat=length)))
        self.scores = nodes[np.arange(length), self.labels].sum(axis=1)
        self.scores += transitions[self.labels[:, :-1], self.labels[:, 1:]].sum(axis=1)
        if label is not None:
            self.scores += distance * (self.labels != label).sum(axis=1)

    def log_sum(self, scale=1.0):
        return logsumexp(scale * self.scores)

    def marginals(self, scale=1.0):
        """Of the positions, and those of the transitions summed over positions."""
        share = np.exp(scale * self.scores - self.log_sum(scale))
        own = np.arange(self.k)
        nodes = np.einsum("y,ytj->tj", share, self.labels[:, :, np.newaxis] == own)
        pairs = np.zeros((self.k, self.k))
        for t in range(1, self.labels.shape[1]):
            np.add.at(pairs, (self.labels[:, t - 1], self.labels[:, t]), share)
        return nodes, pairs


def random_chains(rng, k, size, lengths=(1, 2, 3, 6)):
    """(nodes, transitions, label, starts, costs) with potentials up to ``size``."""
    starts = np.concatenate(([0], np.cumsum(lengths)))
    nodes = rng.uniform(-size, size, (starts[-1], k))
    transitions = rng.uniform(-size, size, (k, k))
    label = rng.integers(0, k, starts[-1]).astype(np.int32)
    return nodes, transitions, label, starts, rng.uniform(0.5, 2, len(lengths))


def rows_of(X, dense, bias):
    """The Rows of a matrix, dense or sparse, and the matrix with the appended column if any."""
    sparse = csr_array(X)
    rows = (
        Rows(X, None, None, X.shape[1], bias)
        if dense
        else Rows(sparse.data, sparse.indices, sparse.indptr, X.shape[1], bias)
    )
    return rows, X if bias < 0 else np.column_stack([X, np.full(len(X), bias)])


def assert_gradient(risk, value, w, move, step, accuracy):
    """The value at weights w is that by force, and the gradient is that of differences of these."""
    at = risk.at(risk.scores(w))
    assert at.value == pytest.approx(value(w), rel=1e-12, abs=1e-12)
    gradient = risk.gradient(at.derivatives)
    slope = (value(w + step * move) - value(w - step * move)) / (2 * step)
    assert gradient @ move == pytest.approx(slope, rel=accuracy, abs=accuracy)
    assert at.derivative_along(risk.scores(move)) == pytest.approx(gradient @ move, abs=1e-10)
