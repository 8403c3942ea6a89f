"""The limit alpha → 0: the law of continuity, and certificates."""

import time
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from scipy.special import expit, log_expit
from sklearn.exceptions import ConvergenceWarning

from rrmlinear import (
    ElasticNet,
    HuberRegressor,
    Lasso,
    LogisticRegression,
    QuantileRegressor,
    Ridge,
)
from rrmlinear.solvers.loop.result import Status
from tests.support.least_losses import (
    LEAST_SQUARES,
    check,
    fitted,
    least_huber,
    least_quantile,
    least_squares,
    unlike,
)

#: A model for each alpha, its penalty of weights, and what alpha = 0 is there.
LIMITS = {
    "ridge": (lambda a: Ridge(alpha=a, tol=1e-10), lambda w: (w**2).sum()),
    "lasso": (lambda a: Lasso(alpha=a, tol=1e-10), lambda w: np.abs(w).sum()),
    "net": (
        lambda a: ElasticNet(alpha=a, tol=1e-10),
        lambda w: (np.abs(w).sum() + (w**2).sum() / 2) / 2,
    ),
    "huber": (lambda a: HuberRegressor(delta=0.7, alpha=a, tol=1e-10), lambda w: (w**2).sum()),
    "quantile": (
        lambda a: QuantileRegressor(quantile=0.7, alpha=a, tol=1e-10),
        lambda w: np.abs(w).sum(),
    ),
    "logistic": (
        lambda a: LogisticRegression(C=1 / a if a else np.inf, tol=1e-10),
        lambda w: (w**2).sum() / 2,
    ),
}
LIMITS["softmax"] = LIMITS["logistic"]


@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize(
    ("decades", "form"), [((1, -1), "dense"), ((2, -2), "sparse"), ((2, -2), "offset")]
)
@pytest.mark.parametrize("intercept", [True, False])
def test_small_alphas_lead_to_alpha_0(name, decades, form, intercept):
    """F(w_0) ≤ F(w_a) ≤ F(w_0) + a Ω(w_0), and the second term vanishes with a."""
    _, y, X = unlike(decades, form)
    classes = {"logistic": 2, "softmax": 3}.get(name, 0)
    if classes:
        noisy = y + 2 * np.random.default_rng(1).normal(size=len(y))
        y = np.digitize(noisy, np.quantile(noisy, np.arange(1, classes) / classes))
    make, penalty = LIMITS[name]
    limit = fitted(make(0).set_params(fit_intercept=intercept), X, y)
    last = np.inf
    for alpha in (1e-2, 1e-4, 1e-6, 1e-8):
        model = make(alpha).set_params(fit_intercept=intercept).fit(X, y)
        scale = alpha if classes else 1.0  # Ω + C F is the objective of this class
        value = scale * model.objective_ - alpha * penalty(model.coef_)
        slack = 1e-9 * limit.objective_ + scale * model.duality_gap_
        assert value >= limit.objective_ - slack
        assert value <= limit.objective_ + alpha * penalty(limit.coef_) + slack
        assert value <= last + slack
        last = value
    assert last == pytest.approx(limit.objective_, rel=1e-5)


