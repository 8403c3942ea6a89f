"""Classes with scikit-learn's names have scikit-learn's parameters, defaults and optimum."""

import inspect

import numpy as np
import pytest
import sklearn.linear_model
import sklearn.svm
from numpy.testing import assert_allclose
from scipy.special import logsumexp
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

import rrmlinear
from rrmlinear.solvers.loop.result import Status

SVM, LINEAR = sklearn.svm, sklearn.linear_model
#: How near theirs come where their tol is smaller than any.
TIGHT = {
    "LinearSVC": {"tol": 1e-10, "max_iter": 10**6},
    "LinearSVR": {"tol": 1e-10, "max_iter": 10**6},
    "LogisticRegression": {"tol": 1e-10, "max_iter": 10**5},
    "Ridge": {"tol": 1e-12},
    "Lasso": {"tol": 1e-12, "max_iter": 10**6},
    "ElasticNet": {"tol": 1e-12, "max_iter": 10**6},
    "QuantileRegressor": {},
}
#: Defaults that differ on purpose: passes are other ones than theirs, and "auto" chooses.
OTHER_DEFAULTS = {"max_iter", "solver"}


def theirs(name):
    return getattr(SVM, name, None) or getattr(LINEAR, name)


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 6)) + 0.5
    y = X @ [1, -2, 0.5, 0, 0, 3] + 7 + 0.3 * rng.standard_normal(80)
    y[::9] += 4
    return X, y


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X)[:120] + 0.5, y[:120]


@pytest.mark.parametrize("name", TIGHT)
def test_parameters_and_defaults_are_theirs(name):
    ours = inspect.signature(getattr(rrmlinear, name)).parameters
    for parameter, row in inspect.signature(theirs(name)).parameters.items():
        assert parameter in ours, parameter
        if parameter not in OTHER_DEFAULTS:
            assert ours[parameter].default == row.default, parameter


def scores_of(model, X):
    return X @ np.atleast_2d(model.coef_).T + np.atleast_1d(model.intercept_)


def residuals_of(model, X, y):
    return y - scores_of(model, X)[:, 0]


def assert_are_optimal(objective, ours, other, above=1e-9):
    mine, peer = objective(ours), objective(other)
    assert ours.objective_ == pytest.approx(mine, rel=1e-8)
    assert mine == pytest.approx(peer, rel=1e-6)
    assert mine <= peer * (1 + above)


def svc(model, X, y, weights, *, C=1.0, loss="squared_hinge", penalty="l2", fit_intercept=True,
        intercept_scaling=1.0, class_weight=None):  # fmt: skip
    """The objective of LinearSVC, each class against the rest."""
    classes = np.unique(y)
    scores = scores_of(model, X)
    total = 0.0
    for j in range(scores.shape[1]):
        own = classes[j] if scores.shape[1] > 1 else classes[1]
        each = np.maximum(0, 1 - np.where(y == own, 1, -1) * scores[:, j])
        factor = np.ones(len(y))
        if class_weight == "balanced":
            counts = {c: weights[y == c].sum() for c in classes}
            of = {c: weights.sum() / (len(classes) * counts[c]) for c in classes}
            one = scores.shape[1] == 1
            factor = np.array([of[c] if one or c == own else 1.0 for c in y])
        total += C * (weights * factor * (each**2 if loss == "squared_hinge" else each)).sum()
    b = np.atleast_1d(model.intercept_) / intercept_scaling if fit_intercept is True else [0.0]
    w = np.concatenate([np.ravel(model.coef_), b])
    return total + (w @ w / 2 if penalty == "l2" else np.abs(w).sum())


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"loss": "hinge", "C": 0.2, "intercept_scaling": 2.0},
        {"penalty": "l1", "C": 0.3},
        {"fit_intercept": False, "C": 0.1},
        {"class_weight": "balanced", "C": 0.5},
    ],
)
def test_linear_svc(flowers, classes, choices):
    X, y = flowers[0][flowers[1] < classes], flowers[1][flowers[1] < classes]
    weights = np.random.default_rng(1).random(len(y)) + 0.5
    ours = rrmlinear.LinearSVC(**choices, tol=1e-9).fit(X, y, weights)
    dual = choices.get("loss") == "hinge"
    other = SVM.LinearSVC(**choices, dual=dual, **TIGHT["LinearSVC"]).fit(X, y, weights)
    assert ours.status_ in (Status.SOLVED, Status.BOUNDED)
    assert_are_optimal(lambda model: svc(model, X, y, weights, **choices), ours, other)
    assert ours.coef_.shape == other.coef_.shape
    assert ours.intercept_.shape == np.shape(other.intercept_ * np.ones(len(ours.coef_)))
    assert (ours.predict(X) == other.predict(X)).all()


