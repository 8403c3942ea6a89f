"""Searches by scores of one of two classes: the second, whatever its label is."""

import numpy as np
import pytest
from sklearn import linear_model
from sklearn.datasets import make_classification
from sklearn.metrics import fbeta_score, get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from rrmlinear import LinearSVC, LinearSVCCV, LogisticRegression, LogisticRegressionCV, RidgeCV

X, index = make_classification(200, 5, weights=[0.7], flip_y=0.2, random_state=0)
Cs = [1e-3, 1e-2, 1.0]
LABELS = {
    "whole": np.array([0, 1]),
    "from 1 on": np.array([1, 2]),
    "text": np.array(["no", "yes"]),
    "truth": np.array([False, True]),
}
undefined = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")


def told(name, labels):
    """scikit-learn's scorer, told the second label."""
    scorer = get_scorer(name)
    return make_scorer(
        scorer._score_func,
        response_method=scorer._response_method,
        **scorer._kwargs | {"pos_label": labels[1]},
    )


@undefined
@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("f1", LABELS["whole"]),
        ("precision", LABELS["from 1 on"]),
        ("recall", LABELS["text"]),
        ("jaccard", LABELS["truth"]),
        ("average_precision", LABELS["from 1 on"]),
        ("average_precision", LABELS["text"]),
    ],
)
@pytest.mark.parametrize("kind", [LogisticRegressionCV, LinearSVCCV])
def test_the_second_class_is_scored(kind, labels, name):
    y, scorer = labels[index], told(name, labels)
    one = {LogisticRegressionCV: LogisticRegression, LinearSVCCV: LinearSVC}[kind]
    grid = GridSearchCV(one(tol=1e-8), {"C": Cs}, scoring=scorer, cv=StratifiedKFold(5))
    expected = grid.fit(X, y).cv_results_["mean_test_score"]
    found = kind(Cs=Cs, scoring=name, tol=1e-8).fit(X, y)
    assert found.scores_.mean(axis=0).ravel() == pytest.approx(expected)
    assert grid.best_params_["C"] == found.C_
    weights = np.linspace(0.1, 2.0, len(y))
    assert found.score(X, y) == pytest.approx(scorer(found, X, y))
    weighed = scorer(found, X, y, sample_weight=weights)
    assert found.score(X, y, weights) == pytest.approx(weighed)


@undefined
@pytest.mark.parametrize("name", ["f1_macro", "recall_macro", "jaccard_weighted", "f1_micro"])
def test_averages_are_over_all_classes_where_a_fold_lacks_one_as_in_scikit_learn(name):
    y = np.repeat([0, 1, 2], [120, 40, 40])
    half = np.arange(len(y)) % 2
    folds = [np.flatnonzero((half == 0) & (y != lacks)) for lacks in (2, 0)]
    folds = [(np.setdiff1d(np.arange(len(y)), held), held) for held in folds]
    shifted = X + y[:, None]
    theirs = linear_model.LogisticRegressionCV(
        Cs=Cs, cv=folds, scoring=name, tol=1e-8, l1_ratios=(0.0,), use_legacy_attributes=False
    ).fit(shifted, y)
    found = LogisticRegressionCV(Cs=Cs, cv=folds, scoring=name, tol=1e-8).fit(shifted, y)
    assert found.scores_.ravel() == pytest.approx(np.ravel(theirs.scores_))
    assert found.C_ == theirs.C_
    some = y != 2  # a score is over the classes that occur
    assert found.score(shifted[some], y[some]) == theirs.score(shifted[some], y[some])


@undefined
def test_a_class_that_the_scorer_names_stays():
    y = LABELS["text"][index]
    scorer = make_scorer(fbeta_score, beta=2.0, pos_label="no")
    found = LogisticRegressionCV(Cs=Cs, scoring=scorer).fit(X, y)
    no, yes = (fbeta_score(y, found.predict(X), beta=2, pos_label=name) for name in ("no", "yes"))
    assert found.score(X, y) == pytest.approx(no)
    assert no != yes


@pytest.mark.filterwarnings("ignore:The least populated class")
@pytest.mark.parametrize("text", [False, True])
def test_a_fold_without_a_class_is_named(text):
    y = np.array([0] * 100 + [1] * 98 + [2] * 2)
    y, last = (np.array(["a", "b", "c"])[y], "'c'") if text else (y, "2")
    sentence = f"fold 1 of 5, which holds out no example of class {last}: "
    with pytest.raises(ValueError, match=sentence):
        LogisticRegressionCV(Cs=Cs, scoring="roc_auc_ovr").fit(X, y)


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_scorers_without_weights_take_the_weights_of_the_fit():
    weights = np.linspace(0.1, 2.0, len(index))
    y = X @ np.arange(5.0)
    for search in (RidgeCV(scoring="neg_max_error"), RidgeCV(cv=3, scoring="neg_max_error")):
        assert search.fit(X, y, weights).best_score_ <= 0