@pytest.mark.parametrize("family", LEAST_SQUARES)
@pytest.mark.parametrize("shape", [(4, 11), (5, 30), (3, 3), (1, 2), (20, 20), (50, 20)])
@pytest.mark.parametrize("intercept", [True, False])
def test_residuals_of_zero_end_at_once(family, shape, intercept):
    rng = np.random.default_rng(shape[0])
    X, w = rng.normal(size=shape), rng.normal(size=shape[1])
    y = X @ w if shape[0] > shape[1] else rng.normal(size=shape[0])
    model = fitted(family(alpha=0, fit_intercept=intercept), X, y)
    assert model.n_iter_ <= 5
    assert model.objective_ <= 1e-25 * (1 + y @ y)
    centred = X - X.mean(axis=0) if intercept else X
    shortest = np.linalg.pinv(centred) @ (y - y.mean() if intercept else y)
    assert_allclose(model.coef_, shortest, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("decades", [(0, 0), (4, -4)])
@pytest.mark.parametrize("intercept", [True, False])
def test_columns_that_repeat_have_the_shortest_weights(decades, intercept):
    X, y, _ = unlike(decades)
    X = np.column_stack([X, X[:, 0] * 3.0, np.full(len(X), 7.0), X[:, 1] - X[:, 2]])
    model = fitted(Ridge(alpha=0, fit_intercept=intercept), X, y)
    optimum = least_squares(X, y, intercept)
    check(model, ((y - X @ model.coef_ - model.intercept_) ** 2).sum(), optimum)
    # weights are the shortest where those that change no score do not shorten them
    idle = np.array([[3, 0, 0, 0, -1, 0, 0], [0, 1, -1, 0, 0, 0, -1], [0, 0, 0, 0, 0, 1, 0]])
    idle = idle if intercept else idle[:2]
    shortest = model.coef_ - np.linalg.pinv(idle) @ (idle @ model.coef_)
    assert np.linalg.norm(model.coef_) <= np.linalg.norm(shortest) * (1 + 1e-12)
    assert_allclose(model.coef_, shortest, rtol=1e-9, atol=1e-7 * np.abs(shortest).max())


def test_classes_of_several_have_the_shortest_weights():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    X = np.column_stack([X, 2 * X[:, 0]])
    label = rng.integers(0, 3, 150)
    for intercept in (True, False):
        limit = fitted(LogisticRegression(C=np.inf, fit_intercept=intercept), X, label)
        near = LogisticRegression(C=1e8, fit_intercept=intercept, tol=1e-12).fit(X, label)
        assert np.abs(limit.coef_.sum(axis=0)).max() <= 1e-15
        assert_allclose(limit.coef_, near.coef_, rtol=1e-4, atol=1e-6)
        assert_allclose(limit.coef_[:, 4], 2 * limit.coef_[:, 0], rtol=1e-9)
        assert_allclose(limit.predict_proba(X), near.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("ratio", [1.0, 1e7])
def test_classes_with_a_minimum_and_without(ratio):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 2)) * [ratio, 1 / ratio]
    apart = (X @ [1 / ratio, ratio] > 0).astype(int)
    fitted(LogisticRegression(C=np.inf), X, np.where(rng.random(80) < 0.1, 1 - apart, apart))
    with pytest.warns(ConvergenceWarning, match="no minimum"):
        model = LogisticRegression(C=np.inf).fit(X, apart)
    assert model.status_ is Status.NO_MINIMUM
    assert model.score(X, apart) == 1
    margins = np.where(apart, 1, -1) * model.decision_function(X)
    assert margins.min() > 0  # the direction that proves it
    assert model.duality_gap_ == model.objective_


def test_one_class_against_the_rest():
    X, y, _ = unlike((5, -2))
    label = np.digitize(y + 2 * np.random.default_rng(1).normal(size=len(y)), [0, 4])
    c = np.random.default_rng(2).random(len(y)) + 0.5
    model = LogisticRegression(C=np.inf, solver="liblinear", class_weight={1: 2.0})
    fitted(model, X, label, c)
    value = 0.0
    for j in range(3):
        signs, costs = np.where(label == j, 1, -1), c * np.where((label == j) & (j == 1), 2.0, 1.0)
        scores = X @ model.coef_[j] + model.intercept_[j]
        value -= costs @ log_expit(signs * scores)
        slopes = costs * signs * expit(-signs * scores)
        assert_allclose(model.dual_coef_[:, j] * costs, slopes, atol=1e-7)
        assert_allclose(slopes @ (X / np.abs(X).max(axis=0)), 0, atol=1e-6)
    assert model.objective_ == pytest.approx(value, rel=1e-10)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("passes", [1, 2, 5])
