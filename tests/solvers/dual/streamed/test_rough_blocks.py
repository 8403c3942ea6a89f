"""Proofs of ascents on several scores that visit rows in 16 bits."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Parameter, fit
from rrmlinear.losses.weston_watkins import WestonWatkins
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual.blocks.block_descent import BlockAscent
from rrmlinear.solvers.dual.streamed import rough, rough_blocks

N, D, K = 400, 20, 3


@pytest.fixture
def problem(held_problem):
    return held_problem(2, lambda X, rng: noisy_scores(X, rng).argmax(axis=1).astype(np.float64))


def noisy_scores(X, rng):
    return X @ rng.normal(size=(D, K)) + rng.normal(size=(N, K))


def matrix(problem):
    rows = problem.rows
    return csr_array((rows.values, rows.indices, rows.indptr), shape=rows.shape)


def exact_gap(problem, costs, modulus, weights, duals):
    """P − D of the rows themselves, from the definitions of both."""
    X, label, examples = matrix(problem), problem.labels.astype(int), np.arange(N)
    beta = duals.dense(K)
    beta[examples, label] = 0
    signed = -beta
    signed[examples, label] = beta.sum(axis=1)
    v = X.T @ signed
    scores = X @ weights
    margins = 1 + scores - scores[examples, label][:, None]
    margins[examples, label] = 0
    primal = costs @ np.maximum(0, margins).sum(axis=1) + modulus / 2 * (weights**2).sum()
    return primal - (beta.sum() - (v**2).sum() / (2 * modulus))


@pytest.fixture
def ascent_on_rough_rows(problem, start_on_rough_rows):
    def made(coarser):
        blocks = problem.container.blocks(2000, 2, 1, evicts=True)
        rows, costs = problem.rows.streamed(blocks), np.full(N, 0.5)
        label = problem.labels.astype(np.int32)
        ascent = BlockAscent(rows, label, K, costs, WestonWatkins(), L2(2.0))
        return start_on_rough_rows(ascent, coarser), costs

    return made


@pytest.mark.parametrize("coarser", [1, 300])
def test_proofs_and_bounds_hold_for_the_rows_themselves(problem, ascent_on_rough_rows, coarser):
    """With values of 16 bits, and of 8: errors that move the gap."""
    ascent, costs = ascent_on_rough_rows(coarser)
    assert ascent.exact is not None
    for number in range(1, 4):
        ascent.run_pass(number)
        ascent.losses()
        gap = exact_gap(problem, costs, 2.0, ascent.present_weights(), ascent.present_duals())
        bound = ascent.rough._bound(ascent, ascent.measured_vector / 2.0)
        assert abs(gap - ascent.gap_sum) <= bound * (1 + 1e-9)
        ascent.measure()
        primal, dual = ascent.certificate.measure()
        weights, duals = ascent.present_weights(), ascent.present_duals()
        gap = exact_gap(problem, costs, 2.0, weights, duals)
        assert np.isclose(gap, primal - dual, rtol=1e-9)
        assert ascent.rough.readings == number


def test_a_gap_above_its_target_is_bounded_without_a_reading(problem, ascent_on_rough_rows):
    ascent, costs = ascent_on_rough_rows(1)
    ascent.run_pass(1)
    ascent.shrinking.turns = ascent.shrinking.all.__class__(
        ascent.rows.blocks, ascent.state.gaps, ascent.state.wakes, 0
    )
    ascent.shrinking.outside = np.zeros(N, bool)
    ascent.target = 1e-9
    ascent.measure()
    primal, dual = ascent.certificate.measure()
    gap = exact_gap(problem, costs, 2.0, ascent.present_weights(), ascent.present_duals())
    assert ascent.rough.readings == 0
    assert ascent.unproved > 0
    assert gap <= primal - dual <= gap + 3 * ascent.unproved


@pytest.mark.parametrize("most", [rough.MOST_MISSED, 0])
def test_the_gap_of_a_fit_is_that_of_the_rows_themselves(problem, monkeypatch, most):
    made = []
    begin = rough_blocks.RoughBlocks.__init__

    def noted(self, errors):
        made.append(self)
        begin(self, errors)

    monkeypatch.setattr(rough_blocks.RoughBlocks, "__init__", noted)
    monkeypatch.setattr(rough, "MOST_MISSED", most)
    memory = problem.container.header.file_size // 4
    result = fit(problem, Parameter(solver=30, gap_tol=1e-3, memory=memory)).result
    assert result.solved
    assert len(made) == 1
    assert ("passes read the examples themselves" in " ".join(result.notes)) == (most == 0)
    weights = result.weights.reshape(D, K)
    gap = exact_gap(problem, np.ones(N), 1.0, weights, result.duals)
    assert np.isclose(gap, result.primal - result.dual, rtol=1e-6)