def test_linear_svc_of_all_classes(flowers):
    X, y = flowers
    choices = {"C": 0.05, "multi_class": "crammer_singer", "fit_intercept": False}
    ours = rrmlinear.LinearSVC(**choices, tol=1e-10).fit(X, y)
    other = SVM.LinearSVC(**choices, **TIGHT["LinearSVC"]).fit(X, y)
    assert_allclose(ours.coef_, other.coef_, atol=1e-4)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("choices", [{}, {"epsilon": 0.2, "C": 0.4, "intercept_scaling": 3.0}])
def test_linear_svr(numbers, loss, choices):
    X, y = numbers
    ours = rrmlinear.LinearSVR(loss=loss, **choices, tol=1e-9).fit(X, y)
    other = SVM.LinearSVR(loss=loss, **choices, **TIGHT["LinearSVR"]).fit(X, y)

    def objective(model):
        b = np.atleast_1d(model.intercept_)[0] / choices.get("intercept_scaling", 1.0)
        each = np.maximum(0, np.abs(residuals_of(model, X, y)) - choices.get("epsilon", 0.0))
        total = (each if loss == "epsilon_insensitive" else each**2).sum()
        return choices.get("C", 1.0) * total + (model.coef_ @ model.coef_ + b * b) / 2

    assert ours.intercept_.shape == other.intercept_.shape
    assert_are_optimal(objective, ours, other)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"C": 0.2, "class_weight": "balanced"},
        {"C": 0.3, "l1_ratio": 1.0, "solver": "saga"},
        {"C": 5.0, "l1_ratio": 0.4, "solver": "saga"},
        {"C": 2.0, "fit_intercept": False, "solver": "newton-cg"},
    ],
)
def test_logistic_regression(flowers, classes, choices):
    X, y = flowers[0][flowers[1] < classes], flowers[1][flowers[1] < classes]
    weights = np.random.default_rng(1).random(len(y)) + 0.5
    ours = rrmlinear.LogisticRegression(**choices, tol=1e-9, max_iter=10**5).fit(X, y, weights)
    other = LINEAR.LogisticRegression(**choices, **TIGHT["LogisticRegression"]).fit(X, y, weights)
    factor = np.ones(classes)
    if "class_weight" in choices:
        factor = weights.sum() / (classes * np.bincount(y, weights))

    def objective(model):
        scores = scores_of(model, X)
        scores = np.c_[np.zeros(len(y)), scores] if classes == 2 else scores
        each = logsumexp(scores, axis=1) - scores[np.arange(len(y)), y]
        total = choices.get("C", 1.0) * (factor[y] * weights * each).sum()
        w, ratio = np.ravel(model.coef_), choices.get("l1_ratio", 0.0)
        return total + ratio * np.abs(w).sum() + (1 - ratio) * w @ w / 2

    assert ours.status_ is Status.SOLVED
    assert_are_optimal(objective, ours, other, 2e-9)
    assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=2e-3)