def test_the_gap_is_no_less_than_what_is_above_the_minimum(seed, passes):
    """Where the passes end early too: other solvers, which need many."""
    rng = np.random.default_rng(seed)
    X, y, _ = unlike(rng.choice([-6, 0, 6], 2), rng.choice(["dense", "offset"]), 40, 5, seed)
    how = {"fit_intercept": bool(seed % 2), "max_iter": passes}
    quantile = QuantileRegressor(alpha=0, quantile=0.8, solver="pdprox-dual", **how)
    huber = HuberRegressor(alpha=0, delta=0.3, solver="prox-sdca", **how)
    squares = Ridge(alpha=0, solver="fista", **how)
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        for model in (quantile, huber, squares):
            model.fit(X, y)
    intercept = how["fit_intercept"]
    optima = (
        (quantile, least_quantile(X, y, intercept, 0.8)),
        (huber, least_huber(X, y, intercept, 0.3)),
        (squares, least_squares(X, y, intercept)),
    )
    for model, optimum in optima:
        assert model.objective_ - optimum <= model.duality_gap_ + 1e-9 * optimum


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.9])
def test_quantiles_of_raw_data(data_set, quantile):
    problem = data_set("cadata")
    X, y = problem.to_scipy().toarray(), problem.labels
    model = fitted(QuantileRegressor(alpha=0, quantile=quantile), X, y)
    scaled = fitted(QuantileRegressor(alpha=0, quantile=quantile), X / X.std(axis=0), y)
    assert model.objective_ == pytest.approx(scaled.objective_, rel=1e-7)
    # duals in the box that no column of X meets prove it, whatever the solver
    alphas, lengths = model.dual_coef_, np.linalg.norm(X, axis=0)
    assert quantile - 1 - 1e-12 <= alphas.min() <= alphas.max() <= quantile + 1e-12
    assert np.abs(alphas @ X / lengths).max() <= 1e-9 * np.linalg.norm(alphas)
    assert abs(alphas.sum()) <= 1e-9 * np.abs(alphas).sum()
    assert alphas @ y / len(y) >= model.objective_ * (1 - 1e-7)


@pytest.mark.parametrize("family", [Ridge, HuberRegressor, QuantileRegressor, Lasso])
@pytest.mark.parametrize("alpha", [1e-18, 1e-20])
@pytest.mark.parametrize("shape", [(20, 60), (30, 30), (31, 30), (60, 20)])
def test_an_alpha_that_is_rounding_ends_where_alpha_0_does(family, alpha, shape):
    rng = np.random.default_rng(shape[1])
    X, y = rng.normal(size=shape), rng.normal(size=shape[0]) + 1
    for intercept in (True, False):
        model = fitted(family(alpha=alpha, fit_intercept=intercept), X, y)
        limit = fitted(family(alpha=0, fit_intercept=intercept), X, y)
        scale = family(alpha=1.0, fit_intercept=intercept).fit(X, 1000 + y).objective_
        assert model.n_iter_ <= limit.n_iter_ + 5
        assert model.objective_ == pytest.approx(limit.objective_, rel=1e-6, abs=1e-13 * scale)


@pytest.mark.parametrize("as_sparse", [True, False])
def test_wide_data_are_fitted_or_have_no_minimum(as_sparse):
    rng = np.random.default_rng(0)
    X = rng.random((200, 2500)) * (rng.random((200, 2500)) < 0.02)
    y = rng.normal(size=200)
    given = csr_array(X) if as_sparse else X
    for family in (Ridge, HuberRegressor):
        model = fitted(family(alpha=0), given, y)
        assert model.objective_ <= 1e-20
    for label in ((y > 0).astype(int), np.digitize(y, [-0.5, 0.5])):
        with pytest.warns(ConvergenceWarning, match="no minimum"):
            model = LogisticRegression(C=np.inf).fit(given, label)
        assert model.status_ is Status.NO_MINIMUM
        assert model.score(given, label) == 1
        assert model.objective_ <= 1e-10


@pytest.mark.parametrize("seed", range(2))
def test_a_warm_start_takes_weights_and_duals(seed):
    X, y, _ = unlike((3, -3), "offset", 200, 6, seed)
    label = (y + 2 * np.random.default_rng(1).normal(size=len(y)) > np.median(y)).astype(int)
    quantile = QuantileRegressor(alpha=0, quantile=0.7, warm_start=True)
    for model, target in ((quantile, y), (LogisticRegression(C=np.inf, warm_start=True), label)):
        first, optimum = fitted(model, X, target).n_iter_, model.objective_
        again = fitted(model, X, target)
        assert again.n_iter_ <= min(first, 2)
        assert again.objective_ == pytest.approx(optimum, rel=1e-9)


