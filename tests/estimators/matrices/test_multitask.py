"""MultiTaskRegressor: the optimum of a conic solver, intercepts, and each mistake's sentence."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from rrmlinear import LinearRegressor, MultiTaskRegressor
from rrmlinear.solvers.loop.result import Status

N, D, K = 45, 6, 3


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, D))
    W = np.zeros((D, K))
    W[:2] = rng.standard_normal((2, K))
    return X, X @ W + 0.3 * rng.standard_normal((N, K)) + [3, 0, -1], np.arange(N) % K


def omega(cp, name, W):
    return {
        "l1inf": lambda: sum(cp.norm_inf(W[j]) for j in range(D)),
        "l21": lambda: sum(cp.norm2(W[j]) for j in range(D)),
        "trace-norm": lambda: cp.normNuc(W),
        "l1": lambda: cp.sum(cp.abs(W)),
        "l2": lambda: cp.sum_squares(W) / 2,
    }[name]()


def phi(cp, loss, r):
    return {
        "absolute": lambda: cp.abs(r),
        "squared": lambda: cp.square(r) / 2,
        "epsilon-insensitive": lambda: cp.pos(cp.abs(r) - 0.2),
        "quantile": lambda: cp.maximum(0.3 * r, -0.7 * r),
    }[loss]()


NUMBERS = {"epsilon-insensitive": {"epsilon": 0.2}, "quantile": {"quantile": 0.3}}


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", ["l1inf", "l21", "trace-norm", "l1", "l2"])
@pytest.mark.parametrize("loss", ["absolute", "squared", "epsilon-insensitive", "quantile"])
def test_the_optimum_is_that_of_a_conic_solver(data, loss, name, intercept):
    cp = pytest.importorskip("cvxpy")
    X, Y, tasks = data
    y, weights = Y[np.arange(N), tasks], 0.5 + np.arange(N) % 2
    W, b = cp.Variable((D, K)), cp.Variable(K) if intercept else np.zeros(K)
    total = sum(
        0.3 * weights[tasks == t] @ phi(cp, loss, y[tasks == t] - X[tasks == t] @ W[:, t] - b[t])
        for t in range(K)
    )
    problem = cp.Problem(cp.Minimize(omega(cp, name, W) + total))
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9)
    model = MultiTaskRegressor(
        loss, regularizer=name, C=0.3, tol=1e-6, fit_intercept=intercept, **NUMBERS.get(loss, {})
    ).fit(X, y, tasks, weights)
    assert model.status_ is Status.SOLVED
    assert (model.coef_.shape, model.intercept_.shape) == ((K, D), (K,))
    assert model.trace_[-1].primal == pytest.approx(problem.value, rel=3e-6)
    assert -1e-9 <= model.duality_gap_ <= 1e-6 * max(1, problem.value)
    if intercept:
        for t in range(K):
            own = 0.3 * (weights * model.dual_coef_)[tasks == t]
            assert abs(own.sum()) <= 1e-9 * np.abs(own).sum()
    residuals = y - model.predict(X, tasks)
    W.value, value = model.coef_.T, 0.3 * weights @ phi(cp, loss, residuals).value
    assert model.trace_[-1].primal == pytest.approx(omega(cp, name, W).value + value, rel=1e-7)


@pytest.mark.parametrize("smoothing", [None, 0.3])
@pytest.mark.parametrize("name", ["l1inf", "l21", "trace-norm"])
def test_distances_of_vectors_have_the_optimum_of_a_conic_solver(data, name, smoothing):
    cp = pytest.importorskip("cvxpy")
    X, Y, _ = data
    W = cp.Variable((D, K))
    lengths = cp.norm2(Y - X @ W, axis=1)
    if smoothing:
        lengths = cp.huber(lengths, smoothing) / (2 * smoothing)
    problem = cp.Problem(cp.Minimize(omega(cp, name, W) + 0.4 * cp.sum(lengths)))
    problem.solve(solver=cp.CLARABEL)
    for solver in ("pdprox-dual", "pdprox-primal", *(["fista"] if smoothing else [])):
        model = MultiTaskRegressor(
            "distance",
            regularizer=name,
            C=0.4,
            smoothing=smoothing,
            solver=solver,
            tol=1e-6,
            fit_intercept=False,
        ).fit(X, Y)
        assert model.status_ is Status.SOLVED
        assert model.trace_[-1].primal == pytest.approx(problem.value, rel=3e-6)
        assert model.dual_coef_.shape == (N, K)
        assert (np.linalg.norm(model.dual_coef_, axis=1) <= 1 + 1e-9).all()


def test_a_matrix_of_targets_is_tasks_of_repeated_rows(data):
    X, Y, _ = data
    whole = MultiTaskRegressor(C=0.2, tol=1e-7).fit(X, Y)
    long = MultiTaskRegressor(C=0.2, tol=1e-7).fit(
        np.repeat(X, K, axis=0), Y.ravel(), np.tile(["a", "b", "c"], N)
    )
    assert_allclose(whole.coef_, long.coef_, rtol=1e-9, atol=1e-12)
    assert_allclose(whole.dual_coef_.ravel(), long.dual_coef_, rtol=1e-9, atol=1e-12)
    assert_array_equal(long.tasks_, ["a", "b", "c"])
    assert_allclose(whole.predict(X)[:, 1], long.predict(X, np.full(N, "b")))


def test_one_task_is_an_ordinary_regression(data):
    X, Y, _ = data
    for name, other in (("l1inf", "l1"), ("l21", "l1"), ("trace-norm", "l2-norm")):
        one = MultiTaskRegressor(regularizer=name, C=0.3, tol=1e-8).fit(X, Y[:, 0])
        two = LinearRegressor("absolute", regularizer=other, C=0.3, tol=1e-8).fit(X, Y[:, 0])
        assert one.coef_.shape == (D,)
        assert one.trace_[-1].primal == pytest.approx(two.trace_[-1].primal, rel=3e-8)
        assert_allclose(one.predict(X), two.predict(X), atol=1e-3)


def test_alpha_counts_weights_and_sparse_is_dense(data):
    X, Y, tasks = data
    y, weights = Y[:, 0], 0.5 + np.arange(N) % 3
    one = MultiTaskRegressor(alpha=0.05, fit_intercept="regularized", tol=1e-7)
    one.fit(csr_array(X), y, tasks, weights)
    other = MultiTaskRegressor(
        C=1 / (0.05 * weights.sum()), fit_intercept="regularized", tol=1e-7
    ).fit(X, y, tasks, weights)
    assert one.trace_[-1].primal == pytest.approx(other.trace_[-1].primal, rel=2e-7)
    assert np.abs(one.intercept_).max() > 0.1


@pytest.mark.parametrize(
    ("choices", "fit", "message"),
    [
        (
            {"solver": "fista"},
            {},
            "solver fista needs a smooth loss, and loss absolute has a kink: choose a smoothing",
        ),
        ({"epsilon": 0.1}, {}, "epsilon"),
        ({"l1": 0.1}, {}, "l1 has no effect with regularizer 'l1inf'"),
        ({}, {"tasks": [1, 2]}, r"tasks has shape \(2,\), but X has 45 rows"),
        ({}, {"y": np.ones((N, K))}, "y is a matrix, a column for each task"),
    ],
)
def test_mistakes_get_a_sentence(data, choices, fit, message):
    X, Y, tasks = data
    given = {"y": Y[:, 0], "tasks": tasks} | fit
    with pytest.raises(ValueError, match=message):
        MultiTaskRegressor(**choices).fit(X, **given)


def test_predictions_of_unknown_tasks_are_refused(data):
    X, Y, tasks = data
    model = MultiTaskRegressor().fit(X, Y[:, 0], tasks)
    with pytest.raises(ValueError, match=r"tasks\[1\] is .*7.*; it was not trained"):
        model.predict(X[:2], [0, 7])
    with pytest.raises(ValueError, match="tasks are given, and the model was trained without"):
        MultiTaskRegressor().fit(X, Y).predict(X, tasks)


def test_intercepts_of_distances_have_no_penalty(data):
    X, Y, _ = data
    choices = {"loss": "distance", "regularizer": "l21", "C": 0.5, "tol": 1e-6}
    found = MultiTaskRegressor(**choices).fit(X, Y)
    moved = MultiTaskRegressor(**choices).fit(X, Y + 100.0)
    assert moved.objective_ == pytest.approx(found.objective_, rel=1e-5)
    assert_allclose(moved.intercept_ - found.intercept_, 100.0, atol=0.5)
    other = MultiTaskRegressor(fit_intercept="regularized", **choices).fit(X, Y + 100.0)
    assert found.objective_ < other.objective_


@pytest.mark.parametrize("solver", ["pdprox-dual", "pdprox-primal"])
def test_duals_that_stand_at_their_bounds_do_not_end_all_progress(solver):
    # An epoch in which the duals moved by rounding alone made the steps of the weights 1e13 times
    # too long: 100 000 passes ended at 4 % of the objective.
    X = 3 * np.random.RandomState(0).uniform(size=(20, 3))
    y = np.trunc(X[:, 0])
    model = MultiTaskRegressor(solver=solver, max_iter=1000).fit(X, y)
    assert model.status_ is Status.SOLVED
    assert model.duality_gap_ <= 1e-4 * model.objective_


@pytest.mark.parametrize("regularizer", ["trace-norm", "l21", "l1inf"])
@pytest.mark.parametrize("loss", ["absolute", "epsilon-insensitive", "squared"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_uneven_features_are_solved(regularizer, loss, fit_intercept):
    rng = np.random.default_rng(16)
    X = rng.normal(size=(80, 20)) * 10 ** rng.uniform(-3, 3, 20)
    Y = X @ (rng.normal(size=(20, 4)) / np.abs(X).max(axis=0)[:, None])
    Y += 0.1 * rng.normal(size=Y.shape)
    choices = {"regularizer": regularizer, "C": 16.0, "fit_intercept": fit_intercept}
    model = MultiTaskRegressor(loss, tol=1e-6, max_iter=1000, **choices).fit(X, Y)
    assert model.status_ is Status.SOLVED
    assert model.duality_gap_ <= 1e-6 * model.objective_


@pytest.mark.parametrize("loss", ["absolute", "squared"])
def test_intercepts_may_be_far_away(data, loss):
    X, Y, _ = data
    choices = {"regularizer": "l21", "C": 50.0, "tol": 1e-6}
    near = MultiTaskRegressor(loss, **choices).fit(X, Y)
    far = MultiTaskRegressor(loss, **choices).fit(X + 1e5, Y - 1e6)
    assert np.abs(far.intercept_).max() > 1e5
    assert far.objective_ == pytest.approx(near.objective_, rel=3e-6)
    assert_allclose(far.coef_, near.coef_, atol=1e-2)
    assert far.status_ is near.status_ is Status.SOLVED
