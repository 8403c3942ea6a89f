"""Derivatives along a line: all examples, or those alone whose derivatives still change."""

import numpy as np
import pytest
from members import CLASS_LOSSES

from rrmlinear import Problem
from rrmlinear.risks.block import BlockRisk
from rrmlinear.risks.block_evaluation import BlockLine
from rrmlinear.risks.line import Line


def evaluation(name, n=80, d=5, k=4):
    rng = np.random.default_rng(0)
    X, label = rng.standard_normal((n, d)), rng.integers(0, k, n).astype(np.int32)
    rows = Problem.from_arrays(X, label.astype(float)).rows
    risk = BlockRisk(rows, CLASS_LOSSES[name], label, k, np.linspace(0, 3, n))
    if not risk.loss.smoothing > 0:
        risk = risk.smoothed(0.2)
    scores = 3 * rng.standard_normal((n, k))
    return risk, risk.at(scores), rng.standard_normal((n, k))


@pytest.mark.parametrize("name", CLASS_LOSSES)
def test_a_search_reads_few_examples_and_finds_the_same_derivatives(name):
    risk, at, moves = evaluation(name)
    line, whole = at.line(moves), Line(at, moves)
    assert isinstance(line, BlockLine)
    for t in (0.0, 1.0, 2.0, 0.5, 0.25, 1.5, 0.3, 0.28, 0.2801):
        expected = whole.derivative(t)
        assert line.derivative(t) == pytest.approx(expected, rel=1e-7, abs=1e-7)
        rates = (risk.costs * risk.at(at.scores + t * moves).derivatives * moves).sum(axis=1)
        np.testing.assert_allclose(line.rates[t], rates, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", CLASS_LOSSES)
def test_the_evaluation_at_any_place_is_that_of_its_scores(name):
    risk, at, moves = evaluation(name)
    line = at.line(moves)
    for t in (1.0, 2.0, 1.2):
        line.derivative(t)
        found, expected = line.at(t), risk.at(at.scores + t * moves)
        np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-15, atol=1e-14)
        np.testing.assert_allclose(found.derivatives, expected.derivatives, rtol=1e-9, atol=1e-12)
    assert line.at(2.0).value == pytest.approx(risk.at(at.scores + 2 * moves).value, rel=1e-12)


def test_examples_whose_derivatives_are_equal_at_both_ends_are_left_out():
    risk, at, moves = evaluation("weston-watkins")
    line = at.line(moves)
    line.derivative(1e-3)
    read = []

    class Counting:
        def rates(self, scores, moves, x, some, rates):
            read.append(len(some))
            risk.terms.rates(scores, moves, x, some, rates)

    at.terms = Counting()
    line.derivative(5e-4)
    assert 0 < read[0] < len(moves)