def test_limits_hold_for_all_rounds():
    X, y, _ = unlike((3, -3), "dense", 300, 20)
    for most in (1, 2, 3, 4):
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            model = QuantileRegressor(alpha=0, max_iter=most).fit(X, y)
        assert model.n_iter_ <= most
    X = np.random.default_rng(0).normal(size=(1000, 900))
    X[:, 0] = X[:, 1] + 1e-9 * X[:, 0]
    y, begun = X @ np.ones(900) + X[:, 5] ** 2, time.perf_counter()
    model = QuantileRegressor(alpha=0, solver_options={"time_limit": 0.05})
    with pytest.warns(ConvergenceWarning, match="time limit"):
        model.fit(X, y)
    assert time.perf_counter() - begun < 10


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("size", [1e20, 1e200])
def test_a_row_beside_which_all_others_are_rounding_proves_nothing(size, intercept):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = X @ rng.normal(size=4) + 0.5 * rng.normal(size=200)
    X[7] *= size
    for model, labels in (
        (Ridge(alpha=0, fit_intercept=intercept), y),
        (LogisticRegression(C=np.inf, fit_intercept=intercept), y > 0),
    ):
        with warnings.catch_warnings(action="ignore"):
            model.fit(X, labels)
        assert model.status_ is not Status.SOLVED
        assert model.duality_gap_ == model.objective_


def least_ridge(X, y, alpha):
    """The least objective with an intercept, by rows of √alpha under the data."""
    A = np.vstack([X - X.mean(axis=0), np.sqrt(alpha) * np.eye(X.shape[1])])
    b = np.r_[y - y.mean(), np.zeros(X.shape[1])]
    r = (
        A
        @ (
            np.linalg.lstsq(A / np.linalg.norm(A, axis=0), b, rcond=1e-15)[0]
            / np.linalg.norm(A, axis=0)
        )
        - b
    )
    return float(r @ r)


@pytest.mark.parametrize("alpha", [1e-24, 1e-20, 1e-16, 1e-13, 1e-12, 1e-11, 1e-8, 1e-4, 1e-2])
@pytest.mark.parametrize("shape", [(600, 150), (150, 600)])
def test_a_penalty_that_counts_for_some_columns_alone(alpha, shape):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=shape) * np.logspace(-8, 8, shape[1]), rng.normal(size=shape[0])
    model = fitted(Ridge(alpha=alpha), X, y)
    r = y - X @ model.coef_ - model.intercept_
    assert model.objective_ == pytest.approx(r @ r + alpha * model.coef_ @ model.coef_, rel=1e-9)
    if shape[0] > shape[1]:
        assert model.objective_ == pytest.approx(least_ridge(X, y, alpha), rel=1e-9)
    assert model.n_iter_ <= 20


@pytest.mark.parametrize("alpha", [1e-4, 1e-8, 1e-12, 1e-16])
@pytest.mark.parametrize("intercept", [True, False])
def test_a_tiny_penalty_proves_its_digits(alpha, intercept):
    """Residuals of 0 for alpha = 0: the objective is all penalty, and the weights the shortest."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 60)) * np.logspace(-3, 3, 60)
    y = rng.normal(size=20)
    model = fitted(Ridge(alpha=alpha, fit_intercept=intercept, tol=1e-8), X, y)
    limit = fitted(Ridge(alpha=0, fit_intercept=intercept), X, y)
    assert model.objective_ == pytest.approx(alpha * limit.coef_ @ limit.coef_, rel=1e-5)
    assert_allclose(model.coef_, limit.coef_, rtol=1e-5, atol=1e-7 * np.abs(limit.coef_).max())


@pytest.mark.parametrize(("n", "alpha"), [(20, 1e-14), (30, 1e-13), (20, 1e-12)])
def test_quantiles_whose_objective_is_near_rounding_end(n, alpha):
    """Rounding of the scores hides the last digits: no passes without end."""
    rng = np.random.default_rng(27)
    X, y = rng.normal(size=(n, n)), rng.normal(size=n)
    model = QuantileRegressor(alpha=alpha)
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        model.fit(X, y)
    assert model.status_ in (Status.SOLVED, Status.HIDDEN, Status.STALLED)
    assert model.n_iter_ <= 2000
    limit = fitted(QuantileRegressor(alpha=0), X, y)
    most = alpha * np.abs(limit.coef_).sum() + limit.objective_
    assert model.objective_ <= most + model.duality_gap_
