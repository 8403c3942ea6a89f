"""Newton steps over features for several scores and for kinks: optima by outside solvers."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

import rrmlinear
from rrmlinear.losses.margin import Hinge
from rrmlinear.losses.multiclass import (
    CrammerSinger,
    SmoothCrammerSinger,
    Softmax,
    SoftmaxOfHinge,
    WestonWatkins,
)
from rrmlinear.losses.regression import EpsilonInsensitive
from rrmlinear.regularizers.bounded import Bounded
from rrmlinear.regularizers.separable import L1, ElasticNet
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.scores import BlockRisk, ScalarRisk
from rrmlinear.solvers.features.feature_newton import FeatureNewton
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.second_order.newton import Newton

N, D, K = 60, 25, 4


def data(form="sparse", n=N, d=D, k=K, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.4)
    X[:, 3] = 0  # a feature that is never there
    scores = X[:, :8] @ rng.standard_normal((8, k)) + rng.standard_normal((n, k))
    label = scores.argmax(axis=1)
    label[:k] = np.arange(k)
    given = csr_array(X) if form == "sparse" else X
    return rrmlinear.Problem.from_arrays(given, label), X, label


def risk_of(problem, loss, costs, free=False):
    label = problem.labels.astype(np.int32)
    condition = Intercept() if free else None
    rows = problem.rows.with_bias(1.0 if free else -1.0)
    return BlockRisk(rows, loss, label, label.max() + 1, costs, 1, condition=condition)


def solved(risk, omega, tolerance=1e-8):
    result = FeatureNewton(Task.of(risk, omega)).solve(Stopping(tolerance, max_passes=500))
    assert result.status is Status.SOLVED
    assert 0 <= result.gap <= tolerance * result.primal
    return result


def margins(X, label, k):
    """Rows (x_i ⊗ (e_y − e_j)), an example and another class each, over weights row by row."""
    rows, example = [], []
    for i, y in enumerate(label):
        for j in (j for j in range(k) if j != y):
            row = np.zeros((X.shape[1], k))
            row[:, y], row[:, j] = X[i], -X[i]
            rows.append(row.ravel())
            example.append(i)
    return np.array(rows), np.array(example)


def least_of_kinks(rows, slack, costs, bound=1.0, factors=1.0):
    """min Σ f |w| + Σ c ξ with row'w + ξ_slack ≥ bound, ξ ≥ 0: the optimum by HiGHS."""
    d, n = rows.shape[1], len(costs)
    picks = np.zeros((len(rows), n))
    picks[np.arange(len(rows)), slack] = 1
    found = linprog(
        np.concatenate([np.tile(np.broadcast_to(factors, d), 2), costs]),
        A_ub=-np.hstack([rows, -rows, picks]),
        b_ub=-np.broadcast_to(bound, len(rows)),
        method="highs",
    )
    assert found.status == 0
    return found.fun


@pytest.mark.parametrize("form", ["sparse", "dense"])
@pytest.mark.parametrize("kind", ["weston-watkins", "crammer-singer"])
@pytest.mark.parametrize("factors", [np.ones(D), np.arange(D) % 5 / 2])
def test_kinks_of_classes_reach_the_linear_program(kind, form, factors):
    problem, X, label = data(form)
    costs = np.random.default_rng(1).uniform(0.5, 2, N)
    rows, example = margins(X, label, K)
    if kind == "weston-watkins":
        loss, slack, of_slack = WestonWatkins(), np.arange(len(rows)), costs[example]
    else:
        loss, slack, of_slack = CrammerSinger(), example, costs
    risk = risk_of(problem, loss, costs)
    omega = L1(1.0) if factors.all() else Bounded(L1(1.0), factors=factors).over(risk.shape)
    result = solved(risk, omega)
    best = least_of_kinks(rows, slack, of_slack, factors=np.repeat(factors, K))
    assert best <= result.primal * (1 + 1e-9)
    assert result.primal == pytest.approx(best, rel=2e-8)


def test_one_score_with_kinks_reaches_the_linear_program():
    problem, X, label = data()
    y = np.where(label > 1, 1.0, -1.0)
    costs = np.full(N, 2.0)
    result = solved(ScalarRisk(problem.rows, Hinge(), y, costs), L1(1.0))
    best = least_of_kinks(y[:, np.newaxis] * X, np.arange(N), costs)
    assert result.primal == pytest.approx(best, rel=2e-8)
    target = X[:, 0] - 2 * X[:, 1] + 0.3 * np.random.default_rng(2).standard_normal(N)
    risk = ScalarRisk(problem.rows, EpsilonInsensitive(0.1), target, costs)
    result = solved(risk, L1(1.0))
    both = np.concatenate([np.arange(N), np.arange(N)])
    bound = np.concatenate([target - 0.1, -target - 0.1])
    best = least_of_kinks(np.vstack([X, -X]), both, costs, bound)
    assert result.primal == pytest.approx(best, rel=2e-8)


def test_softmax_reaches_the_optimum_of_saga():
    problem, X, label = data()
    result = solved(risk_of(problem, Softmax(), np.full(N, 3.0), free=True), L1(1.0))
    other = LogisticRegression(
        C=3.0, l1_ratio=1.0, solver="saga", tol=1e-10, max_iter=100_000, random_state=0
    ).fit(X, label)
    scores = X @ other.coef_.T + other.intercept_
    loss = np.logaddexp.reduce(scores, axis=1) - scores[np.arange(N), label]
    value = 3.0 * loss.sum() + np.abs(other.coef_).sum()
    assert result.primal == pytest.approx(value, rel=1e-7)


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("loss", [Softmax(), SmoothCrammerSinger(0.5), SoftmaxOfHinge(0.5)])
@pytest.mark.parametrize("omega", [L1(0.5), ElasticNet(0.5, 0.2)])
def test_it_agrees_with_newtons_method_on_all_weights(loss, omega, free):
    problem, _, _ = data()
    risk = risk_of(problem, loss, np.ones(N), free)
    other = Newton(risk, omega).solve(Stopping(1e-7, max_passes=500))
    assert other.status is Status.SOLVED
    assert solved(risk, omega).primal == pytest.approx(other.primal, rel=2e-7)


@pytest.mark.parametrize("loss", ["softmax", "weston-watkins", "crammer-singer"])
def test_wide_sparse_classes_are_solved_from_the_door(loss):
    rng = np.random.default_rng(5)
    n, d, k = 200, 2000, 12
    label = np.arange(n) % k
    words = (d * rng.random((n, 30)) ** 2).astype(int)
    words[:, :4] = 4 * label[:, np.newaxis] + np.arange(4)
    X = csr_array((rng.uniform(0.5, 1, words.size), (np.repeat(np.arange(n), 30), words.ravel())))
    problem = rrmlinear.Problem.from_arrays(X, label)
    choices = {"solver": "auto", "loss": loss, "regularizer": "l1", "C": 1.0, "max_passes": 150}
    model = rrmlinear.fit(problem, rrmlinear.Parameter(gap_tol=1e-6, **choices))
    assert model.result.status is Status.SOLVED
    assert "Newton steps over features are used" in model.result.notes
