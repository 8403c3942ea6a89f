"""Losses of orders: their values are those of all pairs, their derivatives and conjugates hold."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from risk_sets_by_force import of_risk_sets

from rrmlinear.data.rows import Rows
from rrmlinear.losses import orders as losses
from rrmlinear.risks.layouts.orders import OrderRisk, PairSums, QueryPairs
from rrmlinear.risks.layouts.risk_sets import LateSets, RiskSets

rng = np.random.default_rng(0)
N = 60
GROUPS = rng.integers(0, 5, N)
GRADES = {"few": rng.integers(0, 3, N).astype(float), "all differ": rng.permutation(N) * 1.5}
TIMES = np.round(rng.exponential(size=N), 1) * np.where(rng.random(N) < 0.3, -1.0, 1.0)
#: Some of these are times of events.
ENTRY = np.abs(TIMES) - np.round(0.1 + rng.exponential(size=N), 1)
WEIGHTS = {"ones": np.ones(N), "weights": rng.random(N), "zeros": (rng.random(N) < 0.7) * 1.0}
PHI = {
    "rank_hinge": lambda t: np.maximum(0, 1 - t),
    "rank_squared_hinge": lambda t: np.maximum(0, 1 - t) ** 2,
    "rank_logistic": lambda t: np.logaddexp(0, -t),
}

COX = ("cox_breslow", "cox_efron", "cox_breslow late", "cox_efron late")


def risk_of(name, y, groups, weights, cost=1.0):
    loss = getattr(losses, name.removesuffix(" late"))()
    if name.startswith("rank"):
        over = PairSums(loss, QueryPairs(y, groups, weights))
    elif name.endswith("late"):
        over = LateSets(loss, y, groups, weights, np.tile(ENTRY, len(y) // N))
    else:
        over = RiskSets(loss, y, groups, weights)
    X = np.ascontiguousarray(rng.normal(size=(len(y), 3)))
    return OrderRisk(Rows(X, None, None, 3), loss, over, cost)


def of_pairs(phi, s, y, groups, weights):
    i, j = np.nonzero((y[:, np.newaxis] > y) & (groups[:, np.newaxis] == groups))
    return float((weights[i] * weights[j] * phi(s[i] - s[j])).sum())


@pytest.mark.parametrize("name", PHI)
@pytest.mark.parametrize("grades", GRADES)
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("scale", [0.1, 1.0, 300.0])
def test_values_of_pairs(name, grades, weights, scale):
    y, weights = GRADES[grades], WEIGHTS[weights]
    risk, s = risk_of(name, y, GROUPS, weights, 2.0), scale * rng.normal(size=N)
    value = risk.at(np.append(s, 0.0)).value
    assert value == pytest.approx(2 * of_pairs(PHI[name], s, y, GROUPS, weights), rel=1e-12)


@pytest.mark.parametrize("name", COX)
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("scale", [0.1, 3.0])
def test_values_of_risk_sets(name, weights, scale):
    weights, s = WEIGHTS[weights], scale * rng.normal(size=N)
    risk = risk_of(name, TIMES, GROUPS, weights)
    value = risk.at(np.append(s, 0.0)).value
    entry = ENTRY if "late" in name else -np.inf
    expected = of_risk_sets(s, TIMES, GROUPS, weights, "efron" in name, entry)
    assert value + risk.over.least == pytest.approx(expected, rel=1e-10)
    assert value >= 0


@pytest.mark.parametrize("name", [*PHI, "smoothed", *COX])
def test_derivatives_and_conjugates(name):
    y = TIMES if name.startswith("cox") else GRADES["few"]
    risk = risk_of("rank_hinge" if name == "smoothed" else name, y, GROUPS, WEIGHTS["weights"])
    plain = risk
    risk = risk.smoothed(0.3) if name == "smoothed" else risk
    for _ in range(3):
        s, move = np.append(rng.normal(size=N), 0.0), np.append(rng.normal(size=N), 0.0)
        at = risk.at(s)
        ends = (risk.at(s + h * move).value for h in (1e-6, -1e-6))
        slope = (next(ends) - next(ends)) / 2e-6
        assert slope == pytest.approx(at.derivatives @ move, rel=1e-5, abs=1e-5)
        g, conjugate = at.derivatives[:N], plain.conjugate(-at.derivatives)
        if name != "smoothed":  # Fenchel's equality
            assert conjugate == pytest.approx(s[:N] @ g - at.value, rel=1e-9, abs=1e-9)
        for scale in (0.1, 1.0, 10.0):  # and Young's inequality elsewhere, also of a mean
            other = scale * rng.normal(size=N)
            third = risk.at(np.append(other, 0.0)).derivatives
            mean = (at.derivatives + third) / 2
            for dual in (at.derivatives, mean, 0.5 * mean):
                value = plain.at(np.append(-other, 0.0)).value
                assert value + plain.conjugate(-dual) >= -other @ dual[:N] - 1e-9
    assert abs(float(at.derivatives[:N].sum())) < 1e-9  # a shift of all scores changes nothing


def test_smoothing_is_bounded():
    risk = risk_of("rank_hinge", GRADES["few"], GROUPS, WEIGHTS["weights"])
    for mu in (1e-4, 0.1, 1.0):
        s = np.append(rng.normal(size=N), 0.0)
        lost = risk.at(s).value - risk.smoothed(mu).at(s).value
        assert -1e-9 <= lost <= mu * risk.room + 1e-9


def test_far_scores_do_not_overflow():
    y = np.array([3.0, 2.0, 1.0, 1.0, -1.0])
    for name in ("cox_breslow", "cox_efron"):
        risk = risk_of(name, y, None, np.ones(5))
        for s in ([900.0, -900.0, 0.0, 1.0, 5.0], [-1e5, 1e5, 3e4, 0.0, 1.0]):
            at = risk.at(np.append(s, 0.0))
            assert np.isfinite(at.value)
            assert np.isfinite(at.derivatives).all()
            assert at.value == pytest.approx(expected_far(np.array(s), y, "efron" in name))


def expected_far(s, y, efron):
    total, time, event = 0.0, np.abs(y), ~np.signbit(y)
    for t in np.unique(time[event]):
        own, at_risk = np.flatnonzero(event & (time == t)), s[time >= t]
        whole = np.logaddexp.reduce(at_risk)
        share = np.exp(np.logaddexp.reduce(s[own]) - whole) if efron else 0.0
        m = len(own)
        total += sum(whole + np.log1p(-share * k / m) for k in range(m)) - s[own].sum()
    return total


def test_weights_are_repetitions_but_for_efron():
    y, groups, counts = GRADES["few"], GROUPS, rng.integers(0, 3, N)
    s, again = rng.normal(size=N), np.repeat(np.arange(N), counts)
    for name in (*PHI, "cox_breslow"):
        of = TIMES if name.startswith("cox") else y
        one = risk_of(name, of, groups, counts.astype(float))
        two = risk_of(name, of[again], groups[again], np.ones(len(again)))
        least = [getattr(each.over, "least", 0.0) for each in (one, two)]
        one, two = one.at(np.append(s, 0.0)), two.at(np.append(s[again], 0.0))
        assert one.value + least[0] == pytest.approx(two.value + least[1])
        assert_allclose(one.derivatives[:N], np.bincount(again, two.derivatives[:-1], N), atol=1e-9)


def test_small_scores_are_not_lost_beside_large_ones_that_come_later():
    y, entry, s = np.arange(1.0, 9.0), np.repeat([0.0, 4.5], 4), np.array([1.0, 2, 3, 1] * 2)
    far = np.where(entry > 0, 900.0, -900.0)
    for ties in (losses.cox_breslow(), losses.cox_efron()):
        sets = LateSets(ties, y, None, np.ones(8), entry)
        near, beside = sets.find(s, 0.0), sets.find(s + far, 0.0)
        assert beside[0] == pytest.approx(near[0], rel=1e-12)
        assert_allclose(beside[1], near[1], atol=1e-12)


@pytest.mark.parametrize(
    ("name", "scale"), [*((name, 0.3) for name in COX), *((name, 300.0) for name in COX[:2])]
)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_second_derivative_is_that_of_products(name, weights, scale):
    y, groups, weights = (np.tile(each, 40) for each in (TIMES, GROUPS, WEIGHTS[weights]))
    risk = risk_of(name, y, groups, weights, 2.0)
    hessian = risk.at(np.append(scale * rng.normal(size=40 * N), 0.0)).hessian()
    products = np.array([hessian.product(each) for each in np.eye(3)])
    assert_allclose(hessian.matrix(), products, atol=1e-11 * (1 + np.abs(products).max()))


@pytest.mark.parametrize("name", ["rank_squared_hinge", "rank_logistic"])
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("queries", [5, 100])
def test_the_second_derivative_of_ranks_is_that_of_all_pairs(name, weights, queries):
    y, weights = (np.tile(each, 5) for each in (GRADES["few"], WEIGHTS[weights]))
    groups, w = rng.integers(0, queries, 5 * N), np.array([0.5, -1.0, 0.3])
    risk = risk_of(name, y, groups, weights, 2.0)
    i, j = np.nonzero((y[:, np.newaxis] > y) & (groups[:, np.newaxis] == groups))
    differences = risk.rows.values[i] - risk.rows.values[j]
    t = differences @ w
    bends = 2.0 * (t < 1) if "hinge" in name else 1 / (2 + 2 * np.cosh(t))
    expected = 2 * (differences.T * (weights[i] * weights[j] * bends)) @ differences
    hessian = risk.at(risk.scores(w)).hessian()
    products = np.array([hessian.product(each) for each in np.eye(3)])
    for found in (hessian.matrix(), products):
        assert_allclose(found, expected, atol=1e-12 * (1 + np.abs(expected).max()))
