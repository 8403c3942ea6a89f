"""Boosting by generation of columns against linear and conic programs over all hypotheses."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csc_array

from rrmlinear.estimators.boosting.ensembles import boosting_solver
from rrmlinear.solvers.boosting.edges import Edges, WeightBox
from rrmlinear.solvers.boosting.generation import EdgeStopping
from rrmlinear.solvers.boosting.hypotheses import Columns
from rrmlinear.solvers.boosting.linear_program import Sifting
from rrmlinear.solvers.boosting.stumps import Stumps
from rrmlinear.solvers.loop.result import Status


def problem(n=60, d=4, seed=0, noise=0.6):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, d)), 1)
    y = np.where(X[:, 0] + 0.7 * X[:, 1] ** 2 + noise * rng.normal(size=n) > 0.4, 1.0, -1.0)
    return X, y


def all_stumps(X):
    """h(x_i) of every stump, with both signs."""
    rows = [np.ones(len(X))]
    for column in X.T:
        rows += [np.where(column > value, 1.0, -1.0) for value in np.unique(column)[:-1]]
    return np.vstack([rows, -np.array(rows)])


def largest_margin(U, caps):
    """max over the ensembles of the soft margin, by HiGHS over all hypotheses."""
    T, n = U.shape
    outcome = linprog(
        np.r_[np.zeros(n), 1.0],
        A_ub=np.c_[U, -np.ones(T)],
        b_ub=np.zeros(T),
        A_eq=np.r_[np.ones(n), 0.0][np.newaxis],
        b_eq=[1.0],
        bounds=[*((0, cap) for cap in np.broadcast_to(caps, n)), (None, None)],
        method="highs",
    )
    return outcome.fun


def solve(hypotheses, y, caps, lam=0.0, tol=1e-7, start=None, by_highs=False, **limits):
    start = np.full(len(y), 1 / len(y)) if start is None else start
    solver = boosting_solver(hypotheses, y, start, caps, lam, by_highs=by_highs)
    return solver, solver.solve(EdgeStopping(gap_tol=tol, **limits))


@pytest.mark.parametrize("by_highs", [True, False])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("fraction", [0.05, 0.3, 0.9])
def test_the_optimum_of_the_linear_program_over_all_stumps(fraction, sparse, by_highs):
    X, y = problem()
    cap = 1 / (fraction * len(y))
    best = largest_margin(all_stumps(X) * y, cap)
    tol = 1e-9
    stumps = Stumps(csc_array(X) if sparse else X)
    solver, result = solve(stumps, y, cap, tol=tol, by_highs=by_highs)
    assert result.status is Status.SOLVED
    assert result.dual - 1e-9 <= best <= result.primal + 1e-9
    assert 0 <= result.gap <= tol
    assert solver.soft_margin() == pytest.approx(best, abs=2 * tol)
    assert result.duals.sum() == pytest.approx(1, abs=1e-12)
    assert (result.duals >= 0).all()
    assert len(result.duals) == len(solver.found)
    w = result.weights
    assert w.sum() == pytest.approx(1, abs=1e-12)
    assert (w >= 0).all()
    assert (w <= cap * (1 + 1e-12)).all()
    assert (all_stumps(X) * y @ w).max() == pytest.approx(solver.edge, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "fraction"),
    [("breast-cancer", 0.1), ("australian_scale", 0.3), ("german.numer", 0.5), ("svmguide1", 0.1)],
)
def test_steps_and_sifting_reach_the_tolerance_on_real_sets(data_set, name, fraction):
    data = data_set(name)
    X, y = data.to_scipy().toarray(), np.where(data.labels == data.labels.max(), 1.0, -1.0)
    cap = 1 / (fraction * len(y))
    solver, result = solve(Stumps(X), y, cap, tol=1e-9)
    assert result.status is Status.SOLVED
    assert result.gap <= 1e-9
    # the program over all hypotheses found and all examples has that optimum
    assert largest_margin(solver.master.U, cap) == pytest.approx(result.primal, abs=1e-8)


def test_examples_that_are_decided_wrongly_at_first():
    # from an ensemble far from the optimum nearly all examples lie on a wrong side
    n = 200
    X, y = problem(n, 4, noise=1.5)
    U = all_stumps(X) * y
    for fraction in (0.01, 0.2, 0.6, 0.999, 1.0):
        box = WeightBox(np.full(n, 1 / n), 1 / (fraction * n))
        edges = Edges(box, 0.0)
        edges.add(list(U[[0, 5, 40]]))
        edges.offer_alphas(np.array([0.0, 0.0, 1.0]), U[40])
        edges.add(list(U))
        moved = Sifting(edges).solve(1e-10)
        assert edges.gap <= 1e-10
        assert moved == (fraction < 1)
        assert edges.primal == pytest.approx(largest_margin(U, box.caps), abs=1e-8)
        assert not Sifting(edges).solve(0.0)


@pytest.mark.parametrize("lam", [0.003, 0.05, 1.0])
def test_the_optimum_with_entropy_over_all_stumps(lam):
    cvxpy = pytest.importorskip("cvxpy")
    X, y = problem(25, 2)
    n, cap = len(y), 0.12
    rng = np.random.default_rng(1)
    start = rng.uniform(0.5, 1.5, n)
    start /= start.sum()
    w = cvxpy.Variable(n)
    entropy = cvxpy.sum(cvxpy.rel_entr(w, start))
    objective = lam * entropy + cvxpy.max((all_stumps(X) * y) @ w)
    best = cvxpy.Problem(cvxpy.Minimize(objective), [cvxpy.sum(w) == 1, w >= 0, w <= cap]).solve(
        solver="CLARABEL"
    )
    _, result = solve(Stumps(X), y, cap, lam, 1e-6, start)
    assert result.status is Status.SOLVED
    assert result.dual - 1e-7 <= best <= result.primal + 1e-7


@pytest.mark.parametrize("by_highs", [True, False])
def test_columns_of_any_scale_and_caps_of_each(by_highs):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 5)) * 1000
    y = np.where(X[:, 0] - X[:, 3] + 300 * rng.normal(size=30) > 0, 1.0, -1.0)
    often = rng.integers(1, 4, 30)
    caps = 0.05 * often
    U = np.vstack([X.T, -X.T]) * y
    best = largest_margin(U, caps)
    start = often / often.sum()
    columns = Columns(csc_array(X))
    _, result = solve(columns, y, caps, 0.0, 1e-6, start, by_highs)
    assert columns.unit == np.abs(X).max()
    assert result.status is Status.SOLVED
    assert abs(result.primal - best / columns.unit) <= 1e-6
    assert abs(result.dual - best / columns.unit) <= 1e-6


def test_the_gap_of_every_pass_is_one_and_closes():
    X, y = problem(80)
    cap = 1 / (0.2 * len(y))
    best = largest_margin(all_stumps(X) * y, cap)
    _, result = solve(Stumps(X), y, cap, tol=1e-5)
    rows = result.trace
    assert all(row.gap >= 0 for row in rows)
    assert all(row.primal >= best - 1e-9 and row.dual <= best + 1e-9 for row in rows)
    assert all(a.primal >= b.primal - 1e-12 for a, b in itertools.pairwise(rows))
    assert all(a.dual <= b.dual + 1e-12 for a, b in itertools.pairwise(rows))
    assert rows[-1].gap <= 1e-5 < rows[0].gap


def test_a_cap_of_the_mean_leaves_no_choice():
    X, y = problem(40)
    _, result = solve(Stumps(X), y, 1 / 40, tol=1e-9)
    np.testing.assert_allclose(result.weights, 1 / 40)
    assert result.primal == pytest.approx((all_stumps(X) @ y).max() / 40, abs=1e-12)


def test_the_same_again_gives_the_same_bits():
    X, y = problem(60)
    one, other = (solve(Stumps(X), y, 0.05, 0.01, 1e-4)[1] for _ in range(2))
    np.testing.assert_array_equal(one.weights, other.weights)
    np.testing.assert_array_equal(one.duals, other.duals)
    assert [row.primal for row in one.trace] == [row.primal for row in other.trace]


@pytest.mark.parametrize("by_highs", [True, False])
def test_a_tolerance_below_rounding_ends(by_highs):
    X, y = problem(30, 2)
    _, result = solve(Stumps(X), y, 0.1, tol=1e-300, by_highs=by_highs, max_passes=200)
    assert result.status in (Status.STALLED, Status.HIDDEN, Status.SOLVED, Status.PASS_LIMIT)
    assert result.gap <= (1e-9 if by_highs else 1e-6)


def test_time_that_is_up_before_the_first_pass():
    X, y = problem(30, 2)
    solver, result = solve(Stumps(X), y, 0.1, time_limit=1e-9)
    assert result.status is Status.TIME_LIMIT
    assert solver.found == []
    assert result.last.gap == 2.0
    assert "there is no hypothesis" in result.notes[0]
