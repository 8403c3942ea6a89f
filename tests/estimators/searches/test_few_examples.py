"""Cross validation on few examples: folds without a class, and data without a slope."""

import warnings

import numpy as np
import pytest
import sklearn.linear_model as peers
from numpy.testing import assert_allclose
from sklearn.metrics import get_scorer

from rrmlinear import ElasticNetCV, LassoCV, LinearSVCCV, LogisticRegressionCV
from rrmlinear.estimators.searches.few_classes import OfSomeClasses, for_classes

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
    with warnings.catch_warnings():
        warnings.simplefilter("error")
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


class Known:
    """A classifier of the labels 3 and 7."""

    def predict(self, X):
        return np.full(len(X), 7)

    def predict_proba(self, X):
        return np.tile([0.2, 0.8], (len(X), 1))

    def decision_function(self, X):
        return np.full(len(X), 1.5)


def test_classes_that_are_not_known_have_no_probability():
    some = OfSomeClasses(Known(), np.array([3, 7]), np.array([3, 5, 7]))
    assert some.predict(X).tolist() == [7] * 8
    assert some.predict_proba(X)[0].tolist() == [0.2, 0.0, 0.8]
    assert some.predict_log_proba(X)[0, 1] == -np.inf
    scores = some.decision_function(X)
    assert scores.shape == (8, 3)
    assert (scores.argmax(axis=1) == 2).all()
    assert (scores.argmin(axis=1) == 1).all()
    one = OfSomeClasses(None, np.array([7]), np.array([3, 7]))
    assert one.predict(X).tolist() == [7] * 8
    assert one.predict_proba(X)[0].tolist() == [0.0, 1.0]
    assert (one.decision_function(X) > 0).all()


def test_scorers_of_other_metrics_stay():
    for name in ("accuracy", "f1_macro", "roc_auc", "neg_log_loss"):
        scorer = get_scorer(name)
        told = for_classes(scorer, np.array([0, 1]))
        assert (told is scorer) == (name != "neg_log_loss")
