"""Linear models of every meaning of scores, with labels for the rows of `every_estimator.X`."""

from copy import deepcopy

import numpy as np
import pytest
from every_estimator import X, index, names, numbers, truth, two
from scipy.sparse import csr_array

import rrmlinear as rrm

matrix = np.column_stack([index == 0, index > 0, numbers > 0]).astype(int)
lists = [[each, "up"] if up else [each] for each, up in zip(names, numbers > 0, strict=True)]


def cases(*pairs):
    """Parameters of a test, named by the class and the labels."""
    return [
        pytest.param(model, y, id=f"{type(model).__name__}-{n}")
        for n, (model, y) in enumerate(pairs)
    ]


CLASSIFIERS = cases(
    (rrm.LogisticRegression(), names),
    (rrm.LogisticRegression(), truth),
    (rrm.LogisticRegression(solver="liblinear"), names),
    (rrm.LinearSVC(), index),
    (rrm.LinearSVC(loss="hinge", fit_intercept=False), truth),
    (rrm.LinearSVC(multi_class="crammer_singer"), names),
    (rrm.WestonWatkinsSVC(), names),
    (rrm.WestonWatkinsSVC(), np.where(truth, "no", "yes")),
    (rrm.LinearClassifier("softmax"), truth),
    (rrm.LinearClassifier("logistic", regularizer="l1"), index),
    (rrm.LinearClassifier("generalized-hinge"), index * 2.0),
    (rrm.LogisticRegressionCV(cv=3, Cs=3), names),
    (rrm.LinearSVCCV(cv=3, Cs=3), truth),
    (rrm.RidgeClassifier(class_weight="balanced"), names),
    (rrm.RidgeClassifierCV(), truth),
    (rrm.MultivariateClassifier(), truth),
    (rrm.MultilabelClassifier(), names),
    (rrm.MultilabelClassifier(), truth),
)
REGRESSIONS = cases(
    (rrm.Ridge(), numbers),
    (rrm.Ridge(fit_intercept=False), two),
    (rrm.RidgeCV(), two),
    (rrm.Lasso(0.01), two),
    (rrm.ElasticNet(0.01), numbers),
    (rrm.LassoCV(cv=3), numbers),
    (rrm.ElasticNetCV(cv=3), numbers),
    (rrm.LinearSVR(), numbers),
    (rrm.LinearSVR(fit_intercept=False), numbers),
    (rrm.HuberRegressor(), numbers),
    (rrm.QuantileRegressor(alpha=0.01), numbers),
    (rrm.LinearRegressor("absolute"), numbers),
    (rrm.LinearRegressor("binomial"), truth.astype(float)),
    (rrm.LinearRegressor("poisson"), np.floor(np.abs(numbers))),
    (rrm.MultiTaskRegressor(C=10.0), two),
    (rrm.MultiTaskElasticNet(0.1), two),
    (rrm.MultiTaskLassoCV(cv=3, alphas=3), two),
)
LABELLERS = cases(
    (rrm.LinearSVC(), matrix),
    (rrm.LinearClassifier("logistic"), matrix),
    (rrm.RidgeClassifier(), matrix),
    (rrm.MultilabelClassifier(), matrix),
    (rrm.MultilabelClassifier(), csr_array(matrix)),
    (rrm.MultilabelClassifier("logistic"), np.c_[matrix, 0 * matrix[:, :1], matrix[:, :1] ** 0]),
    (rrm.MultilabelClassifier(thresholds="cv"), matrix),
    (rrm.MultilabelClassifier(top_k=2), lists),
)


def fitted(model, y):
    return deepcopy(model).fit(X, y)
