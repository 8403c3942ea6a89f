"""Newton steps over features: the certificate recomputed, and the optimum of others."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses.margin import Hinge, Logistic, SmoothHinge, SquaredHinge
from rrmlinear.losses.regression import Huber, Squared, SquaredEpsilonInsensitive
from rrmlinear.regularizers.bounded import Bounded
from rrmlinear.regularizers.groups.group_norms import L2Groups
from rrmlinear.regularizers.separable import L1, ElasticNet
from rrmlinear.risks.conditions.budget import Budget
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.features.curved_steps import CurvedSteps
from rrmlinear.solvers.features.feature_newton import FeatureNewton
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.loop.rules.of_gradients import FeatureSum
from rrmlinear.solvers.loop.task import Task

N, D = 80, 30
LOSSES = {
    "logistic": Logistic(),
    "squared hinge": SquaredHinge(),
    "smooth hinge": SmoothHinge(0.5),
    "huber": Huber(0.3),
    "squared epsilon-insensitive": SquaredEpsilonInsensitive(0.1),
    "squared": Squared(),
}


def data(loss="logistic", form="sparse", dtype=np.float64, bias=-1.0, n=N, d=D, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.5) + 0.5
    X[:, 4] = 0  # a feature that is never there
    X[:, 9] = X[:, 8]  # and one that is there twice
    y = X @ (rng.standard_normal(d) * (rng.random(d) < 0.3)) + rng.standard_normal(n)
    if isinstance(LOSSES[loss], (Logistic, SquaredHinge, SmoothHinge)):
        y = np.where(y > np.median(y), 1.0, -1.0)
    X = X.astype(dtype)
    problem = Problem.from_arrays(csr_array(X) if form == "sparse" else X, y, bias=bias)
    return problem, X.astype(np.float64), y


def solver_of(problem, loss, costs, l1, modulus=0.0, intercept=False, build=FeatureNewton):
    condition = Intercept() if intercept else None
    risk = ScalarRisk(problem.rows, loss, problem.labels, costs, 1, condition)
    omega = ElasticNet(l1, modulus) if modulus else L1(l1)
    return build(Task.of(risk, omega.over(risk.shape)))


def solve(problem, loss, costs, l1, *rest, build=FeatureNewton, **rules):
    solver = solver_of(problem, loss, costs, l1, *rest, build=build)
    return solver.solve(Stopping(**({"gap_tol": 1e-10, "max_passes": 500} | rules)))


def objectives(X, y, loss, costs, l1, modulus, result, intercept=0.0, f=1.0, sign=0, limit=0.0):
    """Primal and dual in NumPy from weights and duals alone; f are factors of penalties."""
    w, alpha, f = result.weights[: X.shape[1]], result.duals, np.broadcast_to(f, X.shape[1])
    v = X.T @ (costs * alpha)
    v = np.maximum(sign * v, 0) if sign else np.abs(v)
    primal = costs @ loss.values(y, X @ w + intercept) + f @ (l1 * np.abs(w) + modulus / 2 * w**2)
    beyond, free = np.maximum(v - l1 * f, 0), f == 0
    dual = -costs @ loss.conjugates(y, alpha) - limit * v[free].sum()
    if modulus == 0:
        rounding = 1e-14 * (np.abs(X).T @ (costs * np.abs(alpha)))
        assert (beyond <= 1e-12 * l1 * f + rounding)[~free].all()
    else:
        dual -= (beyond[~free] ** 2 / f[~free]).sum() / (2 * modulus)
    return primal, dual


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize(("form", "dtype"), [("sparse", np.float64), ("dense", np.float32)])
@pytest.mark.parametrize("modulus", [0.0, 0.3])
@pytest.mark.parametrize("build", [FeatureNewton, CurvedSteps, "intercept"])
def test_the_certificate_is_true(name, form, dtype, modulus, build):
    intercept, build = build == "intercept", FeatureNewton if build == "intercept" else build
    loss, costs = LOSSES[name], np.linspace(0, 2, N)
    problem, X, y = data(name, form, dtype, bias=2.0 if intercept else -1.0)
    result = solve(problem, loss, costs, 1.5, modulus, intercept, build=build)
    assert result.status is Status.SOLVED
    b = 2 * result.weights[D] if intercept else 0.0
    primal, dual = objectives(X, y, loss, costs, 1.5, modulus, result, b)
    if intercept:
        assert abs(costs @ result.duals) <= 1e-9 * (costs @ np.abs(result.duals))
    assert result.primal == pytest.approx(primal, rel=1e-11)
    assert result.dual == pytest.approx(dual, rel=1e-11)
    assert -1e-12 * primal <= primal - dual <= 1.01e-10 * max(1, primal)


@pytest.mark.parametrize("C", [1e-4, 1e-2, 1.0, 1e2, 1e4])
@pytest.mark.parametrize("name", ["logistic", "squared hinge", "smooth hinge", "huber"])
def test_stretched_columns_and_every_cost(name, C):
    _, X, y = data(name, "dense")
    X = X * 10 ** np.random.default_rng(1).uniform(-3, 3, D)
    result = solve(Problem.from_arrays(X, y), LOSSES[name], np.full(N, C), 1.0, gap_tol=1e-6)
    assert result.status is Status.SOLVED
    primal, dual = objectives(X, y, LOSSES[name], np.full(N, C), 1.0, 0.0, result)
    assert primal - dual <= 1.01e-6 * max(1, primal)


@pytest.mark.parametrize("name", ["logistic", "squared hinge", "smooth hinge"])
@pytest.mark.parametrize("form", ["sparse", "dense"])
@pytest.mark.parametrize(("l1", "modulus"), [(1.0, 0.0), (0.1, 300.0)])
def test_wide_separable_data(name, form, l1, modulus):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 400)) * (rng.random((30, 400)) < 0.4)
    y = np.where(rng.random(30) < 0.5, 1.0, -1.0)
    problem = Problem.from_arrays(csr_array(X) if form == "sparse" else X, y)
    costs = np.full(30, 100.0)
    result = solve(problem, LOSSES[name], costs, l1, modulus, gap_tol=1e-8)
    assert result.status is Status.SOLVED
    primal, dual = objectives(X, y, LOSSES[name], costs, l1, modulus, result)
    assert primal - dual <= 1.01e-8 * max(1, primal)
    assert modulus > 0 or np.count_nonzero(result.weights) <= 30


@pytest.mark.parametrize("loss", ["logistic", "squared hinge"])
def test_weights_are_those_of_liblinear(loss):
    svm = pytest.importorskip("sklearn.svm", reason="scikit-learn is optional")
    linear_model = pytest.importorskip("sklearn.linear_model")
    problem, X, y = data(loss)
    X[:, 9] = 0  # weights of twins hardly matter to the objective
    problem = Problem.from_arrays(csr_array(X), y)
    common = {"C": 0.7, "fit_intercept": False, "tol": 1e-10, "max_iter": 10**6}
    if loss == "logistic":
        model = linear_model.LogisticRegression(l1_ratio=1.0, solver="liblinear", **common)
    else:
        model = svm.LinearSVC(penalty="l1", loss="squared_hinge", dual=False, **common)
    result = solve(problem, LOSSES[loss], np.full(N, 0.7), 1.0, gap_tol=1e-13)
    np.testing.assert_allclose(result.weights, model.fit(X, y).coef_.ravel(), atol=1e-5)


@pytest.mark.parametrize("name", [*LOSSES, "hinge"])
@pytest.mark.parametrize("modulus", [0.0, 0.3])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("sign", [0, 1, -1])
def test_penalties_have_factors_and_weights_a_sign(name, modulus, intercept, sign):
    loss = Hinge() if name == "hinge" else LOSSES[name]
    problem, X, y = data("logistic" if name == "hinge" else name, bias=2.0 if intercept else -1.0)
    factors = np.maximum(np.tile([0.0, 0.2, 1.0, 3.0, 0.0], D // 5), 0.1 * abs(sign))
    costs, limit = np.full(N, 0.4), 100.0
    risk = ScalarRisk(problem.rows, loss, y, costs, 1, Intercept() if intercept else None)
    bounds = {0: {}, 1: {"lower": 0.0}, -1: {"upper": 0.0}}[sign]
    inner = ElasticNet(2.0, modulus) if modulus else L1(2.0)
    omega = Bounded(inner, factors=factors, limit=limit, **bounds)
    tolerance = 1e-7 if name == "hinge" else 1e-9
    stopping = Stopping(tolerance, max_passes=300)
    result = FeatureNewton(Task.of(risk, omega.over(risk.shape))).solve(stopping)
    assert result.status is Status.SOLVED
    b = 2 * result.weights[D] if intercept else 0.0
    assert (sign * result.weights[:D] >= 0).all()
    of_penalty = {"f": factors, "sign": sign, "limit": limit}
    primal, dual = objectives(X, y, loss, costs, 2.0, modulus, result, b, **of_penalty)
    assert not intercept or abs(costs @ result.duals) <= 1e-9
    assert -1e-9 * primal <= primal - dual <= 2 * tolerance * primal


def test_other_problems_are_refused():
    problem, _, _ = data()
    rows, y, costs = problem.rows, problem.labels, np.ones(N)
    bound = ScalarRisk(rows, SquaredHinge(), y, costs, 1, Budget(1.0))
    with pytest.raises(ValueError, match="without a budget, and SquaredHinge has one"):
        FeatureNewton(Task.of(bound, L1(1.0).over(bound.shape)))
    smooth = ScalarRisk(rows, Logistic(), y, costs)
    with pytest.raises(ValueError, match="as regularizer, got L2Groups"):
        FeatureNewton(Task.of(smooth, L2Groups([range(D)]).over(smooth.shape)))
    large = Problem.from_arrays([[1.0, 1e200], [2.0, 0.0]], [1.0, -1.0])
    with pytest.raises(ValueError, match="the squared norm of feature 2 overflows"):
        solve(large, Logistic(), np.ones(2), 1.0)


@pytest.mark.parametrize("tolerance", [0.3, 1e-3, 1e-7])
def test_a_rule_of_long_rows_is_met(tolerance):
    rng = np.random.default_rng(5)
    smooth = np.cumsum(rng.standard_normal((60, 300)), axis=1) / 10  # neighbours are alike
    X = np.where(rng.random(smooth.shape) < 0.8, smooth, 0.0)
    y = np.where(X @ rng.standard_normal(300) > 0, 1.0, -1.0)
    problem, costs = Problem.from_arrays(csr_array(X), y), np.ones(60)
    best = solve(problem, Logistic(), costs, 1.0, gap_tol=1e-9)
    solver = solver_of(problem, Logistic(), costs, 1.0)
    solver.rule = FeatureSum(solver.risk, tolerance, False, False)
    result = solver.solve(Stopping(gap_tol=0.0, max_passes=500))
    assert result.status is Status.RULE
    assert solver.work > 2 * 3 * 60 * result.passes  # models take more than three products
    assert best.primal * (1 - 1e-8) <= result.primal <= best.primal * (1 + 20 * tolerance)
    pulls = X.T @ (y / (1 + np.exp(y * (X @ result.weights))))
    at_rest = np.abs(pulls - np.sign(result.weights))
    over = np.where(result.weights == 0, np.maximum(np.abs(pulls) - 1, 0), at_rest)
    assert over.sum() <= tolerance * np.maximum(np.abs(X.T @ y / 2) - 1, 0).sum()


@pytest.mark.parametrize("loss", ["logistic", "squared-hinge"])
def test_wide_sparse_data_of_many_values_are_solved(fit, loss):
    """As many as begin by `CurvedSteps`: the optimum by its slopes."""
    rng = np.random.default_rng(5)
    X = csr_array(np.where(rng.random((700, 1300)) < 0.5, rng.standard_normal((700, 1300)), 0.0))
    y = np.where(X @ (rng.random(1300) < 0.01) + rng.standard_normal(700) > 0, 1.0, -1.0)
    problem, C = Problem.from_arrays(X, y), 0.05
    given = {"loss": loss, "regularizer": "l1", "C": C, "gap_tol": 1e-9}
    model = fit(problem, **given)
    w, result = model.weights[:, 0] * model.labels[0], model.result
    m = y * (X @ w)
    terms = np.logaddexp(0, -m) if loss == "logistic" else np.maximum(0, 1 - m) ** 2
    alphas = 1 / (1 + np.exp(m)) if loss == "logistic" else 2 * np.maximum(0, 1 - m)
    pulls = C * (X.T @ (y * alphas))
    assert result.status is Status.SOLVED
    assert result.primal == pytest.approx(np.abs(w).sum() + C * terms.sum(), rel=1e-12)
    assert 0 < np.count_nonzero(w) < 700
    np.testing.assert_allclose(pulls[w != 0], np.sign(w[w != 0]), atol=1e-4)
    assert np.abs(pulls).max() <= 1 + 1e-4
    cut = fit(problem, **given, max_passes=1).result
    assert cut.status in (Status.PASS_LIMIT, Status.SOLVED)
    assert 0 <= cut.gap < np.inf
    assert cut.dual <= result.primal <= cut.primal * (1 + 1e-12)
    # with a bound of LIBLINEAR's rule, from the same steps
    ruled = fit(problem, solver=5 if loss == "squared-hinge" else 6, C=C)
    assert ruled.result.primal <= 1.001 * result.primal
