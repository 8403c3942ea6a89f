"""Ranks within queries: the optimum of all pairs, measures, and what has no pair."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from scipy.stats import kendalltau
from sklearn import config_context
from sklearn.base import clone
from sklearn.metrics import ndcg_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

from rrmlinear import MultivariateClassifier, Parameter, Problem, RankingSVM, fit
from rrmlinear.metrics import kendall_tau, ndcg

rng = np.random.default_rng(1)
N = 120
X = rng.normal(size=(N, 5))
QID = rng.integers(0, 8, N)
Y = np.digitize(X @ rng.normal(size=5) + rng.normal(size=N), [-1.0, 0.5, 2.0]).astype(float)
LOSSES = ("hinge", "squared-hinge", "logistic")


def of_pairs(loss, penalty, C, weights):
    """The minimum over all pairs, each as an example of both classes."""
    i, j = np.nonzero((Y[:, np.newaxis] > Y) & (QID[:, np.newaxis] == QID))
    differences, costs = X[i] - X[j], weights[i] * weights[j]
    both = np.concatenate([differences, -differences])
    signs = np.repeat([1.0, -1.0], len(i))
    problem = Problem.from_arrays(both, signs, np.concatenate([costs, costs]))
    choices = Parameter(loss=loss, regularizer=penalty, C=C / 2, gap_tol=1e-9)
    return fit(problem, choices).result


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("penalty", ["l2", "l1"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_optimum_is_that_of_all_pairs(loss, penalty, weighted):
    weights = rng.integers(0, 3, N).astype(float) if weighted else np.ones(N)
    tol = 1e-4 if penalty == "l1" and loss == "hinge" else 1e-7
    model = RankingSVM(loss, penalty=penalty, C=0.1, tol=tol)
    for data in (X, csr_array(X)):
        model.fit(data, Y, weights if weighted else None, qid=QID)
        expected = of_pairs(loss, penalty, 0.1, weights).primal
        assert expected * (1 - 1e-8) <= model.objective_ <= expected * (1 + 2 * tol)
        assert -1e-12 <= model.duality_gap_ <= tol * model.objective_
        assert model.objective_ - model.duality_gap_ <= expected * (1 + 1e-8)
    assert abs(model.dual_coef_.sum()) < 1e-9 * max(1, np.abs(model.dual_coef_).max())


@pytest.mark.parametrize("loss", LOSSES[1:])
def test_high_costs_take_few_steps(loss):
    model = RankingSVM(loss, penalty="l1", C=1e4, tol=1e-8, max_iter=50).fit(X, Y, qid=QID)
    assert model.duality_gap_ <= 1e-8 * model.objective_
    expected = of_pairs(loss, "l1", 1e4, np.ones(N)).primal
    assert model.objective_ == pytest.approx(expected, rel=1e-7)


def test_rounding_of_a_small_smoothing_proves_nothing():
    data = np.array([[1.1980191925900636], [-0.21417648864341754]])
    model = RankingSVM("hinge", C=100.0, penalty="l1", penalty_factors=[0.5], tol=1e-6)
    model.fit(data, [2, 1], [43.01941655320984, 0.7857952405197599], qid=[1, 1])
    least = 0.5 / (data[0, 0] - data[1, 0])
    assert model.objective_ - model.duality_gap_ <= least * (1 + 1e-12)


def test_the_order_of_rows_and_names_of_queries_do_not_count():
    order, names = rng.permutation(N), np.array([f"q{q}" for q in QID])
    one = RankingSVM(tol=1e-9).fit(X, Y, qid=QID)
    two = RankingSVM(tol=1e-9).fit(X[order], 10 * Y[order] - 3, qid=names[order])
    assert_allclose(one.coef_, two.coef_, rtol=1e-3, atol=1e-5)
    assert_array_equal(one.predict(X).argsort(), (X @ one.coef_).argsort())


def test_the_area_under_the_roc_curve_is_one_query_of_two_grades():
    y = (Y > 1).astype(float)
    pairs = y.sum() * (N - y.sum())
    ours = RankingSVM("hinge", C=N / pairs, tol=1e-8).fit(X, y)
    theirs = MultivariateClassifier("roc-area", fit_intercept=False, tol=1e-8).fit(X, y)
    assert ours.objective_ == pytest.approx(theirs.objective_, rel=1e-7)
    area = roc_auc_score(y, ours.predict(X))
    assert ours.score(X, y) == pytest.approx(2 * area - 1)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("penalty", ["l2", "l1"])
@pytest.mark.parametrize(
    ("y", "qid"), [(np.ones(N), QID), (np.arange(N), np.arange(N)), (QID, QID)]
)
def test_without_a_pair_all_weights_are_0(loss, penalty, y, qid):
    model = RankingSVM(loss, penalty=penalty).fit(X, y, qid=qid)
    assert_array_equal(model.coef_, np.zeros(5))
    assert (model.objective_, model.duality_gap_) == (0.0, 0.0)
    assert np.isnan(model.score(X, y, qid=qid))


def test_kendalls_tau_is_that_of_pairs():
    scores = np.round(rng.normal(size=N), 1)
    right = wrong = total = 0
    for i, j in combinations(range(N), 2):
        if QID[i] == QID[j] and Y[i] != Y[j]:
            sign = (Y[i] - Y[j]) * (scores[i] - scores[j])
            right, wrong, total = right + (sign > 0), wrong + (sign < 0), total + 1
    assert kendall_tau(Y, scores, QID) == pytest.approx((right - wrong) / total)
    ranks = rng.permutation(N)
    assert kendall_tau(ranks, scores + 1e-4 * ranks) == pytest.approx(
        kendalltau(ranks, scores + 1e-4 * ranks).statistic
    )


@pytest.mark.parametrize("k", [None, 1, 3, 50])
def test_ndcg_is_scikit_learns(k):
    for scores in (rng.normal(size=N), np.round(rng.normal(size=N))):
        each = [ndcg_score([2 ** Y[q == QID] - 1], [scores[q == QID]], k=k) for q in np.unique(QID)]
        assert ndcg(Y, scores, QID, k) == pytest.approx(np.mean(each))
    assert ndcg(Y, Y, QID, k) == pytest.approx(1.0)
    assert np.isnan(ndcg([0, 0], [1.0, 2.0]))


def test_what_is_refused():
    for choices, sentence in (
        ({"loss": "hing"}, "loss is 'hing'"),
        ({"penalty": "l3"}, "penalty is 'l3'; it must be one of l2, l1"),
        ({"penalty": None}, "penalty is None; it must be one of l2, l1"),
    ):
        with pytest.raises(ValueError, match=sentence):
            RankingSVM(**choices).fit(X, Y)
    with pytest.raises(ValueError, match=r"qid has shape \(2,\); it must have 120 entries"):
        RankingSVM().fit(X, Y, qid=[1, 2])
    with pytest.raises(ValueError, match="qid has values of several kinds, NoneType, int; they"):
        RankingSVM().fit(X, Y, qid=[None] + [1] * (N - 1))
    with pytest.raises(ValueError, match="at least one must count"):
        RankingSVM().fit(X, Y, np.zeros(N))
    with pytest.raises(ValueError, match="a bias has no effect"):
        fit(Problem.from_arrays(X, Y, bias=1.0), Parameter(loss="rank-hinge"))
    with pytest.raises(ValueError, match="the grade -1; grades of nDCG must be at least 0"):
        ndcg([-1, 1], [0.0, 1.0])
    with pytest.raises(ValueError, match="scores have 1 entries, and y has 2"):
        kendall_tau([1, 2], [1.0])


def test_a_warm_start_begins_at_the_last_weights():
    model = RankingSVM("logistic", warm_start=True, tol=1e-8).fit(X, Y, qid=QID)
    first = model.n_iter_
    assert model.fit(X, Y, qid=QID).n_iter_ <= first // 2


def test_searches_of_scikit_learn_route_queries():
    folds = GroupKFold(4)
    with config_context(enable_metadata_routing=True):
        ranker = RankingSVM(C=0.1).set_fit_request(qid=True).set_score_request(qid=True)
        given = {"qid": QID, "groups": QID}
        scores = cross_val_score(ranker, X, Y, cv=folds, params=given)
        search = GridSearchCV(ranker, {"C": [0.01, 0.1]}, cv=folds).fit(X, Y, **given)
    expected = []
    for rest, own in folds.split(X, groups=QID):
        fold = clone(ranker).fit(X[rest], Y[rest], qid=QID[rest])
        expected.append(fold.score(X[own], Y[own], qid=QID[own]))
    assert_array_equal(scores, expected)
    assert search.cv_results_["mean_test_score"][1] == pytest.approx(np.mean(expected))
