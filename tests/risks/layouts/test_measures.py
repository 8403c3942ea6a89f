"""Measures of all labels at once: against all labellings, numerically, and at their limits."""

import numpy as np
import pytest
from labellings_by_force import MEASURES, at_scores, own_f1, pairs_at
from numpy.testing import assert_allclose
from sklearn import metrics

from rrmlinear.losses.measures import (
    ErrorRate,
    FBeta,
    OwnTable,
    PrecisionAtK,
    RecallAtK,
    RocArea,
    measured,
)
from rrmlinear.risks.layouts._labellings import FlipCounts
from rrmlinear.risks.layouts.labellings import Labellings, TableLabellings
from rrmlinear.risks.layouts.measures import Pairs


def over(measure, y):
    positive = int((y > 0).sum())
    counts = positive, len(y) - positive
    if isinstance(measure, OwnTable):
        return TableLabellings(y, measure.losses(*counts))
    return Labellings(y, measure.ratio(*counts))


def cases(rng, longest):
    """Labels and scores: one class alone, ties, scores from -700 to 700."""
    for number in range(40):
        n = int(rng.integers(1, longest + 1))
        y = np.where(rng.random(n) < rng.choice([0.0, 0.2, 0.5, 1.0]), 1.0, -1.0)
        scores = rng.standard_normal(n)
        if number % 4 == 0:
            scores = rng.uniform(-700, 700, n)
        elif number % 4 == 1:
            scores = np.round(scores)
        elif number % 4 == 2:
            scores *= 0.1
        yield y, scores


@pytest.mark.parametrize("name", MEASURES)
def test_the_worst_labelling_is_the_worst_of_all(name):
    for y, scores in cases(np.random.default_rng(1), 12):
        measure = MEASURES[name](len(y))
        expected = at_scores(measure, y, scores, 0)[0]
        found = over(measure, y).find(np.append(scores, 0.0))
        assert found.value == pytest.approx(expected, rel=1e-12, abs=1e-9)
        derivatives = found.derivatives()
        # the labelling of the derivatives attains it
        attained = derivatives[:-1] @ scores - derivatives[-1]
        assert attained == pytest.approx(expected, rel=1e-12, abs=1e-9)
        assert set(derivatives[:-1] * y) <= {0.0, -1.0}


