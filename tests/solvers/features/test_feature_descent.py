"""Descent over features: its certificate recomputed, and the optimum of others."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.solvers.features.feature_descent import FeatureDescent
from rrmlinear.solvers.loop.result import Status, Stopping

N = 70
#: Few features, all of them in the working set at once, and many.
SIZES = {"few": 30, "many": 130}
FORMS = [(form, dtype) for form in SIZES for dtype in (np.float64, np.float32)]


def data(form="few", dtype=np.float64, bias=-1.0, offset=0.0):
    rng, D = np.random.default_rng(3), SIZES[form]
    X = (rng.standard_normal((N, D)) + offset) * (rng.random((N, D)) < 0.5)
    X[:, 4] = 0  # a feature that is never there
    X[:, 9] = X[:, 8]  # and one that is there twice
    X[5] = 0
    y = X @ (rng.standard_normal(D) * (rng.random(D) < 0.3)) + 0.3 * rng.standard_normal(N) + 2
    X = X.astype(dtype)
    return Problem.from_arrays(X, y, bias=bias), X.astype(np.float64), y


def solve(problem, costs, l1, modulus, *, intercept=False, start=None, more=None, **rules):
    how = {"intercept": intercept, "start": start} | (more or {})
    solver = FeatureDescent(problem.rows, problem.labels, costs, l1, modulus, **how)
    return solver.solve(Stopping(**({"gap_tol": 1e-15, "max_passes": 200} | rules)))


def objectives(X, y, costs, l1, modulus, result):
    """Primal and dual in NumPy from weights and duals alone."""
    w, alpha = result.weights, result.duals
    v = X.T @ (costs * alpha)
    primal = costs @ (y - X @ w) ** 2 / 2 + modulus / 2 * w @ w + l1 * np.abs(w).sum()
    dual = costs @ (y * alpha - alpha**2 / 2)
    if modulus == 0:
        assert np.abs(v).max() <= l1 * (1 + 1e-12)
    else:
        dual -= (np.maximum(np.abs(v) - l1, 0) ** 2).sum() / (2 * modulus)
    return primal, dual


@pytest.mark.parametrize("form", SIZES)
@pytest.mark.parametrize("modulus", [0.0, 0.8])
@pytest.mark.parametrize("intercept", [False, True])
def test_optimum_is_that_of_a_conic_solver(modulus, intercept, form):
    cp = pytest.importorskip("cvxpy", reason="the conic solver is in the test extra")
    problem, X, y = data(form, bias=2.0 if intercept else -1.0)
    costs = np.linspace(0.1, 1, N)
    w, b = cp.Variable(X.shape[1]), cp.Variable()
    loss = cp.sum_squares(cp.multiply(np.sqrt(costs), y - X @ w - (b if intercept else 0))) / 2
    omega = modulus / 2 * cp.sum_squares(w) + 1.5 * cp.norm1(w)
    best = cp.Problem(cp.Minimize(loss + omega)).solve(solver=cp.CLARABEL)
    result = solve(problem, costs, 1.5, modulus, intercept=intercept)
    assert result.primal == pytest.approx(best, rel=1e-7)


@pytest.mark.parametrize("spread", [0.0, 1e-8, 1e-3])
@pytest.mark.parametrize(("l1", "modulus"), [(1e-6, 0.0), (0.0, 1e-3)])
def test_targets_far_from_0_leave_the_dual_below_the_minimum(spread, l1, modulus):
    # duals sum to 0 but for rounding, and the mean of the targets may not multiply that
    X = np.random.default_rng(5).standard_normal((N, 3))
    y = 1000 + spread * np.cos(np.arange(N))
    problem = Problem.from_arrays(X, y, bias=1.0)
    result = solve(problem, np.ones(N), l1, modulus, intercept=True, gap_tol=1e-7)
    least = N * np.var(y) / 2  # of no weights
    assert result.gap >= 0
    assert result.dual <= least * (1 + 1e-9)
    assert abs(result.duals).max() <= 2 * spread + 1e-12


@pytest.mark.parametrize("more", [0, 110])
def test_a_constant_feature_is_no_use_beside_an_intercept(more):
    X = np.column_stack([np.full(20, 3.0), np.arange(20.0), np.zeros((20, more))])
    y = 5 + 0.5 * X[:, 1]
    result = solve(Problem.from_arrays(X, y, bias=1.0), np.ones(20), 1e-3, 0.0, intercept=True)
    assert result.weights[0] == 0
    np.testing.assert_allclose(result.weights[[1, -1]], [0.5, 5], atol=1e-4)


@pytest.mark.parametrize("form", SIZES)
def test_twins_share_what_one_of_them_has_alone(form):
    problem, X, _ = data(form)
    both = solve(problem, np.ones(N), 1.0, 0.5)
    assert both.weights[8] == pytest.approx(both.weights[9], abs=1e-6)
    together = solve(problem, np.ones(N), 1.0, 0.0)
    X[:, 9] = 0
    alone = solve(Problem.from_arrays(X, problem.labels), np.ones(N), 1.0, 0.0)
    assert together.weights[8] + together.weights[9] == pytest.approx(alone.weights[8], abs=1e-8)


@pytest.mark.parametrize("form", SIZES)
def test_weights_are_zero_from_the_largest_l1(form):
    problem, X, y = data(form)
    largest = np.abs(X.T @ y).max() * (1 + 1e-14)
    at = solve(problem, np.ones(N), largest, 0.0)
    assert not at.weights.any()
    assert at.status is Status.SOLVED
    below = solve(problem, np.ones(N), 0.99 * largest, 0.0)
    assert np.count_nonzero(below.weights) > 0


def test_more_features_than_working_sets_hold_at_first():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 1000)) + rng.standard_normal((40, 1))
    y = X[:, :5].sum(axis=1)
    problem = Problem.from_arrays(X, y)
    result = solve(problem, np.ones(40), 0.05, 0.0, gap_tol=1e-9, max_passes=1000)
    assert result.status is Status.SOLVED
    primal, dual = objectives(X, y, np.ones(40), 0.05, 0.0, result)
    assert primal - dual <= 1.01e-9 * max(1, primal)


def test_a_net_of_tiny_penalties_ends_with_about_as_many_weights_as_examples():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 400))
    y = X[:, :10] @ rng.standard_normal(10) + rng.standard_normal(150)
    l1 = 1e-5 * np.abs(X.T @ y).max()
    result = solve(Problem.from_arrays(X, y), np.ones(150), l1, l1, gap_tol=1e-6)
    assert result.status is Status.SOLVED
    assert np.count_nonzero(result.weights) < 200


@pytest.mark.parametrize("form", SIZES)
def test_a_start_at_the_optimum_stays_there(form):
    problem, _, _ = data(form, bias=1.0)
    for intercept in (False, True):
        first = solve(problem, np.ones(N), 1.0, 0.0, intercept=intercept, gap_tol=1e-12)
        solver = FeatureDescent(
            problem.rows, problem.labels, np.ones(N), 1.0, 0.0,
            intercept=intercept, start=first.weights,
        )  # fmt: skip
        again = solver.solve(Stopping(gap_tol=1e-12))
        assert again.passes == 1
        np.testing.assert_allclose(again.weights, first.weights, atol=1e-6)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"l1": -1.0}, "l1 must be at least 0 and finite, got -1"),
        ({"modulus": np.nan}, "modulus must be at least 0 and finite, got nan"),
        ({"l1": 0.0}, "l1 and modulus are both 0"),
        ({"costs": np.zeros(N)}, "no example has a cost above 0"),
        ({"intercept": True}, "an intercept takes an appended column, and bias is -1"),
        ({"start": np.zeros(3)}, r"start has shape \(3,\); \(30,\) is needed"),
    ],
)
def test_bad_numbers_are_refused(change, sentence):
    problem, _, _ = data()
    choices = {"costs": np.ones(N), "l1": 1.0, "modulus": 0.0, "intercept": False} | change
    with pytest.raises(ValueError, match=sentence):
        FeatureDescent(problem.rows, problem.labels, **choices)


def test_a_norm_that_overflows_is_refused():
    problem = Problem.from_arrays([[1.0, 1e200], [2.0, 0.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match="the squared norm of feature 2 overflows"):
        solve(problem, np.ones(2), 1.0, 0.0)


@pytest.mark.parametrize("seed", [0, 1, 4, 5])
def test_large_duals_of_an_elastic_net_end(seed):
    # the best factor of the duals was a Newton search that rounding kept moving
    rng = np.random.default_rng(seed)
    X = 100 * rng.standard_normal((10, 30))
    y = 100 * rng.standard_normal(10)
    result = solve(Problem.from_arrays(X, y), np.ones(10), 1.0, 1.0, time_limit=5, gap_tol=1e-9)
    assert result.status is Status.SOLVED
    primal, dual = objectives(X, y, np.ones(10), 1.0, 1.0, result)
    assert primal - dual <= 1.01e-9 * max(1, primal)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(("n", "d"), [(200, 3), (60, 40), (200, 120)])
def test_long_columns_whose_weights_cannot_be_exact_enough(intercept, n, d):
    """The last digit of a weight moves a_j'r by more than l1; the duals prove the optimum."""
    rng = np.random.default_rng(9)
    X = 1e6 * rng.standard_normal((n, d))
    y = 1e5 * (X @ rng.standard_normal(d) + rng.standard_normal(n))
    costs, l1 = rng.uniform(0.5, 1.5, n), 5.0
    problem = Problem.from_arrays(X, y, bias=1.0 if intercept else -1.0)
    result = solve(problem, costs, l1, 0.0, intercept=intercept, gap_tol=1e-6)
    assert result.status is Status.SOLVED
    X, y, costs = (np.asarray(a, dtype=np.longdouble) for a in (X, y, costs))
    w = result.weights.astype(np.longdouble)
    alpha = result.duals.astype(np.longdouble)
    residual = y - X @ w[:d] - (w[d] if intercept else 0)
    primal = costs @ residual**2 / 2 + l1 * np.abs(w[:d]).sum()
    assert np.abs(X.T @ (costs * alpha)).max() <= l1 * (1 + 1e-3)
    assert abs(costs @ alpha) <= (1e-12 if intercept else np.inf) * (costs @ np.abs(alpha))
    dual = costs @ (y * alpha - alpha**2 / 2)
    assert primal - dual <= 1e-6 * primal


