"""Free intercepts of k scores: the laws of the risk at the best ones, for every loss of classes."""

import numpy as np
import pytest
from members import CLASS_LOSSES
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.risks.block import BlockRisk
from rrmlinear.risks.conditions.intercept import Intercept

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


@pytest.mark.parametrize("name", KINKED)
def test_few_searches_give_an_upper_bound(name):
    risk, _, label, rng = make(name)
    rough = make(name, searches=0)[0]
    scores = risk.scores(rng.standard_normal((D, K)))
    near = rough.condition.search_from(rng.standard_normal(K), None)
    at = rough.at(scores, near)
    assert at.value == pytest.approx(value_at(risk, label, scores, near.b), rel=1e-12)
    assert at.value >= risk.at(scores).value


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


@pytest.mark.parametrize("smoothing", [0.0, 0.4])
@pytest.mark.parametrize("name", CLASS_LOSSES)
def test_the_second_derivative_is_that_of_the_gradient(name, smoothing):
    if (smoothing > 0) == (name in SMOOTH):
        pytest.skip("a smooth loss without a smoothing, a kinked one with it")
    risk, *_, rng = make(name)
    risk = risk.smoothed(smoothing) if smoothing else risk
    W, P = rng.standard_normal((2, D, K))
    hessian = risk.at(risk.scores(W)).hessian()

    def gradient(t):
        return risk.gradient(risk.at(risk.scores(W + t * P)).derivatives)

    expected = (gradient(1e-6) - gradient(-1e-6)).ravel() / 2e-6
    product = hessian.product(P.ravel())
    if name in ("softmax", "soft-max-of-hinge"):  # others are smooth almost everywhere
        assert_allclose(product, expected, atol=1e-5 * np.abs(expected).max())
    assert_allclose(hessian.matrix() @ P.ravel(), product, atol=1e-9)
    assert_allclose(hessian.adjoint(hessian.times(P.ravel())), product, atol=1e-9)
    g = rng.random(D * K)
    units = np.array([hessian.adjoint(unit) for unit in np.eye(hessian.size)])
    assert_allclose(hessian.gram(g), (units * g) @ units.T, atol=1e-9)
    for count in (2, hessian.size + 1):  # by columns, and by rows of the factor
        columns = csr_array(rng.standard_normal((D * K, count)))
        assert_allclose(hessian.times_sparse(columns), units @ columns, atol=1e-9)


@pytest.mark.parametrize("name", SMOOTH)
def test_a_line_moves_the_intercepts_too(name):
    risk, _, label, rng = make(name)
    scores, moves = (risk.scores(rng.standard_normal((D, K))) for _ in range(2))
    at = risk.at(scores)
    line = at.line(moves)
    for t in (0.0, 0.3, 1.5):
        there = line.at(t)
        assert there.value == pytest.approx(risk.at(scores + t * moves).value, rel=1e-10)

        def joint(x):
            b = at.intercept + x * line.shift
            return value_at(risk, label, scores + x * moves, b)

        slope = (joint(t + 1e-6) - joint(t - 1e-6)) / 2e-6
        assert line.derivative(t) == pytest.approx(slope, rel=1e-4, abs=1e-5)
        assert there.value <= joint(t) * (1 + 1e-12)


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
