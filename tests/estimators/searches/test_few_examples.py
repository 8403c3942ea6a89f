"""Cross validation on few examples: folds without a class, and data without a slope."""

import warnings

import numpy as np
import pytest
import sklearn.linear_model as peers
from numpy.testing import assert_allclose

from rrmlinear import ElasticNetCV, LassoCV, LinearSVCCV, LogisticRegressionCV

rng = np.random.default_rng(0)
X = rng.normal(size=(8, 3))
y = X @ [1.0, 2.0, 0.0] + 0.1 * rng.normal(size=8)
ONE_OF_TWO, ONE_OF_THREE = [0] * 7 + [1], [0, 0, 0, 0, 1, 1, 1, 2]
few = pytest.mark.filterwarnings("ignore:The least populated class")


@pytest.mark.parametrize("kind", ["LassoCV", "ElasticNetCV"])
@pytest.mark.parametrize("n", [5, 6, 8])
def test_paths_on_few_examples(kind, n):
    ours = {"LassoCV": LassoCV, "ElasticNetCV": ElasticNetCV}[kind](tol=1e-8).fit(X[:n], y[:n])
    theirs = getattr(peers, kind)(tol=1e-10, max_iter=10**5).fit(X[:n], y[:n])
    assert ours.alpha_ == pytest.approx(theirs.alpha_)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)


@pytest.mark.parametrize("kind", [LassoCV, ElasticNetCV])
@pytest.mark.parametrize("constant", ["X", "y"])
def test_nothing_to_learn(kind, constant):
    data = (np.full((8, 2), 0.1), y) if constant == "X" else (X, np.ones(8))
    with warnings.catch_warnings(action="error"):
        model = kind().fit(*data)
    assert (model.coef_ == 0).all()
    assert model.alpha_ == pytest.approx(1e-15)


@few
@pytest.mark.parametrize("labels", [ONE_OF_TWO, ONE_OF_THREE])
@pytest.mark.parametrize("scoring", [None, "neg_log_loss", "balanced_accuracy"])
@pytest.mark.parametrize("kind", [LogisticRegressionCV, LinearSVCCV])
@pytest.mark.filterwarnings("ignore:y_pred contains classes")
def test_a_fold_that_lacks_a_class(kind, labels, scoring):
    if kind is LinearSVCCV and scoring == "neg_log_loss":
        scoring = "accuracy"
    model = kind(Cs=[1e-2, 1.0, 100.0], cv=2, scoring=scoring).fit(X, np.array(labels))
    assert model.classes_.tolist() == sorted(set(labels))
    assert np.isfinite(model.scores_).all()
    if scoring is None and kind is LogisticRegressionCV:
        theirs = peers.LogisticRegressionCV(
            Cs=model.Cs_, cv=2, l1_ratios=(0.0,), use_legacy_attributes=False, scoring="accuracy"
        ).fit(X, np.array(labels))
        assert_allclose(model.scores_.ravel(), np.ravel(theirs.scores_))
        assert theirs.C_ == model.C_


@few
@pytest.mark.filterwarnings("ignore:Only one class is present")
def test_a_fold_whose_score_is_not_defined_does_not_count():
    found = LogisticRegressionCV(Cs=[1e-2, 1.0], cv=2, scoring="roc_auc")
    found.fit(X, np.array(ONE_OF_TWO))
    assert np.isnan(found.scores_).any(axis=(1, 2)).sum() == 1
    assert found.best_score_ == np.nanmax(np.nanmean(found.scores_, axis=0))