@pytest.mark.parametrize(("l1", "modulus"), [(1.5, 0.0), (3.0, 1e-3), (1.0, 2.0), (0.0, 0.5)])
@pytest.mark.parametrize(("bias", "intercept"), [(-1.0, False), (2.0, True), (2.0, False)])
@pytest.mark.parametrize(("form", "dtype"), FORMS)
@pytest.mark.parametrize("factors", ["ones", "signs", "zeros"])
def test_the_certificate_of_rows_and_of_columns_is_true(
    form, dtype, bias, intercept, l1, modulus, factors
):
    problem, X, y = data(form, dtype, bias=bias, offset=1.0)
    D = X.shape[1]
    columns = Problem.from_arrays(np.asfortranarray(X.astype(dtype)), y, bias=bias, any_order=True)
    stored = Problem.from_arrays(csr_array(X.astype(dtype)), y, bias=bias)
    given = np.column_stack([X, np.full(N, bias)]) if bias > 0 else X
    penalized = np.arange(given.shape[1]) < D + (bias > 0 and not intercept)
    f, more = np.ones(np.count_nonzero(penalized)), {}
    if factors != "ones":
        f = 10.0 ** np.random.default_rng(1).uniform(-1, 1, len(f))
        f[[0, 3, -1]] *= factors == "signs"
        more = {"factors": f, "positive": factors == "signs" and l1 > 0}
    penalized[: len(f)] = f > 0
    for costs in (np.full(N, 0.7), np.linspace(0, 2, N)):
        results = [
            solve(each, costs, l1, modulus, intercept=intercept, more=more, gap_tol=1e-11)
            for each in (problem, columns, stored)
        ]
        assert all(result.status is Status.SOLVED for result in results)
        assert results[1].primal == pytest.approx(results[0].primal, rel=2e-11)
        for result in results[::2]:
            primal, dual, alpha = result.primal, result.dual, result.duals
            w, v = result.weights, given.T @ (costs * alpha)
            assert np.abs(v[~penalized]).sum() <= 2e-12 * (costs @ np.abs(alpha))
            own = costs @ (y - given @ w) ** 2 / 2 + l1 * f[f > 0] @ np.abs(w[penalized])
            own += modulus / 2 * (f[f > 0] * w[penalized]) @ w[penalized]
            assert primal == pytest.approx(own, rel=1e-12)
            assert not more.get("positive") or w[penalized].min() >= 0
            sizes = v[penalized] if more.get("positive") else np.abs(v[penalized])
            excess = np.maximum(sizes - l1 * f[f > 0], 0)
            of_duals = costs @ (y * alpha - alpha**2 / 2)
            if modulus:
                of_duals -= excess @ (excess / f[f > 0]) / (2 * modulus)
            else:
                assert (excess / f[f > 0]).max() <= 1e-12 * l1
            assert dual == pytest.approx(of_duals, rel=1e-12)
            terms = max(own, costs @ np.abs(y * alpha))
            assert -1e-13 * terms <= own - of_duals <= 1.01e-11 * max(1, own)


def test_alike_columns_of_many_values_are_solved_to_thirteen_digits():
    n, d, rng = 5000, 120, np.random.default_rng(8)
    base = rng.standard_normal((n, d))
    X = np.hstack([base, base + 1e-5 * rng.standard_normal((n, d))])
    y = base[:, :40] @ rng.standard_normal(40) + rng.standard_normal(n)
    result = solve(Problem.from_arrays(X, y), np.ones(n), 0.5, 0.0, gap_tol=1e-13)
    assert result.status is Status.SOLVED
    primal, dual = objectives(X, y, np.ones(n), 0.5, 0.0, result)
    assert -1e-13 * primal <= primal - dual <= 1.01e-13 * float(y @ y / 2)
