"""scikit-learn's solvers of the same problems find the same models."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rrmlinear import Problem

linear_model = pytest.importorskip("sklearn.linear_model")
svm = pytest.importorskip("sklearn.svm")

SVM = {"fit_intercept": False, "tol": 1e-9, "max_iter": 1_000_000}
C = 0.2


@pytest.fixture(scope="module")
def classes(small_problem):
    return {k: small_problem(n=80, d=5, k=k, noise=2.0) for k in (2, 3)}


@pytest.fixture(scope="module")
def reals():
    generator = np.random.default_rng(5)
    X = generator.normal(size=(80, 5))
    return X, X @ [2, -1, 0.5, 0, 0] + generator.normal(size=80)


def scores_of(fit, X, y, loss, **choices):
    problem = Problem.from_arrays(X, y)
    model = fit(problem, **({"solver": 32, "loss": loss, "gap_tol": 1e-12, "C": C} | choices))
    scores = model.decision_function(problem)
    if model.is_regression:
        return scores
    if scores.ndim == 1:  # scikit-learn's positive class is the larger label
        return scores if model.labels[0] > model.labels[1] else -scores
    return scores[:, np.argsort(model.labels)]


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    ("loss", "classifier"),
    [
        ("hinge", svm.LinearSVC(loss="hinge", C=C, dual=True, **SVM)),
        ("squared-hinge", svm.LinearSVC(loss="squared_hinge", C=C, dual=False, **SVM)),
    ],
)
def test_support_vector_classification(classes, fit, k, loss, classifier):
    X, y = classes[k].X, classes[k].y
    expected = classifier.fit(X, y).decision_function(X)
    assert_allclose(scores_of(fit, X, y, loss), expected, atol=1e-4)


def test_crammer_singer(classes, fit):
    X, y = classes[3].X, classes[3].y
    expected = svm.LinearSVC(multi_class="crammer_singer", C=C, **SVM).fit(X, y)
    scores = scores_of(fit, X, y, "crammer-singer")
    assert_allclose(scores, expected.decision_function(X), atol=1e-4)


@pytest.mark.parametrize(
    ("loss", "name"),
    [
        ("epsilon-insensitive", "epsilon_insensitive"),
        ("squared-epsilon-insensitive", "squared_epsilon_insensitive"),
    ],
)
def test_support_vector_regression(reals, fit, loss, name):
    X, y = reals
    regression = svm.LinearSVR(loss=name, epsilon=0.3, C=C, dual=True, **SVM)
    expected = regression.fit(X, y).predict(X)
    assert_allclose(scores_of(fit, X, y, loss, epsilon=0.3), expected, atol=1e-4)


def logistic_regression(**choices):
    return linear_model.LogisticRegression(
        C=C, fit_intercept=False, tol=1e-12, max_iter=10_000, **choices
    )


def test_logistic_regression_of_two_classes(classes, fit):
    X, y = classes[2].X, classes[2].y
    expected = logistic_regression().fit(X, y)
    assert_allclose(scores_of(fit, X, y, "logistic"), expected.decision_function(X), atol=1e-4)


def test_logistic_regression_one_against_the_rest(classes, fit):
    X, y = classes[3].X, classes[3].y
    columns = [logistic_regression().fit(X, y == j).decision_function(X) for j in range(3)]
    assert_allclose(scores_of(fit, X, y, "logistic"), np.column_stack(columns), atol=1e-4)


def test_softmax_of_several_classes(classes, fit):
    X, y = classes[3].X, classes[3].y
    expected = logistic_regression().fit(X, y)
    model = fit(Problem.from_arrays(X, y), solver=32, loss="softmax", C=C, gap_tol=1e-12)
    probabilities = model.predict_proba(X)[:, np.argsort(model.labels)]
    assert_allclose(probabilities, expected.predict_proba(X), atol=1e-5)


def test_ridge_regression(reals, fit):
    X, y = reals
    expected = linear_model.Ridge(alpha=1 / C, fit_intercept=False, tol=1e-14).fit(X, y).predict(X)
    assert_allclose(scores_of(fit, X, y, "squared"), expected, atol=1e-5)


def test_elastic_net(reals, fit):
    X, y = reals
    n, l1 = len(y), 3.0
    # ½‖w‖² + S‖w‖₁ + C Σ ½r² over C n: 1/(2n) Σ r² + a ρ ‖w‖₁ + a (1 − ρ)/2 ‖w‖²
    penalty = linear_model.ElasticNet(
        alpha=(1 + l1) / (C * n), l1_ratio=l1 / (1 + l1), fit_intercept=False, tol=1e-14
    )
    expected = penalty.fit(X, y).predict(X)
    given = {"regularizer": "elastic-net", "l1": l1}
    assert_allclose(scores_of(fit, X, y, "squared", **given), expected, atol=1e-5)
    assert (penalty.coef_ == 0).any()


def test_an_intercept_that_is_not_regularized(reals, classes, fit):
    X, y = reals
    X = X + 2.0
    expected = linear_model.Ridge(alpha=1 / C, tol=1e-14).fit(X, y)
    problem = Problem.from_arrays(X, y, bias=1.0)
    given = {"solver": 32, "C": C, "gap_tol": 1e-12, "free_bias": True}
    model = fit(problem, loss="squared", **given)
    assert_allclose(model.weights[:5, 0], expected.coef_, atol=1e-5)
    assert_allclose(model.weights[5, 0], expected.intercept_, atol=1e-5)
    for k in (2, 3):
        X, y = classes[k].X, classes[k].y
        problem = Problem.from_arrays(X, y, bias=1.0)
        model = fit(problem, loss="logistic", **given)
        columns = enumerate(model.labels[: model.weights.shape[1]])
        for column, label in columns:
            logistic = linear_model.LogisticRegression(C=C, tol=1e-12, max_iter=10_000)
            logistic.fit(X, y == label)
            assert_allclose(model.weights[:5, column], logistic.coef_[0], atol=1e-4)
            assert_allclose(model.weights[5, column], logistic.intercept_[0], atol=1e-4)


def test_a_free_intercept_needs_a_column(reals, fit):
    with pytest.raises(
        ValueError, match="free_bias needs a problem with a bias above 0: its bias is -1"
    ):
        fit(Problem.from_arrays(*reals), solver=32, loss="squared", free_bias=True)
