"""The limit alpha → 0: columns of unlike size, the law of continuity, and certificates."""

import time
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog, minimize, nnls
from scipy.sparse import csr_array
from scipy.special import expit, log_expit, logsumexp, softmax
from sklearn.datasets import make_regression
from sklearn.exceptions import ConvergenceWarning

import rrmlinear
from rrmlinear import (
    ElasticNet,
    HuberRegressor,
    Lasso,
    LogisticRegression,
    QuantileRegressor,
    Ridge,
)
from rrmlinear.solvers.loop.result import Status

LEAST_SQUARES = [Ridge, Lasso, ElasticNet]
#: Where the lengths of columns lie, in decades; and the form of the data.
DECADES = [(0, 0), (5, -2), (-4, 4), (-8, 0), (8, 0)]
FORMS = ["dense", "sparse", "float32", "offset"]


def unlike(decades, form="dense", n=120, d=4, seed=0):
    """Data, numbers and two classes; the columns have lengths between 10 to the two decades."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + (3.0 if form == "offset" else 0.0)
    if form == "sparse":
        X *= rng.random(X.shape) < 0.5
    w = rng.normal(size=d)
    y = X @ w + rng.normal(size=n) + 2.0
    X = X * np.logspace(*decades, d)
    X = X.astype(np.float32) if form == "float32" else X
    return X, y, (csr_array(X) if form == "sparse" else X)


def columns(X, intercept, c=1.0):
    """Orthonormal columns with the scores of all weights, from columns scaled to one length."""
    X = np.asarray(X, dtype=np.float64)
    X = np.column_stack([X, np.ones(len(X))]) if intercept else X
    X = np.sqrt(c)[:, np.newaxis] * X if np.ndim(c) else X
    lengths = np.linalg.norm(X, axis=0)
    U, S, _ = np.linalg.svd(X / np.where(lengths > 0, lengths, 1.0), full_matrices=False)
    U = U[:, 1e-12 * S[0] < S]
    return U / np.sqrt(c)[:, np.newaxis] if np.ndim(c) else U


def least_squares(X, y, intercept, c=1.0):
    U, roots = columns(X, intercept, c), np.sqrt(c) * np.ones(len(y))
    U = roots[:, np.newaxis] * U
    return float(np.sum((roots * y - U @ (U.T @ (roots * y))) ** 2))


def least_quantile(X, y, intercept, q):
    U = columns(X, intercept)
    n, d = U.shape
    costs = np.r_[np.zeros(d), np.full(n, q), np.full(n, 1 - q)]
    bounds = [(None, None)] * d + [(0, None)] * (2 * n)
    equal = np.c_[U, np.eye(n), -np.eye(n)]
    return linprog(costs, A_eq=equal, b_eq=y, bounds=bounds, method="highs").fun / n


def lowest(function, size):
    """The minimum of a smooth function with its gradient, by L-BFGS."""
    options = {"maxiter": 10**4, "ftol": 1e-16, "gtol": 1e-11}
    return minimize(function, np.zeros(size), jac=True, method="L-BFGS-B", options=options).fun


def least_huber(X, y, intercept, delta):
    U = columns(X, intercept)

    def function(z):
        r = y - U @ z
        clipped = np.clip(r, -delta, delta)
        return float(np.sum(clipped * (2 * r - clipped))), -2 * U.T @ clipped

    return lowest(function, U.shape[1])


def least_logistic(X, label, intercept):
    U, k = columns(X, intercept), label.max() + 1
    own = np.eye(k)[label]

    def function(z):
        s = U @ z.reshape(-1, k)
        value = logsumexp(s, axis=1).sum() - (own * s).sum()
        return value, (U.T @ (softmax(s, axis=1) - own)).ravel()

    return lowest(function, U.shape[1] * k)


def fitted(model, X, y, *weights):
    """The model, fitted without a warning, and SOLVED."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, y, *weights)
    assert model.status_ is Status.SOLVED
    return model


def check(model, value, optimum):
    """The objective is that of the weights, the optimum, and no further above it than the gap."""
    assert model.objective_ == pytest.approx(value, rel=1e-7)
    assert optimum * (1 - 1e-8) <= model.objective_
    assert model.objective_ <= optimum * (1 + 1e-8) + model.duality_gap_
    assert model.duality_gap_ <= 1e-4 * optimum


