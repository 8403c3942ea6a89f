"""Sums and arrays over all examples: those of the loss at each example, for scores of any size."""

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.losses import margin, regression
from rrmlinear.losses.margin import Logistic
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.risks.terms import ScalarTerms

LOSSES = [
    margin.Hinge(),
    margin.SmoothHinge(1.0),
    margin.SmoothHinge(1e-3),
    margin.SquaredHinge(),
    margin.GeneralizedHinge(2.5),
    margin.GeneralizedHinge(2.5, 0.2),
    Logistic(),
    regression.Squared(),
    regression.Absolute(),
    regression.Absolute(0.1),
    regression.EpsilonInsensitive(0.3),
    regression.EpsilonInsensitive(0.3, 0.2),
    regression.SquaredEpsilonInsensitive(0.3),
    regression.Huber(0.7),
    regression.Quantile(0.9),
    regression.Quantile(0.2, 0.5),
]
SCORES = np.concatenate(
    [[0, 1, -1, 0.3, 1.3, 0.7, 1e-300], np.geomspace(1e-20, 1e4, 97), [36.8, 707, 709, 745, 1e5]]
)
SCORES = np.concatenate([SCORES, -SCORES])
N = 2 * len(SCORES)


def make(loss, costs=None):
    y = np.repeat([1.0, -1.0], N // 2)
    rows = Problem.from_arrays(np.ones((N, 1)), y).rows
    risk = ScalarRisk(rows, loss, y, np.ones(N) if costs is None else costs)
    return risk, y, np.tile(SCORES, 2)


def only(i):
    costs = np.zeros(N)
    costs[i] = 2.0
    return costs


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: f"{type(loss).__name__}")
def test_values_and_derivatives(loss):
    risk, y, scores = make(loss)
    values = loss.values(y, scores)
    for i in range(0, N, 5):
        one, _, _ = make(loss, only(i))
        assert one.at(scores).value == pytest.approx(2 * values[i], rel=4e-15, abs=1e-30)
    assert risk.at(scores).value == pytest.approx(values.sum(), rel=1e-13)
    derivatives = loss.derivatives(y, scores)
    np.testing.assert_allclose(risk.at(scores).derivatives, derivatives, rtol=4e-15, atol=1e-30)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: f"{type(loss).__name__}")
def test_conjugates(loss):
    _, y, scores = make(loss)
    alphas = -loss.derivatives(y, scores)
    conjugates = loss.conjugates(y, alphas)
    for i in range(0, N, 5):
        one, _, _ = make(loss, only(i))
        assert one.conjugate(alphas) == pytest.approx(2 * conjugates[i], rel=4e-15, abs=1e-30)
        if np.isfinite(loss.lipschitz):
            beyond = alphas.copy()
            beyond[i] += 2 * np.copysign(loss.lipschitz, alphas[i])
            assert one.conjugate(beyond) == np.inf
            beyond[(i + 1) % N] = beyond[i]
            beyond[i] = alphas[i]  # its neighbour has no cost
            assert np.isfinite(one.conjugate(beyond))


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: f"{type(loss).__name__}")
@pytest.mark.parametrize("alike", [(), ("alphas",), ("curvatures",), ("alphas", "curvatures")])
def test_dual_steps_of_arrays_and_numbers(loss, alike):
    risk, y, scores = make(loss)
    rng = np.random.default_rng(0)
    given = {"alphas": rng.standard_normal(N), "curvatures": rng.uniform(0.1, 3, N)}
    given |= {name: 0.7 for name in alike}
    steps = risk.dual_steps(scores, **given)[0]
    expected = loss.dual_steps(y, scores, **given)
    # the sum of terms of any size is as exact as the largest of them
    np.testing.assert_allclose(steps, expected, rtol=1e-14, atol=1e-14)


def test_arrays_of_other_sizes_are_refused():
    risk, _, scores = make(LOSSES[0])
    with pytest.raises(ValueError, match=rf"one number or {N}, got shape \(3,\)"):
        risk.dual_steps(scores, np.zeros(3), 1.0)[0]


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: f"{type(loss).__name__}")
def test_sums_beside_a_shift(loss):
    y, scores = np.repeat([1.0, -1.0], 1500), np.tile(np.linspace(-3, 3, 1500), 2)
    costs = np.random.default_rng(0).random(3000)
    terms, out = ScalarTerms(loss, y, costs), np.empty(3000)
    pulls = -costs * loss.derivatives(y, scores + 0.3)
    sums, total = (-pulls.sum(), np.abs(pulls).sum()), terms.total(scores + 0.3)
    assert terms.sums(scores, 0.3)[:2] == pytest.approx(sums, rel=1e-11)
    assert terms.sums(scores, 0.3, out) == pytest.approx((*sums, total), rel=1e-11)
    np.testing.assert_allclose(-costs * out, -pulls, rtol=1e-14, atol=1e-30)
    assert terms.pulls(scores, 0.3, out) == pytest.approx(terms.total(scores + 0.3), rel=1e-12)
    np.testing.assert_allclose(out, pulls, rtol=1e-14, atol=1e-30)
    curvatures = costs * loss.second_derivatives(y, scores)
    np.testing.assert_allclose(terms.curvatures(scores), curvatures, rtol=1e-14)
