"""Sums over labellings against all labellings of short sequences."""

import itertools

import numpy as np
import pytest

from rrmlinear.risks.layouts.chains._chain_sums import ChainSums
from rrmlinear.risks.layouts.chains._transitions import Transitions
from tests.risks.layouts.chains.chains_by_force import ByForce, random_chains

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