@pytest.mark.parametrize("decades", DECADES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("intercept", [True, False])
class TestColumnsOfUnlikeSize:
    @pytest.mark.parametrize("family", LEAST_SQUARES)
    def test_least_squares(self, decades, form, intercept, family):
        X, y, given = unlike(decades, form)
        model = fitted(family(alpha=0, fit_intercept=intercept), given, y)
        parts = 1 if family is Ridge else 2 * len(y)
        r = y - X.astype(float) @ model.coef_ - model.intercept_
        check(model, r @ r / parts, least_squares(X, y, intercept) / parts)

    @pytest.mark.parametrize("quantile", [0.5, 0.9])
    def test_quantiles(self, decades, form, intercept, quantile):
        X, y, given = unlike(decades, form)
        model = QuantileRegressor(alpha=0, quantile=quantile, fit_intercept=intercept)
        fitted(model, given, y)
        r = y - X.astype(float) @ model.coef_ - model.intercept_
        value = np.maximum(quantile * r, (quantile - 1) * r).mean()
        check(model, value, least_quantile(X, y, intercept, quantile))

    def test_large_residuals(self, decades, form, intercept):
        X, y, given = unlike(decades, form)
        model = fitted(HuberRegressor(alpha=0, delta=0.5, fit_intercept=intercept), given, y)
        r = y - X.astype(float) @ model.coef_ - model.intercept_
        clipped = np.clip(r, -0.5, 0.5)
        check(model, clipped @ (2 * r - clipped), least_huber(X, y, intercept, 0.5))

    @pytest.mark.parametrize("classes", [2, 3])
    def test_classes(self, decades, form, intercept, classes):
        X, y, given = unlike(decades, form)
        noise = 2 * np.random.default_rng(1).normal(size=len(y))
        label = np.digitize(y + noise, np.quantile(y + noise, np.arange(1, classes) / classes))
        model = fitted(LogisticRegression(C=np.inf, fit_intercept=intercept), given, label)
        scores = X.astype(float) @ model.coef_.T + model.intercept_
        if classes == 2:
            value = -log_expit(np.where(label > 0, 1, -1) * scores[:, 0]).sum()
        else:
            value = (logsumexp(scores, axis=1) - scores[np.arange(len(y)), label]).sum()
            largest = np.abs(model.coef_).max(axis=0)
            assert (np.abs(model.coef_.sum(axis=0)) <= 1e-12 * largest).all()
        check(model, value, least_logistic(X, label, intercept))


@pytest.mark.parametrize("decades", [(5, -2), (-4, 4)])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("as_sparse", [True, False])
def test_weights_of_at_least_0(decades, intercept, as_sparse):
    X, y, _ = unlike(decades, d=6)
    c = np.random.default_rng(3).random(len(y)) + 0.5
    model = Ridge(alpha=0, positive=True, fit_intercept=intercept)
    fitted(model, csr_array(X) if as_sparse else X, y, c)
    assert (model.coef_ >= 0).all()
    roots = np.sqrt(c)
    A = X / np.abs(X).max(axis=0)
    t = y
    if intercept:
        A, t = A - np.average(A, axis=0, weights=c), y - np.average(y, weights=c)
    optimum = nnls(roots[:, np.newaxis] * A, roots * t)[1] ** 2
    r = y - X @ model.coef_ - model.intercept_
    check(model, c @ r**2, optimum)


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
@pytest.mark.parametrize("decades", [(1, -1), (2, -2)])
@pytest.mark.parametrize("form", ["dense", "sparse", "offset"])
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
@pytest.mark.parametrize("seed", range(3))
def test_residuals_of_zero_end_at_once(family, shape, intercept, seed):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=shape), rng.normal(size=shape[1])
    y = X @ w if shape[0] > shape[1] else rng.normal(size=shape[0])
    model = fitted(family(alpha=0, fit_intercept=intercept), X, y)
    assert model.n_iter_ <= 5
    assert model.objective_ <= 1e-25 * (1 + y @ y)
    centred = X - X.mean(axis=0) if intercept else X
    shortest = np.linalg.pinv(centred) @ (y - y.mean() if intercept else y)
    assert_allclose(model.coef_, shortest, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("alpha", [1e-12, 1e-14, 1e-16, 1e-18])
@pytest.mark.parametrize("intercept", [True, False])
def test_a_tiny_alpha_without_noise_ends_at_once(alpha, intercept):
    X, y = make_regression(100, 50, random_state=0)
    model = fitted(Ridge(alpha=alpha, fit_intercept=intercept), X, y)
    assert model.n_iter_ <= 5
    w = np.linalg.lstsq(X - X.mean(axis=0), y - y.mean(), rcond=None)[0]
    assert model.objective_ == pytest.approx(alpha * (w @ w), rel=1e-4 if intercept else 0.1)
    assert_allclose(model.coef_, w, rtol=1e-6 if intercept else 0.5, atol=1e-6 * np.abs(w).max())


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


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("passes", [1, 2, 5])
def test_the_gap_is_no_less_than_what_is_above_the_minimum(seed, passes):
    """Where the passes end early too: other solvers, which need many."""
    rng = np.random.default_rng(seed)
    X, y, _ = unlike(rng.choice([-6, 0, 6], 2), rng.choice(["dense", "offset"]), 40, 5, seed)
    how = {"fit_intercept": bool(seed % 2), "max_iter": passes}
    quantile = QuantileRegressor(alpha=0, quantile=0.8, solver="pdprox-dual", **how)
    huber = HuberRegressor(alpha=0, delta=0.3, solver="prox-sdca", **how)
    squares = Ridge(alpha=0, solver="fista", **how)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
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


def test_estimators_take_no_other_way():
    """Each of them has alpha = 0, C = inf or penalty=None here, or refuses it."""
    for name in ("LinearSVC", "LinearSVR"):
        with pytest.raises(ValueError, match="C"):
            getattr(rrmlinear, name)(C=np.inf).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("family", [Ridge, HuberRegressor, QuantileRegressor, Lasso])
@pytest.mark.parametrize("alpha", [1e-18, 1e-20])
@pytest.mark.parametrize("shape", [(20, 60), (30, 30), (31, 30), (60, 20)])
@pytest.mark.parametrize("seed", range(3))
def test_an_alpha_that_is_rounding_ends_where_alpha_0_does(family, alpha, shape, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=shape), rng.normal(size=shape[0]) + 1
    for intercept in (True, False):
        model = fitted(family(alpha=alpha, fit_intercept=intercept), X, y)
        limit = fitted(family(alpha=0, fit_intercept=intercept), X, y)
        scale = family(alpha=1.0, fit_intercept=intercept).fit(X, 1000 + y).objective_
        assert model.n_iter_ <= limit.n_iter_ + 5
        assert model.objective_ == pytest.approx(limit.objective_, rel=1e-6, abs=1e-13 * scale)


@pytest.mark.parametrize("shape", [(150, 600), (600, 150)])
@pytest.mark.parametrize("alpha", [1e-20, 1e-24])
def test_columns_of_unlike_size_beside_a_tiny_alpha(shape, alpha):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=shape) * np.logspace(-8, 8, shape[1]), rng.normal(size=shape[0])
    model = fitted(Ridge(alpha=alpha), X, y)
    assert model.n_iter_ <= 20
    optimum = least_squares(X, y, True) if shape[0] > shape[1] else 0.0
    assert model.objective_ == pytest.approx(optimum, rel=1e-4, abs=1e-13 * (y @ y))


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


