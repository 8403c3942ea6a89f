"""The mean of the weights of many passes: its certificate, and when it is measured."""

import numpy as np
import pytest
from members import SCALAR_LOSSES as LOSSES
from members import scalar_problem

from rrmlinear import Problem
from rrmlinear.losses.multiclass import CrammerSinger
from rrmlinear.losses.weston_watkins import WestonWatkins
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual import mean_weights
from rrmlinear.solvers.dual.accelerated import Accelerated
from rrmlinear.solvers.dual.blocks.block_descent import BlockAscent
from rrmlinear.solvers.dual.mean_weights import DECAY, MeanWeights
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.loop.stopping import Stopping

KINKS = {"weston-watkins": WestonWatkins(), "crammer-singer": CrammerSinger()}
ONE_SCORE = [name for name, loss in LOSSES.items() if loss.smoothing == 0]


def blocks(n=60, d=8, k=4):
    rng = np.random.default_rng(3)
    X, label = rng.normal(size=(n, d)), rng.integers(k, size=n).astype(np.int32)
    return X, label, k


def block_ascent(X, label, k, loss, cost):
    rows, costs = Problem.from_arrays(X, label).rows, np.full(len(X), cost)
    return lambda omega: BlockAscent(rows, label, k, costs, loss, omega)


def scalar_ascent(name, cost):
    problem, X, y = scalar_problem(name)
    costs = np.full(problem.n_examples, cost)
    return X, y, lambda omega: ProxSDCA(problem.rows, problem.labels, costs, LOSSES[name], omega)


@pytest.fixture
def measured_at_once(monkeypatch):
    """Means are measured after each look."""
    for name, value in {"FEWEST": 1, "NEAR_GAP": 1e300, "FIRST_GAP": 1e300, "FALL": 1.0}.items():
        monkeypatch.setattr(mean_weights, name, value)
    monkeypatch.setattr(mean_weights, "LARGEST_PART", 1e300)


def test_later_weights_count_more():
    weights = np.random.default_rng(0).normal(size=(30, 5))
    means = MeanWeights()
    for w in weights:
        means.add(w.copy(), 1.0, 1.0)
    # with a whole number DECAY the share of w_i is that of (i + 1) … (i + DECAY)
    shares = np.prod([np.arange(1, 31) + j for j in range(DECAY)], axis=0, dtype=float)
    np.testing.assert_allclose(means.mean, shares @ weights / shares.sum(), rtol=1e-12)


@pytest.mark.parametrize("name", KINKS)
def test_measuring_leaves_an_ascent_on_blocks_as_it_is(name):
    X, label, k = blocks()
    duals = []
    for measures in (False, True):
        ascent = block_ascent(X, label, k, KINKS[name], 5.0)(L2())
        ascent.start()
        for number in range(1, 6):
            ascent.run_pass(number)
            if measures:
                vector = 0.5 * ascent.dual_vector
                losses, weights = ascent.losses_at(vector)
                np.testing.assert_allclose(weights.ravel(), ascent.in_order(vector))
                scores = X @ weights
                assert losses == pytest.approx(5.0 * KINKS[name].values(scores, label).sum())
        duals.append((ascent.present_duals().values, ascent.estimate()))
    np.testing.assert_array_equal(duals[0][0], duals[1][0])
    assert duals[0][1] == duals[1][1]


@pytest.mark.parametrize("name", ONE_SCORE)
def test_measuring_leaves_an_ascent_on_one_score_as_it_is(name):
    duals = []
    for measures in (False, True):
        X, y, make = scalar_ascent(name, 5.0)
        ascent = make(L2())
        ascent.start()
        for number in range(1, 6):
            ascent.run_pass(number)
            if measures:
                losses, weights = ascent.losses_at(0.5 * ascent.dual_vector)
                assert losses == pytest.approx(5.0 * LOSSES[name].values(y, X @ weights).sum())
        duals.append((ascent.present_duals(), ascent.estimate()))
    np.testing.assert_array_equal(duals[0][0], duals[1][0])
    assert duals[0][1] == duals[1][1]


@pytest.mark.parametrize("name", KINKS)
def test_the_certificate_of_a_mean_is_that_of_its_weights(name, measured_at_once):
    X, label, k = blocks()
    solver = Accelerated(block_ascent(X, label, k, KINKS[name], 50.0), L2())
    result = solver.solve(Stopping(gap_tol=1e-6))
    w = result.weights
    primal = 50.0 * KINKS[name].values(X @ w, label).sum() + 0.5 * (w**2).sum()
    assert result.solved
    assert solver.points.weights.measurements > 0
    assert result.primal == pytest.approx(primal, rel=1e-10)
    assert result.primal <= solver.points.weights.primal * (1 + 1e-12)


@pytest.mark.parametrize("name", ONE_SCORE)
def test_the_same_with_one_score(name, measured_at_once):
    X, y, make = scalar_ascent(name, 50.0)
    solver = Accelerated(make, L2())
    result = solver.solve(Stopping(gap_tol=1e-6, max_passes=20_000))
    w = result.weights.reshape(-1)
    primal = 50.0 * LOSSES[name].values(y, X @ w).sum() + 0.5 * (w**2).sum()
    assert result.solved
    assert result.primal == pytest.approx(primal, rel=1e-10)
    assert result.primal <= solver.points.weights.primal * (1 + 1e-12)
