"""The Weston–Watkins loss through the one door it has: the state of the descent."""

import numpy as np
import pytest

from rrmlinear.data.rows import Rows
from rrmlinear.losses.multiclass import WestonWatkins, WestonWatkinsShark, WestonWatkinsWalrus
from rrmlinear.projections.class_blocks import weston_watkins_block
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual.blocks._block_descent import BlockDescent

LOSSES = {"knapsack": WestonWatkins, "walrus": WestonWatkinsWalrus, "shark": WestonWatkinsShark}


class Case:
    """Examples with dense duals of any value within their bounds, and the state they make."""

    def __init__(self, loss, n, d, k, seed, costs=None):
        rng = np.random.default_rng(seed)
        self.n, self.k = n, k
        self.X = rng.normal(size=(n, d))
        self.label = rng.integers(0, k, n).astype(np.int32)
        self.costs = rng.exponential(size=n) if costs is None else costs
        inside = rng.random((n, k)) * rng.integers(0, 2, (n, k))
        self.duals = np.minimum(1.0, inside * rng.choice([1.0, 3.0], (n, k))) * self.costs[:, None]
        self.duals[np.arange(n), self.label] = 0.0
        self.curvature = (self.X**2).sum(axis=1)
        rows = Rows(self.X, None, None, d)
        self.state = BlockDescent(rows, loss, L2(), self.label, k, self.costs, self.curvature, 1)
        at = self.duals > 0
        indptr = np.concatenate([[0], np.cumsum(at.sum(axis=1))]).astype(np.int64)
        self.state.start_from(indptr, np.nonzero(at)[1].astype(np.int32), self.duals[at])

    @property
    def weights(self):
        return self.state.weights[:, : self.k]

    def margins(self):
        scores = self.X @ self.weights
        margins = 1 + scores - scores[np.arange(self.n), self.label][:, None]
        margins[np.arange(self.n), self.label] = -1.0  # no loss, no dual
        return margins

    def visit(self, i):
        order = np.array([i], dtype=np.int64)
        self.state.begin_pass(1, 0, False, 0.0)
        self.state.sweep(order, 0, 1, 1, False, 0.0, 0.0, 1, 0)
        indptr, classes, values = self.state.duals.arrays()
        block = np.zeros(self.k)
        block[classes[indptr[i] : indptr[i + 1]]] = values[indptr[i] : indptr[i + 1]]
        return block


SIZES = [2, 3, 4, 5, 8, 9, 26, 40, 150]


@pytest.mark.parametrize("k", SIZES)
def test_value_and_gap_are_those_of_the_formula(k):
    case = Case(WestonWatkins(), 30, 7, k, seed=k)
    hinge = np.maximum(case.margins(), 0).sum(axis=1)
    assert case.state.measure(0, 30, 0) == pytest.approx(case.costs @ hinge, rel=1e-13)
    np.testing.assert_allclose(case.state.conjugates, -case.duals.sum(axis=1), rtol=1e-13)
    # Fenchel–Young: c φ(m) + (c φ)*(−b) − Σ b_j (m_j − 1) ≥ 0, with (c φ)*(−b) = −Σ b
    linear = np.where(case.duals > 0, case.duals * (case.margins() - 1), 0.0).sum(axis=1)
    gaps = case.costs * hinge - case.duals.sum(axis=1) - linear
    np.testing.assert_allclose(case.state.gaps, gaps, rtol=1e-12, atol=1e-12 * gaps.max())
    assert case.state.gaps.min() >= 0


@pytest.mark.parametrize("block", LOSSES)
@pytest.mark.parametrize("k", SIZES)
def test_a_visit_takes_the_best_block(block, k):
    for seed in range(6):
        case = Case(LOSSES[block](), 12, 6, k, seed)
        i = seed % 12
        q, upper, old = case.curvature[i], case.costs[i], case.duals[i]
        v = case.margins()[i] / q + old + old.sum()
        v[case.label[i]] = -1e9
        found = case.visit(i)
        # g_j = v_j − b_j − Σb is the dual's slope over q, which Shark leaves below 1e-6 / q
        slack = (
            1e-6 / q * np.sqrt(k)
            if block == "shark"
            else 1e-12 * max(np.abs(v[v > -1e8]).max(), upper)
        )
        np.testing.assert_allclose(found, weston_watkins_block(v, upper), atol=slack)
        assert found[case.label[i]] == 0


@pytest.mark.parametrize("block", LOSSES)
def test_what_a_visit_says_of_the_dual_is_so(block):
    case = Case(LOSSES[block](), 15, 5, 11, seed=9)
    before = case.state.conjugate_of_regularizer()
    case.visit(4)
    after, (rise, moved) = case.state.conjugate_of_regularizer(), case.state.since_begin()
    assert moved == 1
    assert case.state.conjugates.sum() == pytest.approx(
        -case.state.duals.arrays()[2].sum(), rel=1e-13
    )
    assert rise == pytest.approx(after - before, rel=1e-11)


def test_a_zero_row_has_no_gap_only_at_its_bound():
    case = Case(WestonWatkins(), 5, 3, 4, seed=1)
    case.X[:] = 0.0
    case.state.measure(0, 5, 0)
    expected = (case.costs[:, None] - case.duals).sum(axis=1) - case.costs
    np.testing.assert_allclose(case.state.gaps, expected, rtol=1e-12, atol=1e-12)


def test_block_solvers_are_the_same_loss():
    measured = {Case(loss(), 9, 4, 5, seed=2).state.measure(0, 9, 0) for loss in LOSSES.values()}
    assert len(measured) == 1
    assert {loss().cost for loss in LOSSES.values()} == {1.0}
