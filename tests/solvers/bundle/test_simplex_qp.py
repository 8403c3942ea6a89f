"""Quadratic programs on the simplex: optimality by its own conditions and by an outside solver."""

import numpy as np
import pytest

from rrmlinear.core.deadline import TimeIsUpError, ends_within
from rrmlinear.solvers.bundle.simplex_qp import SimplexQP, minimize_on_simplex


def planes(rng, t, rank, scale=1.0):
    return scale * rng.standard_normal((t, rank))


def assert_optimal(Q, b, beta, digits=1e-12):
    assert (beta >= 0).all()
    assert beta.sum() == pytest.approx(1, abs=1e-13)
    g = Q @ beta - b
    assert beta @ g - g.min() <= digits * (abs(b) + abs(Q) @ beta).max()


def objective(Q, b, beta):
    return beta @ Q @ beta / 2 - b @ beta


@pytest.mark.parametrize("rank", [1, 3, 10, 40])
@pytest.mark.parametrize("t", [1, 2, 7, 30, 120])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e5])
def test_conditions_of_optimality(t, rank, scale):
    rng = np.random.default_rng([t, rank])
    A = planes(rng, t, rank, scale)
    Q, b = A @ A.T, scale**2 * rng.standard_normal(t)
    assert_optimal(Q, b, minimize_on_simplex(Q, b))


@pytest.mark.parametrize("seed", range(6))
def test_the_optimum_of_an_outside_solver(seed):
    cvxpy = pytest.importorskip("cvxpy")
    rng = np.random.default_rng(seed)
    t, rank = int(rng.integers(2, 60)), int(rng.integers(1, 20))
    A, b = planes(rng, t, rank), rng.standard_normal(t)
    A[t // 2 :] = A[: t - t // 2]  # duplicates, of which half have another b
    b[t // 2 : 3 * t // 4] = b[: 3 * t // 4 - t // 2]
    beta = cvxpy.Variable(t, nonneg=True)
    loss = cvxpy.sum_squares(A.T @ beta) / 2 - b @ beta
    problem = cvxpy.Problem(cvxpy.Minimize(loss), [cvxpy.sum(beta) == 1])
    problem.solve(solver="CLARABEL", tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    found = minimize_on_simplex(A @ A.T, b)
    assert_optimal(A @ A.T, b, found)
    assert objective(A @ A.T, b, found) == pytest.approx(problem.value, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize(
    "A",
    [
        np.zeros((5, 3)),
        np.ones((6, 2)),
        np.r_[np.eye(4), -np.eye(4)],
        np.repeat(np.eye(3), 4, axis=0),
        np.c_[np.arange(8.0), np.arange(8.0) ** 2],
        1e8 + np.random.default_rng(0).standard_normal((12, 3)),
        np.r_[1e7 * np.eye(5), 1e-7 * np.eye(5)],
    ],
    ids=["zeros", "equal", "opposite", "repeated", "collinear", "near each other", "two scales"],
)
def test_degenerate_planes(A):
    t = len(A)
    for b in (np.zeros(t), np.ones(t), np.linspace(-1, 1, t), 1e3 * np.sin(np.arange(t))):
        assert_optimal(A @ A.T, b, minimize_on_simplex(A @ A.T, b), 1e-11)


def test_growing_and_shrinking_from_where_it_was():
    rng = np.random.default_rng(3)
    A, b = planes(rng, 150, 25), rng.standard_normal(150)
    qp, there, last = SimplexQP(2), [], np.inf
    for j in range(150):
        there.append(j)
        chosen = A[there]
        qp.append(chosen @ A[j], b[j])
        qp.solve()
        assert_optimal(chosen @ chosen.T, b[there], qp.beta)
        assert qp.objective <= last + 1e-12 * abs(last)  # a variable more can only help
        last = qp.objective
        if j % 10 == 9:
            kept = np.flatnonzero((qp.beta > 0) | (rng.random(len(qp)) < 0.5))
            qp.keep(kept)
            there = [there[i] for i in kept]
    whole = minimize_on_simplex(A[there] @ A[there].T, b[there])
    assert objective(A[there] @ A[there].T, b[there], whole) == pytest.approx(last, rel=1e-11)


def test_other_numbers_and_other_starts_end_at_the_minimum():
    rng = np.random.default_rng(4)
    qp = SimplexQP()
    for _ in range(20):
        qp.append(np.r_[np.zeros(len(qp)), 1.0], 0.0)
    for start in (np.ones(20), np.eye(20)[7], rng.random(20)):
        A, b = planes(rng, 20, 5), rng.standard_normal(20)
        qp.start(start)
        qp.replace(A @ A.T, b)
        before = objective(A @ A.T, b, start / start.sum())
        violation = qp.solve()
        assert_optimal(A @ A.T, b, qp.beta)
        assert qp.objective <= before
        assert violation == pytest.approx(0, abs=1e-12)


def test_what_is_refused():
    qp = SimplexQP()
    with pytest.raises(ValueError, match="a simplex of no variables is empty"):
        qp.solve()
    qp.append([1.0], 0.0)
    with pytest.raises(ValueError, match=r"products must be 2 numbers, got shape \(1,\)"):
        qp.append([1.0], 0.0)
    with pytest.raises(ValueError, match="must be finite"):
        qp.append([1.0, np.nan], 0.0)
    with pytest.raises(ValueError, match="a variable with a weight cannot go"):
        qp.keep([])
    with pytest.raises(ValueError, match="beta must be 1 finite numbers, one of them above 0"):
        qp.start([-1.0])
    with pytest.raises(ValueError, match="Q and b must be of 1 variables"):
        qp.replace(np.eye(2), np.zeros(2))


def test_a_large_program_looks_at_the_clock_and_is_no_worse_than_before():
    rng = np.random.default_rng(0)
    factor, b = rng.standard_normal((600, 500)), rng.standard_normal(600)
    Q, qp = factor @ factor.T, SimplexQP(600)
    for j in range(600):
        qp.append(Q[j, : j + 1], b[j])
    before = objective(Q, b, qp.beta)
    with ends_within(0.0), pytest.raises(TimeIsUpError):
        qp.solve()
    assert objective(Q, b, qp.beta) < before
    assert qp.beta.sum() == pytest.approx(1)
    qp.solve()  # and goes on from there
    assert_optimal(Q, b, qp.beta)
