"""SDCAClassifier and SDCARegressor against scikit-learn's estimators of the same problems."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import ElasticNet, HuberRegressor, Lasso, LogisticRegression, Ridge
from sklearn.svm import LinearSVC, LinearSVR

from rrmlinear import SDCAClassifier, SDCARegressor

EXACT = {"tol": 1e-13, "max_passes": 50_000}


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 6))
    y = X @ [1, -2, 0.5, 0, 0, 3] + 0.3 * rng.standard_normal(80)
    y[::9] += 4
    return X, y


@pytest.fixture(scope="module")
def weights():
    return np.random.default_rng(1).random(80) + 0.1


#: Our intercepts → theirs, which are not regularized.
INTERCEPTS = [(False, False), ("unregularized", True)]


@pytest.mark.parametrize(("ours", "theirs"), INTERCEPTS)
def test_ridge(numbers, weights, ours, theirs):
    X, y = numbers
    ours = SDCARegressor(C=1 / 2.5, fit_intercept=ours, **EXACT).fit(X, y + 7, weights)
    theirs = Ridge(2.5, fit_intercept=theirs, tol=1e-12).fit(X, y + 7, weights)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)


@pytest.mark.parametrize(("ours", "theirs"), INTERCEPTS)
@pytest.mark.parametrize("l1_ratio", [0.2, 0.9])
def test_elastic_net(numbers, weights, l1_ratio, ours, theirs):
    X, y = numbers
    choices = {"alpha": 0.1, "l1_ratio": l1_ratio}
    ours = SDCARegressor(**choices, fit_intercept=ours, **EXACT).fit(X, y, weights)
    theirs = ElasticNet(**choices, fit_intercept=theirs, tol=1e-12, max_iter=10**5)
    theirs.fit(X, y, weights)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert_array_equal(ours.coef_ == 0, theirs.coef_ == 0)


@pytest.mark.parametrize(("ours", "theirs"), INTERCEPTS)
def test_lasso(numbers, weights, ours, theirs):
    X, y = numbers
    ours = SDCARegressor(alpha=0.1, l1_ratio=1, fit_intercept=ours, **EXACT).fit(X, y, weights)
    theirs = Lasso(0.1, fit_intercept=theirs, tol=1e-12, max_iter=10**5).fit(X, y, weights)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert_array_equal(ours.coef_ == 0, theirs.coef_ == 0)


@pytest.mark.parametrize("loss", ["epsilon-insensitive", "squared-epsilon-insensitive"])
def test_linear_svr(numbers, loss):
    X, y = numbers
    choices = {"C": 0.4, "epsilon": 0.2, "intercept_scaling": 2.0}
    ours = SDCARegressor(loss, **choices, **EXACT).fit(X, y)
    name = loss.replace("-", "_")
    theirs = LinearSVR(loss=name, **choices, tol=1e-12, max_iter=10**6).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-5)


def test_huber_at_its_scale(numbers):
    # σ + σ H_ε(r/σ) summed, and α‖w‖²: at the best σ, 2/σ of our Huber loss with δ = εσ
    X, y = numbers
    theirs = HuberRegressor(epsilon=1.5, alpha=0.7, fit_intercept=False, tol=1e-10, max_iter=5000)
    theirs.fit(X, y)
    ours = SDCARegressor(
        "huber", huber=1.5 * theirs.scale_, C=1 / (0.7 * theirs.scale_), fit_intercept=False
    )
    ours.set_params(**EXACT).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


@pytest.mark.parametrize("loss", ["hinge", "squared-hinge"])
@pytest.mark.parametrize("class_weight", [None, {"yes": 3.0}, "balanced"])
def test_linear_svc(two_classes, loss, class_weight):
    X, y = two_classes
    choices = {"C": 0.2, "class_weight": class_weight, "intercept_scaling": 1.5}
    ours = SDCAClassifier(loss, **choices, **EXACT).fit(X, y)
    name = loss.replace("-", "_")
    theirs = LinearSVC(loss=name, **choices, dual=True, tol=1e-9, max_iter=10**6).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
    assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("class_weight", [None, {0: 2.0}, "balanced"])
def test_linear_svc_of_one_class_against_the_rest(iris, class_weight):
    X, y = iris
    choices = {"C": 0.1, "class_weight": class_weight}
    ours = SDCAClassifier(**choices, **EXACT).fit(X, y)
    theirs = LinearSVC(**choices, dual=True, tol=1e-9, max_iter=10**6).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
    assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize(("ours", "theirs"), INTERCEPTS)
def test_logistic_regression(two_classes, weights, ours, theirs):
    X, y = two_classes
    ours = SDCAClassifier("logistic", C=0.8, fit_intercept=ours, **EXACT).fit(X, y, weights)
    theirs = LogisticRegression(C=0.8, fit_intercept=theirs, tol=1e-12, max_iter=10**4)
    theirs.fit(X, y, weights)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


def test_logistic_regression_with_an_elastic_net(two_classes):
    X, y = two_classes
    choices = {"C": 0.3, "l1_ratio": 0.6, "fit_intercept": False}
    ours = SDCAClassifier("logistic", **choices, **EXACT).fit(X, y)
    theirs = LogisticRegression(**choices, solver="saga", tol=1e-12, max_iter=10**6).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert_array_equal(ours.coef_ == 0, theirs.coef_ == 0)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_multinomial_logistic_regression(iris, class_weight):
    X, y = iris
    X, y = X[:120], y[:120]
    choices = {"C": 0.5, "fit_intercept": False, "class_weight": class_weight}
    ours = SDCAClassifier("softmax", **choices, **EXACT).fit(X, y)
    theirs = LogisticRegression(**choices, tol=1e-12, max_iter=10**4).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


def test_crammer_and_singer(iris):
    X, y = iris
    choices = {"C": 0.05, "fit_intercept": False}
    ours = SDCAClassifier("crammer-singer", **choices, **EXACT).fit(X, y)
    theirs = LinearSVC(multi_class="crammer_singer", **choices, tol=1e-9, max_iter=10**6)
    assert_allclose(ours.coef_, theirs.fit(X, y).coef_, atol=1e-5)