@pytest.mark.parametrize("mu", [0.01, 0.3, 5.0])
@pytest.mark.parametrize("name", MEASURES)
def test_the_smoothed_risk_sums_over_all_labellings(name, mu):
    for y, scores in cases(np.random.default_rng(2), 9):
        measure = MEASURES[name](len(y))
        value, derivatives = at_scores(measure, y, scores, mu)
        found = over(measure, y).smoothed(np.append(scores, 0.0), mu)
        assert found.value == pytest.approx(value, rel=1e-11, abs=1e-9)
        assert_allclose(found.derivatives(), derivatives, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("mu", [0, 0.05, 1.0, 40.0])
def test_the_hinge_of_all_pairs(mu):
    for y, scores in cases(np.random.default_rng(3), 30):
        extended = np.append(scores, 0.0)
        found = Pairs(y).smoothed(extended, mu) if mu else Pairs(y).find(extended)
        value, derivatives = pairs_at(y, scores, mu)
        assert found.value == pytest.approx(value, rel=1e-11, abs=1e-9)
        assert_allclose(found.derivatives(), derivatives, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "measure", [FBeta(), FBeta(2.0), PrecisionAtK(90), PrecisionAtK(), RocArea()]
)
@pytest.mark.parametrize("scale", [0.3, 5.0, 300.0])
def test_derivatives_of_hundreds_of_examples_numerically(measure, scale):
    rng = np.random.default_rng(4)
    n, h = 700, 1e-4
    y = np.where(rng.random(n) < 0.2, 1.0, -1.0)
    scores = np.append(scale * (0.5 * y + rng.standard_normal(n)), 0.0)
    risk = Pairs(y) if isinstance(measure, RocArea) else over(measure, y)
    for mu in (0.2, 3.0):
        derivatives = risk.smoothed(scores, mu).derivatives()
        move = np.append(rng.standard_normal(n), 0.0)
        up, down = (risk.smoothed(scores + t * move, mu).value for t in (h, -h))
        assert (up - down) / (2 * h) == pytest.approx(derivatives @ move, rel=1e-5, abs=1e-4)


def test_counts_far_beyond_the_range_of_doubles():
    # 3000 equal odds: binomial coefficients up to 1e901; all labels wrong cost 3000 · 400/μ
    y = np.repeat([1.0, -1.0], 1500)
    ratio = ErrorRate().ratio(1500, 1500)
    near = ratio._replace(u=1e-12)  # not a sum over examples to the letter
    for score in (0.0, 400.0, -400.0):
        scores = np.append(np.full(3000, score), 0.0)
        exact, counted = (Labellings(y, each).smoothed(scores, 0.1) for each in (ratio, near))
        assert counted.value == pytest.approx(exact.value, rel=1e-9)
        assert_allclose(counted.derivatives(), exact.derivatives(), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    ("n", "cap"), [(1, 1), (33, 20), (1500, 1500), (5000, 900), (30_000, 3), (40_000, 50)]
)
def test_rows_made_again_give_the_same_marginals_in_linear_memory(n, cap):
    rng = np.random.default_rng(8)
    x = -np.sort(-rng.normal(size=n))
    law = rng.random(cap + 1) / (cap + 1)
    counts = FlipCounts(x, cap)
    assert counts.rows * (cap + 1) <= 66 * (cap + 1) + n
    marginals = counts.marginals(law)
    assert_allclose(counts.marginals(law), marginals, rtol=0, atol=0)
    # they sum to the mean count, and are derivatives of the mean logarithm
    assert marginals.sum() == pytest.approx(law @ np.arange(cap + 1), rel=1e-9)
    move = np.sort(rng.normal(size=n))
    up, down = (FlipCounts(x - t * move, cap).logs() @ law for t in (1e-4, -1e-4))
    assert (down - up) / 2e-4 == pytest.approx(marginals @ move, rel=1e-5, abs=1e-6)


def test_values_of_measures_are_those_of_scikit_learn():
    rng = np.random.default_rng(9)
    for n in (2, 30, 200):
        positive = rng.random(n) < 0.3
        positive[:2] = True, False
        for scores in (rng.normal(size=n) + positive, np.round(rng.normal(size=n) + positive)):
            wanted = metrics.fbeta_score(positive, scores > 0, beta=2.0)
            assert measured(FBeta(2.0), positive, scores) == pytest.approx(wanted)
            own = measured(OwnTable(own_f1), positive, scores)
            assert own == pytest.approx(metrics.f1_score(positive, scores > 0))
            right = np.mean((scores > 0) == positive)
            assert measured(ErrorRate(), positive, scores) == pytest.approx(right)
            area = metrics.roc_auc_score(positive, scores)
            assert measured(RocArea(), positive, scores) == pytest.approx(area)
            first = positive[np.argsort(-scores, kind="stable")]
            for k in (1, n // 2, n):
                value = measured(PrecisionAtK(k), positive, scores)
                assert value == pytest.approx(first[:k].mean())
                value = measured(RecallAtK(k), positive, scores)
                assert value == pytest.approx(first[:k].sum() / positive.sum())
            P = positive.sum()
            assert measured(PrecisionAtK(), positive, scores) == pytest.approx(first[:P].mean())
            assert measured(PrecisionAtK(n + 5), positive, scores) == pytest.approx(positive.mean())
    assert np.isnan(measured(RocArea(), np.ones(3, dtype=bool), np.zeros(3)))


@pytest.mark.parametrize(
    ("loss", "counts", "sentence"),
    [
        (lambda *table: 0.5, (2, 3), r"all labels right, \(2, 0, 0, 3\), is 0.5; it must be 0"),
        (
            lambda a, b, c, d: -b,
            (2, 3),
            r"contingency table \(1, 1, 0, 3\) is -1; it must be a fin",
        ),
        (lambda a, b, c, d: "b" * b, (2, 3), "is ''; it must be a finite number"),
        (lambda *table: 0.0, (4000, 4000), "more than the 10000000 that a loss of one's own is"),
    ],
)
def test_what_is_no_loss_of_tables(loss, counts, sentence):
    with pytest.raises(ValueError, match=sentence):
        OwnTable(loss).losses(*counts)


def test_too_many_examples_for_the_recursions_are_refused():
    rng = np.random.default_rng(6)
    n = 300_000
    y = np.where(rng.random(n) < 0.4, 1.0, -1.0)
    with pytest.raises(ValueError, match="an evaluation; take BMRM"):
        over(FBeta(), y).smoothed(np.append(rng.standard_normal(n), 0.0), 1.0)
