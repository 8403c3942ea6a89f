"""Ridge regression of classes: scikit-learn's problems, weights and choices."""

import numpy as np
import pytest
import sklearn.linear_model as peers
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer, load_iris, make_multilabel_classification
from sklearn.preprocessing import scale

from rrmlinear import Ridge, RidgeClassifier, RidgeClassifierCV

SETS = {"iris": load_iris(return_X_y=True), "cancer": load_breast_cancer(return_X_y=True)}
SETS = {name: (scale(X), y) for name, (X, y) in SETS.items()}
ALPHAS = [0.03, 0.3, 3.0, 30.0]


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(
    "choices", [{}, {"class_weight": "balanced", "alpha": 3.0}, {"fit_intercept": False}]
)
@pytest.mark.parametrize("weighted", [True, False])
def test_weights_are_scikit_learns(name, choices, weighted):
    X, y = SETS[name]
    weights = np.random.default_rng(0).random(len(y)) if weighted else None
    if weighted and "class_weight" in choices:  # "balanced" counts weights here
        choices = choices | {"class_weight": {0: 2.0}}
    theirs = peers.RidgeClassifier(**choices).fit(X, y, weights)
    for data in (X, csr_array(X)):
        ours = RidgeClassifier(**choices, tol=1e-12).fit(data, y, weights)
        assert_allclose(ours.coef_, np.atleast_2d(theirs.coef_), atol=1e-5)
        assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
        assert 0 <= ours.duality_gap_ <= 1e-11 * ours.objective_


def test_two_classes_are_the_regression_of_plus_and_minus_one():
    X, y = SETS["cancer"]
    words, signs = np.array(["no", "yes"])[y], 2.0 * y - 1
    ours, ridge = RidgeClassifier(2.0).fit(X, words), Ridge(2.0).fit(X, signs)
    assert_array_equal(ours.coef_, [ridge.coef_])
    assert ours.objective_ == ridge.objective_
    assert ours.classes_.tolist() == ["no", "yes"]
    errors = ours.summary(X, words).std_errors
    assert_allclose(errors, ridge.summary(X, signs).std_errors)


def test_a_label_matrix():
    X, Y = make_multilabel_classification(100, random_state=0)
    ours, theirs = RidgeClassifier(tol=1e-12).fit(X, Y), peers.RidgeClassifier().fit(X, Y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert RidgeClassifierCV().fit(X, Y).alpha_ == peers.RidgeClassifierCV().fit(X, Y).alpha_
    with pytest.raises(ValueError, match="a label matrix has 2; it must hold zeros and ones"):
        RidgeClassifier().fit(X, 2 * Y)
    with pytest.raises(ValueError, match="a label matrix takes cv=None"):
        RidgeClassifierCV(cv=3).fit(X, Y)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("choices", [{}, {"class_weight": "balanced"}, {"cv": 4}])
def test_alpha_is_scikit_learns(name, choices):
    X, y = SETS[name]
    ours = RidgeClassifierCV(ALPHAS, tol=1e-10, **choices).fit(X, y)
    theirs = peers.RidgeClassifierCV(ALPHAS[::-1], **choices).fit(X, y)
    assert ours.alpha_ == theirs.alpha_
    assert ours.best_score_ == pytest.approx(theirs.best_score_)
    assert_allclose(ours.coef_, np.atleast_2d(theirs.coef_), atol=1e-5)


def test_scores_of_labels_left_out():
    X, y = SETS["iris"]
    ours = RidgeClassifierCV(ALPHAS, scoring="accuracy", store_cv_results=True).fit(X, y)
    theirs = peers.RidgeClassifierCV(ALPHAS, scoring="accuracy").fit(X, y)
    assert (ours.alpha_, ours.best_score_) == (theirs.alpha_, pytest.approx(theirs.best_score_))
    assert ours.cv_results_.shape == (150, 3, 4)
    # of two classes too, each example left out by hand
    X, y = SETS["cancer"][0][:60], SETS["cancer"][1][:60]
    ours = RidgeClassifierCV([1.0], scoring="accuracy").fit(X, y)
    hits = [
        RidgeClassifier(1.0).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[i : i + 1])[0]
        == y[i]
        for i in range(len(y))
    ]
    assert ours.best_score_ == pytest.approx(np.mean(hits))


def test_a_warm_start_begins_at_the_last_fit():
    X, y = SETS["iris"]
    model = RidgeClassifier(positive=True, warm_start=True, tol=1e-9).fit(X, y)
    first = model.n_iter_
    assert model.fit(X, y).n_iter_ < first
    assert_allclose(
        model.coef_, RidgeClassifier(positive=True, tol=1e-9).fit(X, y).coef_, atol=1e-4
    )


def test_what_is_refused():
    X, y = SETS["iris"]
    with pytest.raises(ValueError, match="only one class"):
        RidgeClassifier().fit(X, np.zeros(150))
    with pytest.raises(ValueError, match="at least one must count"):
        RidgeClassifier().fit(X, y, np.zeros(150))
    with pytest.raises(ValueError, match="cv!=None and store_cv_results=True"):
        RidgeClassifierCV(cv=3, store_cv_results=True).fit(X, y)
    with pytest.raises(TypeError, match="give the values as alphas"):
        RidgeClassifierCV(n_alphas=3)
