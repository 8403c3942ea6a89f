"""Free intercepts of k scores: the laws of the risk at the best ones, for every loss of classes."""

import numpy as np
import pytest
from members import CLASS_LOSSES
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from rrmlinear import Problem
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.scores import BlockRisk

N, D, K = 90, 4, 5
SMOOTH = [name for name, loss in CLASS_LOSSES.items() if loss.smoothing > 0]
KINKED = [name for name in CLASS_LOSSES if name not in SMOOTH]


def make(name, seed=0, classes=K, searches=40):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, D)) + 1
    y = rng.choice(classes, N, p=np.arange(1, classes + 1) / np.arange(1, classes + 1).sum())
    costs = rng.random(N)
    costs[::7] = 0
    rows = Problem.from_arrays(X, y, bias=2.0).rows
    label, condition = y.astype(np.int32), Intercept(searches)
    risk = BlockRisk(rows, CLASS_LOSSES[name], label, K, costs, condition=condition)
    return risk, costs, label, rng


def value_at(risk, label, scores, b):
    return float(risk.costs.ravel() @ risk.loss.values(scores + b, label))


@pytest.mark.parametrize("size", [0.0, 1.0, 30.0])
@pytest.mark.parametrize("name", CLASS_LOSSES)
def test_value_and_intercepts_are_the_best(name, size):
    risk, costs, label, rng = make(name)
    assert risk.shape == (D, K)
    W = size * rng.standard_normal((D, K))
    scores = risk.scores(W)
    at = risk.at(scores)
    b = at.intercept
    assert at.value == pytest.approx(value_at(risk, label, scores, b), rel=1e-12)
    start = {"method": "Nelder-Mead", "options": {"maxiter": 2000}}
    for spread in (0.0, 0.1, 1.0):
        other = minimize(
            lambda c: value_at(risk, label, scores, c), b + spread * rng.normal(size=K), **start
        )
        assert at.value <= other.fun * (1 + 1e-9)
    duals = -at.derivatives
    weighed = costs[:, np.newaxis] * duals
    assert np.abs(weighed.sum(axis=0)).sum() <= 1e-10 * np.abs(weighed).sum()
    attained = -risk.conjugate(duals) - float(np.vdot(weighed, scores))
    assert attained == pytest.approx(at.value, rel=1e-9)
    assert_allclose(risk.complete(W, at)[-1] * 2.0, b)
    assert risk.conjugate(duals + [[0.1, -0.1, 0, 0, 0]]) == np.inf


@pytest.mark.parametrize("name", CLASS_LOSSES)
def test_a_dual_step_is_no_worse_than_others_that_balance(name):
    risk, costs, _, rng = make(name)
    scores = risk.scores(rng.standard_normal((D, K)))
    before = -risk.at(risk.scores(rng.standard_normal((D, K)))).derivatives
    q = rng.uniform(0.1, 2, N)

    def value(alphas):
        linear = costs[:, np.newaxis] * alphas
        squares = ((alphas - before) ** 2).sum(axis=1)
        return -risk.conjugate(alphas) - np.vdot(linear, scores) - (costs * q) @ squares / 2

    steps, warm = risk.dual_steps(scores, before, q)
    assert np.isfinite(value(steps))
    for t in (1e-3, 0.1, 0.5):
        assert value(steps) >= value((1 - t) * steps + t * before) - 1e-9
    again, _ = risk.dual_steps(scores, before, q, warm)
    assert_allclose(again, steps, atol=1e-9)


@pytest.mark.parametrize("name", CLASS_LOSSES)
def test_a_class_without_an_example_stays_far_below(name):
    risk, _, label, rng = make(name, classes=3)
    scores = risk.scores(rng.standard_normal((D, K)))
    at = risk.at(scores)
    assert at.intercept[3:].max() < at.intercept[:3].min() - 100
    assert np.isfinite(risk.conjugate(-at.derivatives))
    assert at.value <= value_at(risk, label, scores, np.zeros(K))


def test_an_intercept_takes_examples_with_a_cost():
    rows = Problem.from_arrays(np.eye(3), np.arange(3), bias=1.0).rows
    label = np.arange(3, dtype=np.int32)
    loss = CLASS_LOSSES["softmax"]
    with pytest.raises(ValueError, match="no example has a cost above 0"):
        BlockRisk(rows, loss, label, 3, np.zeros(3), condition=Intercept())


@pytest.mark.parametrize("name", KINKED)
def test_duals_balance_beyond_the_rounding_of_intercepts(name):
    # The first class's share of the duals is 1e-8: rounding of b, times its cost, shows in sums.
    label = np.repeat(np.arange(3, dtype=np.int32), [17, 16, 17])
    rows = Problem.from_arrays(np.ones((50, 1)), label, bias=1.0).rows
    costs = np.where(label == 0, 1000.0, 1e-4)
    condition = Intercept(40)
    risk = BlockRisk(rows, CLASS_LOSSES[name], label, 3, costs, condition=condition)
    at = risk.at(np.zeros((50, 3)))
    weighed = costs[:, np.newaxis] * at.derivatives
    assert np.abs(weighed.sum(axis=0)).sum() <= 1e-10 * np.abs(weighed).sum()
    assert -risk.conjugate(-at.derivatives) == pytest.approx(at.value, rel=1e-9)
    assert at.value == pytest.approx(
        costs @ risk.loss.values(0 + at.intercept * np.ones((50, 1)), label)
    )
