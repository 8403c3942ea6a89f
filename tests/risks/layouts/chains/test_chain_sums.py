"""Sums over labellings against all labellings of short sequences."""

import itertools

import numpy as np
import pytest

from rrmlinear.risks.layouts.chains._chain_sums import ChainSums, best_labellings
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


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("distance", [0.0, 1.0])
def test_the_best_labelling_is_the_best_of_all(k, size, distance):
    rng = np.random.default_rng(10 + k)
    nodes, transitions, label, starts, costs = random_chains(rng, k, size)
    sums = ChainSums(label, starts, k, costs, distance)
    m, out, labels = len(costs), np.empty(len(costs)), np.empty(len(label), dtype=np.int32)
    sums.best(nodes, Transitions(transitions, best=True), 0, m, out, labels)
    known = forces(nodes, transitions, label, starts, distance)
    np.testing.assert_allclose(out, [f.scores.max() for f in known], rtol=1e-14, atol=1e-12)
    plain = np.empty(m)
    sums.scores_of(nodes, Transitions(transitions), labels, 0, m, plain)
    away = np.add.reduceat(labels != label, starts[:-1])
    np.testing.assert_allclose(plain + distance * away, out, rtol=1e-13, atol=1e-12)


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


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize("length", [1, 2, 5])
def test_the_best_labellings_are_the_first_of_all_in_order(k, length):
    rng = np.random.default_rng(k)
    nodes, transitions, *_ = random_chains(rng, k, 5.0, (length,))
    force = ByForce(nodes, transitions)
    order = np.argsort(-force.scores, kind="stable")
    for most in (1, 3, 50):
        scores, labels = best_labellings(nodes, transitions[np.newaxis], most)
        assert len(scores) == min(most, k**length)
        np.testing.assert_allclose(scores, force.scores[order[: len(scores)]], rtol=1e-13)
        np.testing.assert_array_equal(labels, force.labels[order[: len(scores)]])


def test_equal_labels_give_the_first_labelling():
    sums = ChainSums(np.zeros(3, dtype=np.int32), np.array([0, 3]), 5, np.ones(1))
    labels, out = np.empty(3, dtype=np.int32), np.empty(1)
    sums.best(np.zeros((3, 5)), Transitions(np.zeros((5, 5)), best=True), 0, 1, out, labels)
    np.testing.assert_array_equal(labels, 0)
    assert out[0] == 0