@pytest.mark.parametrize("seed", range(5))
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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = QuantileRegressor(alpha=0, max_iter=most).fit(X, y)
        assert model.n_iter_ <= most
    X = np.random.default_rng(0).normal(size=(1000, 900))
    X[:, 0] = X[:, 1] + 1e-9 * X[:, 0]
    y, begun = X @ np.ones(900) + X[:, 5] ** 2, time.perf_counter()
    model = QuantileRegressor(alpha=0, solver_options={"time_limit": 0.05})
    with pytest.warns(ConvergenceWarning, match="time limit"):
        model.fit(X, y)
    assert time.perf_counter() - begun < 10


@pytest.mark.parametrize("alpha", [0.0, 1e-10, 1e-18])
@pytest.mark.parametrize("estimator", [Ridge, Lasso, ElasticNet, HuberRegressor])
def test_data_by_columns_are_data_by_rows(estimator, alpha):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5)) * [1e5, 1, 1e-3, 1, 1]
    y = X @ [1e-5, 1, 1e3, 0, 0] + rng.normal(size=40)
    by_rows, by_columns = (
        estimator(alpha=alpha).fit(form(X), y) for form in (np.array, np.asfortranarray)
    )
    assert_allclose(by_columns.predict(X), by_rows.predict(X), atol=1e-6)


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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, labels)
        assert model.status_ is not Status.SOLVED
        assert model.duality_gap_ == model.objective_