def test_logistic_regression_of_liblinear_has_its_intercept(two_classes):
    X, y = two_classes
    choices = {"solver": "liblinear", "C": 0.5, "intercept_scaling": 2.0}
    ours = rrmlinear.LogisticRegression(**choices, tol=1e-10).fit(X, y)
    other = LINEAR.LogisticRegression(**choices, **TIGHT["LogisticRegression"]).fit(X, y)
    assert_allclose(ours.coef_, other.coef_, atol=1e-5)
    assert_allclose(ours.intercept_, other.intercept_, atol=1e-5)


def mean_of(weights, each):
    return weights @ each / weights.sum()


OBJECTIVES = {
    "Ridge": lambda w, r, c, a: c @ r**2 + a * w @ w,
    "Lasso": lambda w, r, c, a: mean_of(c, r**2) / 2 + a * np.abs(w).sum(),
    "ElasticNet": lambda w, r, c, a, l1_ratio=0.5: (
        mean_of(c, r**2) / 2 + a * l1_ratio * np.abs(w).sum() + a * (1 - l1_ratio) * w @ w / 2
    ),
    "QuantileRegressor": lambda w, r, c, a, quantile=0.5: (
        mean_of(c, np.maximum(quantile * r, (quantile - 1) * r)) + a * np.abs(w).sum()
    ),
}


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("Ridge", {}),
        ("Ridge", {"alpha": 20.0, "solver": "svd"}),
        ("Ridge", {"alpha": 2.0, "positive": True}),
        ("Lasso", {}),
        ("Lasso", {"alpha": 0.1, "selection": "cyclic"}),
        ("Lasso", {"alpha": 0.1, "positive": True}),
        ("ElasticNet", {}),
        ("ElasticNet", {"alpha": 0.2, "l1_ratio": 0.9}),
        ("ElasticNet", {"alpha": 0.1, "l1_ratio": 0.3, "positive": True}),
        ("QuantileRegressor", {"alpha": 0.1}),
        ("QuantileRegressor", {"quantile": 0.8, "alpha": 0.02}),
    ],
)
def test_regressions(numbers, name, choices, intercept):
    X, y = numbers
    weights = np.random.default_rng(1).random(80) + 0.1
    choices = choices | {"fit_intercept": intercept}
    ours = getattr(rrmlinear, name)(**choices, **({"tol": 1e-10})).fit(X, y, weights)
    other = theirs(name)(**choices, **TIGHT[name]).fit(X, y, weights)
    numbers_of = {n: v for n, v in choices.items() if n in ("l1_ratio", "quantile")}

    def objective(model):
        r = residuals_of(model, X, y)
        return OBJECTIVES[name](model.coef_, r, weights, choices.get("alpha", 1.0), **numbers_of)

    assert ours.status_ in (Status.SOLVED, Status.BOUNDED)
    assert_are_optimal(objective, ours, other, 1e-8)
    assert isinstance(ours.intercept_, float)


def test_huber_at_their_scale(numbers):
    X, y = numbers
    other = LINEAR.HuberRegressor(epsilon=1.5, alpha=0.7, tol=1e-10, max_iter=5000).fit(X, y)
    ours = rrmlinear.HuberRegressor(
        delta=1.5 * other.scale_, alpha=0.7 * other.scale_, tol=1e-12
    ).fit(X, y)
    assert_allclose(ours.coef_, other.coef_, atol=1e-4)
    assert ours.intercept_ == pytest.approx(other.intercept_, abs=1e-4)


def test_the_penalty_of_before_is_a_ratio(two_classes):
    for penalty, ratio in (("l1", 1.0), ("l2", 0.0)):
        before = rrmlinear.LogisticRegression(penalty, C=0.3).fit(*two_classes)
        now = rrmlinear.LogisticRegression(C=0.3, l1_ratio=ratio).fit(*two_classes)
        assert (before.coef_ == now.coef_).all()
    with pytest.raises(ValueError, match="The 'penalty' parameter of LogisticRegression must be"):
        rrmlinear.LogisticRegression(penalty="l3").fit(*two_classes)
