"""Folds that go along their paths together: the scores of fits of each fold alone."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold

from rrmlinear import LogisticRegression, LogisticRegressionCV
from rrmlinear.estimators.searches.classifiers import paths_together


def data(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.where(X[:, 0] + X[:, 1] + rng.standard_normal(n) > 0.3, "b", "a"), rng.random(n)


def classes(n, d, seed=0):
    X, _, weights = data(n, d, seed)
    noise = np.random.default_rng(seed + 1).standard_normal((n, 3))
    return X, np.array(["c", "a", "b"])[np.argmax(X[:, :3] + noise, axis=1)], weights


CASES = {
    "many examples": (data(200, 5), {}),
    "no intercept": (data(200, 5), {"fit_intercept": False}),
    "few examples": (data(40, 60), {}),
    "as many": (data(60, 50), {}),
    "balanced": (data(150, 4), {"class_weight": "balanced"}),
    "single precision": (data(150, 4), {}),
    "sparse": (data(150, 4), {}),
    "classes": (classes(150, 5), {}),
    "classes, no intercept": (classes(150, 5), {"fit_intercept": False}),
    "classes, few examples": (classes(60, 40), {}),
    "classes, balanced": (classes(150, 4), {"class_weight": "balanced"}),
    "classes, single precision": (classes(150, 4), {}),
    "classes, sparse": (classes(150, 4), {}),
}


@pytest.mark.parametrize("name", CASES)
def test_scores_are_those_of_each_fold_alone(name):
    (X, y, weights), choices = CASES[name]
    if name.endswith("single precision"):
        X = X.astype(np.float32)
    if name.endswith("sparse"):
        X = csr_array(np.where(X > 0.5, X, 0.0))
    Cs, choices = [1e-3, 0.1, 10.0, 1e3], choices | {"tol": 1e-10}
    cv = KFold(4)
    assert paths_together(LogisticRegression(**choices), X, y, weights, list(cv.split(y)))
    found = LogisticRegressionCV(Cs=Cs, cv=cv, scoring="neg_log_loss", **choices)
    by_hits = LogisticRegressionCV(Cs=Cs, cv=cv, **choices).fit(X, y, weights)
    found.fit(X, y, weights)
    for f, (train, test) in enumerate(cv.split(y)):
        for at, C in enumerate(Cs):
            alone = LogisticRegression(C=C, **choices).fit(X[train], y[train], weights[train])
            loss = log_loss(y[test], alone.predict_proba(X[test]), sample_weight=weights[test])
            assert found.scores_[f, 0, at] == pytest.approx(-loss, rel=1e-4)
            hits = alone.score(X[test], y[test], weights[test])
            assert by_hits.scores_[f, 0, at] == pytest.approx(hits)


def test_what_is_not_proved_is_fitted_alone():
    X, y, _ = data(100, 5)
    alone = LogisticRegression(C=1e4, tol=1e-12, max_iter=1)
    train, test = next(KFold(2).split(X))
    with warnings.catch_warnings(action="ignore"):
        few = LogisticRegressionCV(Cs=[1.0, 1e4], cv=KFold(2), tol=1e-12, max_iter=1).fit(X, y)
        assert few.scores_[0, 0, 1] == alone.fit(X[train], y[train]).score(X[test], y[test])
