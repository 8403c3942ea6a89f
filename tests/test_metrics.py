"""Measures of predicted labels, beside scikit-learn's, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix

from rrmlinear import metrics
from rrmlinear.data.label_sets import LabelSets

AT_K = [metrics.precision_at_k, metrics.recall_at_k, metrics.ndcg_at_k]


@pytest.fixture(scope="module")
def random_labels():
    """Y, scores without ties, and predictions; with rows and labels that have no ones."""
    random = np.random.default_rng(0)
    Y = (random.random((60, 25)) < 0.15).astype(int)
    Y[[3, 30]] = 0
    Y[:, [4, 9]] = 0
    scores = Y + random.normal(size=Y.shape)
    predicted = (scores > 0.8).astype(int)
    predicted[:, 9] = 0
    assert (Y.sum(axis=1) == 0).sum() < 10
    assert predicted[:, 4].any()
    return Y, scores, predicted


def by_hand(Y, scores, k):
    """(P@k, R@k, nDCG@k) row by row."""
    found = []
    for y, s in zip(Y, scores, strict=True):
        best = np.argsort(-s)[:k]
        gains = y[best] / np.log2(np.arange(2, k + 2))
        ideal = sum(1 / np.log2(r + 2) for r in range(min(k, y.sum())))
        found.append(
            (y[best].sum() / k, y[best].sum() / max(y.sum(), 1), sum(gains) / (ideal or 1))
        )
    return np.mean(found, axis=0)


@pytest.mark.parametrize("k", [1, 3, 5, 25])
def test_at_k_by_hand(random_labels, k):
    Y, scores, _ = random_labels
    found = [measure(Y, scores, k) for measure in AT_K]
    assert found == pytest.approx(by_hand(Y, scores, k), rel=1e-12)


@pytest.mark.parametrize("measure", AT_K)
def test_all_forms_are_the_same(random_labels, measure):
    Y, scores, _ = random_labels
    expected = measure(Y, scores, 3)
    best = np.argsort(-scores, axis=1)[:, :5]
    batches = [scores[:7], scores[7:50], scores[50:]]
    for truth in (csr_matrix(Y), csr_array(Y.astype(bool)), LabelSets.from_matrix(Y), Y.tolist()):
        assert measure(truth, best, 3) == expected
        assert measure(truth, best.astype(np.int32), 3) == expected
        assert measure(truth, best.tolist(), 3) == expected
        assert measure(truth, iter(batches), 3) == expected
        assert measure(truth, zip([0, 7, 50], batches, strict=True), 3) == expected


def test_no_label_is_no_hit():
    Y = [[1, 0, 0], [0, 0, 1]]
    assert metrics.precision_at_k(Y, [[0, -1], [-1, -1]], 2) == 0.25
    assert metrics.ndcg_at_k(Y, [[-1, 0], [2, -1]], 2) == pytest.approx((1 / np.log2(3) + 1) / 2)
    # fewer labels than k
    assert metrics.precision_at_k(Y, np.array([[3.0, 2, 1], [1, 2, 3]]), 4) == 0.25


def test_of_equal_scores_the_first_labels_are_taken():
    Y = [[1, 1, 0, 0]]
    assert metrics.precision_at_k(Y, np.zeros((1, 4)), 2) == 1
    assert metrics.precision_at_k(Y, np.array([[0.0, 0, 0, 1]]), 2) == 0.5


def test_propensities_by_the_formula():
    Y = np.zeros((100, 3), dtype=int)
    Y[:50, 0] = Y[:2, 1] = 1
    c = (np.log(100) - 1) * 2.5**0.55
    expected = [1 / (1 + c * np.exp(-0.55 * np.log(count + 1.5))) for count in (50, 2, 0)]
    assert metrics.propensities(Y) == pytest.approx(expected, rel=1e-12)
    other = 1 / (1 + (np.log(100) - 1) * 3.6**0.6 * 52.6**-0.6)
    assert metrics.propensities(csr_array(Y), a=0.6, b=2.6)[0] == pytest.approx(other)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_psp_is_the_ratio_of_means(random_labels, k):
    Y, scores, _ = random_labels
    p = np.random.default_rng(1).uniform(0.1, 1, Y.shape[1])
    reached = largest = 0.0
    for y, s in zip(Y, scores, strict=True):
        best = np.argsort(-s)[:k]
        reached += (y / p)[best].sum() / k
        largest += np.sort(y / p)[::-1][:k].sum() / k
    assert metrics.psp_at_k(Y, scores, k, p) == pytest.approx(reached / largest, rel=1e-12)
    assert metrics.psp_at_k(Y, Y + 0.01 / p, k, p) == pytest.approx(1.0)
    assert metrics.psp_at_k(np.zeros_like(Y), scores, k, p) == 0


def test_f1_is_scikit_learns(random_labels):
    theirs = pytest.importorskip("sklearn.metrics")
    Y, _, predicted = random_labels
    both = {"y_true": Y, "y_pred": predicted}
    assert metrics.micro_f1(Y, predicted) == pytest.approx(theirs.f1_score(**both, average="micro"))
    zero = theirs.f1_score(**both, average="macro", zero_division=0)
    left_out = theirs.f1_score(**both, average="macro", zero_division=np.nan)
    assert metrics.macro_f1(Y, predicted) == pytest.approx(zero)
    assert metrics.macro_f1(Y, predicted, leave_absent_out=True) == pytest.approx(left_out)
    assert zero < left_out
    means = theirs.precision_recall_fscore_support(**both, average="macro", zero_division=0)[:2]
    expected = 2 * means[0] * means[1] / sum(means)
    assert metrics.macro_f1(Y, predicted, of_means=True) == pytest.approx(expected)
    # one of 25 labels is absent, and both means are over the others
    found = metrics.macro_f1(Y, predicted, of_means=True, leave_absent_out=True)
    assert found == pytest.approx(expected * 25 / 24)


def test_f1_of_all_forms(random_labels):
    Y, _, predicted = random_labels
    expected = metrics.micro_f1(Y, predicted), metrics.macro_f1(Y, predicted)
    parts = csr_array(predicted[:20]), csr_array(predicted[20:])
    for truth in (csr_array(Y), LabelSets.from_matrix(Y)):
        for given in (csr_matrix(predicted), LabelSets.from_matrix(predicted), predicted.tolist()):
            assert (metrics.micro_f1(truth, given), metrics.macro_f1(truth, given)) == expected
        assert (metrics.micro_f1(truth, parts), metrics.macro_f1(truth, iter(parts))) == expected


def test_lists_of_batches_may_be_unlike_in_length(random_labels):
    Y, scores, _ = random_labels
    parts = [Y[:7], csr_array(Y[7:])]
    assert metrics.micro_f1(Y, parts) == 1
    pairs = [(0, scores[:7]), (7, scores[7:])]
    assert metrics.precision_at_k(Y, pairs, 3) == metrics.precision_at_k(Y, scores, 3)


def test_labels_of_other_names_are_not_compared():
    true = LabelSets.from_lists([["a"], ["b"]])
    with pytest.raises(ValueError, match="Y_true has the label 'a' where Y_pred has 'b'"):
        metrics.micro_f1(true, LabelSets.from_lists([["b"], ["c"]]))
    own = LabelSets.from_lists([["b"], ["b"]], ["a", "b"])
    assert metrics.micro_f1(true, own) == 0.5


def test_f1_without_any_label():
    nothing = np.zeros((3, 2), dtype=int)
    assert metrics.micro_f1(nothing, nothing) == 0
    assert metrics.macro_f1(nothing, nothing, leave_absent_out=True) == 0
    assert metrics.macro_f1(nothing, nothing, of_means=True) == 0


Y_2 = [[1, 0, 0], [0, 1, 0]]
WRONG = [
    (Y_2, [[0], [1]], 2, "must be 2 × 2 places or wider, and are of shape"),
    (Y_2, [[0, 3], [1, 0]], 2, r"best\[0, 1\] is 3; it must be from -1 to 2"),
    (Y_2, [[0, 2], [1, 1]], 2, "row 1 of the best labels has the label 1 twice"),
    (Y_2, np.zeros((2, 4)), 1, "with 3 columns"),
    (Y_2, np.zeros((1, 3)), 1, "Y_true has 2 rows, and the scores have 1"),
    (Y_2, np.full((2, 3), np.nan), 1, "must not be NaN"),
    (Y_2, np.zeros((2, 3)), 0, "k must be a whole number of at least 1"),
    (np.zeros((0, 3)), np.zeros((0, 3)), 1, "there are no examples"),
    ([[2, 0]], np.zeros((1, 2)), 1, "a label matrix has 0 and 1 alone"),
]


@pytest.mark.parametrize("measure", AT_K)
@pytest.mark.parametrize(("Y", "best", "k", "sentence"), WRONG)
def test_wrong_predictions_are_named(measure, Y, best, k, sentence):
    with pytest.raises(ValueError, match=sentence):
        measure(Y, best, k)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (np.ones((2, 2)), "Y_pred has 2 columns"),
        (np.ones((1, 3)), "but Y_pred has 1"),
        (np.ones((3, 3)), "at least 3 rows"),
    ],
)
def test_wrong_matrices_are_named(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        metrics.micro_f1(Y_2, given)


@pytest.mark.parametrize(("p", "sentence"), [([1, 1], "must have 3"), ([1, 0, 1], "above 0")])
def test_wrong_propensities_are_named(p, sentence):
    with pytest.raises(ValueError, match=sentence):
        metrics.psp_at_k(Y_2, np.zeros((2, 3)), 1, p)
    with pytest.raises(ValueError, match="at least 3 examples"):
        metrics.propensities(Y_2)
