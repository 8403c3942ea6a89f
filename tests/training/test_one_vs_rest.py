"""One class against the rest: k problems with one certificate."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits
from sklearn.preprocessing import OneHotEncoder

from rrmlinear import Problem
from rrmlinear.catalog.losses import loss_row
from rrmlinear.data.rows import PackedRows, Rows
from rrmlinear.solvers.loop.result import Status

LOSSES = ["hinge", "smooth-hinge", "squared-hinge", "logistic"]


@pytest.fixture(scope="module")
def problem(small_problem):
    return small_problem(n=60, d=5, k=4, noise=1.5).problem()


def one_against_the_rest(problem, label, weights=None):
    y = np.where(problem.labels == label, 1.0, -1.0)
    return Problem.from_arrays(problem.rows.values, y, weights)


@pytest.mark.parametrize("loss", LOSSES)
def test_columns_are_the_single_problems(problem, fit, loss):
    choices = {"solver": 32, "loss": loss, "gap_tol": 1e-9, "C": 0.3}
    model = fit(problem, **choices)
    singles = [fit(one_against_the_rest(problem, label), **choices) for label in model.labels]
    assert model.weights.shape == (5, 4)
    assert_allclose(model.weights, np.hstack([single.weights for single in singles]), atol=1e-3)
    result = model.result
    assert result.primal == pytest.approx(sum(s.result.primal for s in singles), rel=1e-8)
    assert result.status is Status.SOLVED
    assert -1e-12 <= result.gap <= result.target
    assert [each.status for each in result.problems] == [Status.SOLVED] * 4
    assert_allclose(result.gap, sum(each.gap for each in result.problems))
    assert result.duals.shape == (60, 4)
    best = (problem.rows.values @ model.weights).argmax(axis=1)
    assert_array_equal(model.predict(problem), model.labels[best])


@pytest.mark.parametrize("loss", LOSSES)
def test_the_trace_is_a_certificate_all_along(problem, fit, loss):
    seen = []
    model = fit(problem, seen.append, solver=32, loss=loss, gap_tol=1e-9)
    trace = model.result.trace
    numbers = [row.number for row in trace]
    assert numbers == list(range(1, len(trace) + 1))
    assert numbers == [row.number for row in seen]
    assert model.result.passes == sum(each.passes for each in model.result.problems)
    assert (np.diff([row.seconds for row in trace]) >= 0).all()
    duals = np.array([row.dual for row in trace])
    assert (np.diff(duals) >= -1e-9 * duals[-1]).all()
    measured = [row for row in trace if not row.estimated]
    assert all(row.primal >= model.result.dual for row in measured)
    assert all(row.gap == pytest.approx(row.primal - row.dual, abs=1e-9) for row in measured)


def test_support_counts_examples_once(problem, fit):
    result = fit(problem, solver=32, loss="hinge", gap_tol=1e-6).result
    nonzero = result.duals != 0
    assert result.support == {
        "examples": nonzero.any(axis=1).sum(),
        "duals": nonzero.sum(),
        "at_bound": (np.abs(result.duals) == 1).sum(),
    }
    assert result.notes[0].startswith("4 problems, each class against the rest; numbers are their")


def test_the_weight_of_a_class_counts_in_its_own_problem(problem, fit):
    choices = {"solver": 32, "loss": "logistic", "gap_tol": 1e-9}
    model = fit(problem, **choices, class_weights={2: 5.0})
    for column, label in enumerate(model.labels):
        weights = np.where(problem.labels == label, 5.0 if label == 2 else 1.0, 1.0)
        single = fit(one_against_the_rest(problem, label, weights), **choices)
        assert_allclose(model.weights[:, column], single.weights[:, 0], atol=1e-3)


def test_a_caller_who_stops_is_not_asked_again(problem, fit):
    seen = []

    def stop(row):
        seen.append(row)
        return row.number == 7

    result = fit(problem, stop, solver=32, gap_tol=1e-12).result
    assert result.status is Status.STOPPED_BY_CALLER
    assert len(seen) == 7
    assert result.passes == 7 + 3
    assert result.gap == pytest.approx(sum(each.gap for each in result.problems))


def test_limits_count_the_passes_of_all_problems(problem, fit):
    result = fit(problem, solver=32, gap_tol=1e-12, max_passes=2).result
    assert (result.status, result.passes) == (Status.PASS_LIMIT, 8)
    result = fit(problem, solver=32, gap_tol=1e-12, time_limit=1e-6).result
    assert (result.status, result.passes) == (Status.TIME_LIMIT, 4)


def test_weights_that_leave_nothing(problem, fit):
    with pytest.raises(ValueError, match="every example has weight 0"):
        fit(Problem.from_arrays(np.eye(3), [1, 2, 3], np.zeros(3)), solver=32)


def test_threads_stop_with_the_caller_and_at_the_time_limit(small_problem, fit):
    problem = small_problem(n=300, d=80, k=4, noise=3.0).problem()
    choices = {"solver": 32, "loss": "hinge", "gap_tol": 1e-6, "threads": 2}
    seen = []

    def stop(row):
        seen.append(row)
        return True

    stopped = fit(problem, stop, max_passes=20, **choices)
    assert len(seen) == 1
    assert stopped.result.weights.shape == (80, 4)
    late = fit(problem, time_limit=1e-9, **choices)
    assert [each.passes for each in late.result.problems] == [1] * 4
    assert late.result.status is Status.TIME_LIMIT

    def fail(row):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(problem, fail, **choices)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("weighted", [False, True])
def test_classes_that_share_passes_are_each_proved_by_their_duals(fit, loss, weighted):
    X, y = load_digits(return_X_y=True)
    X = OneHotEncoder(dtype=np.float64).fit_transform(X)  # a column for each value of each pixel
    weights = np.where(np.arange(len(y)) % 7 == 0, 0.0, 0.5 + y / 9) if weighted else None
    factors = {3: 4.0, 5: 0.5} if weighted else {}
    problem = Problem.from_arrays(X, y, weights)
    choices = {"solver": "auto", "loss": loss, "gap_tol": 1e-3, "C": 0.1}
    model = fit(problem, **choices, class_weights=factors)
    assert any("classes at a time come first" in note for note in model.result.notes)
    limited = fit(problem, **choices, class_weights=factors, time_limit=1e5)
    assert limited.weights.tobytes() == model.weights.tobytes()
    row = loss_row(loss)
    phi = row.build(*row.takes.values())
    for j, (label, found) in enumerate(zip(model.labels, model.result.problems, strict=True)):
        own = np.where(y == label, 1.0, -1.0)
        costs = 0.1 * (np.ones(len(y)) if weights is None else weights)
        costs = costs * np.where(own > 0, factors.get(label, 1.0), 1.0)
        alpha, w = model.result.duals[:, j], model.weights[:, j]
        v = X.T @ (costs * alpha)
        counts = costs > 0
        primal = w @ w / 2 + costs @ phi.values(own, X @ w)
        dual = -costs[counts] @ phi.conjugates(own[counts], alpha[counts]) - v @ v / 2
        assert found.status is Status.SOLVED
        assert found.primal == pytest.approx(primal, rel=1e-9)
        assert found.dual == pytest.approx(dual, rel=1e-9)
        assert 0 <= primal - dual <= 1e-3 * primal
        nonzero = alpha != 0
        assert found.support["duals"] == np.count_nonzero(nonzero)
        assert not nonzero[~counts].any()


def test_packed_rows_have_the_same_joint_passes(fit):
    n, stored, width, rng = 64, 60, 4200, np.random.default_rng(0)
    columns = np.sort(rng.permuted(np.tile(np.arange(width), (n, 1)), axis=1)[:, :stored])
    values, indptr = rng.integers(1, 1000, n * stored), np.arange(0, n * stored + 1, stored)
    packed = values.astype(np.int32), columns.ravel().astype(np.uint16)
    others = values / 1000, columns.ravel().astype(np.int32)
    both = PackedRows(*packed, indptr, width, decimals=3), Rows(*others, indptr, width)
    mine, theirs = (fit(Problem(rows, np.arange(n) % 8.0), solver=3) for rows in both)
    assert any("at a time come first" in note for note in mine.result.notes)
    assert_array_equal(mine.weights, theirs.weights)
    assert mine.result.gap == theirs.result.gap


@pytest.mark.parametrize(("solver", "loss"), [(32, "hinge"), ("auto", "logistic"), (35, "hinge")])
def test_threads_solve_a_problem_each_with_the_bits_of_one(small_problem, fit, solver, loss):
    problem = small_problem(n=1500, d=120, k=5, noise=3.0).problem()
    choices, at_once = {"solver": solver, "loss": loss, "gap_tol": 1e-4, "C": 0.01}, []
    one, two = fit(problem, **choices), fit(problem, at_once.append, **choices, threads=2)
    assert two.weights.tobytes() == one.weights.tobytes()
    assert two.result.duals.tobytes() == one.result.duals.tobytes()
    assert "2 threads solve a problem each" in two.result.notes
    numbers = [[(row.number, row.primal, row.dual) for row in m.result.trace] for m in (one, two)]
    assert numbers[0] == numbers[1]
    assert [row.number for row in at_once] == [row[0] for row in numbers[1]]
    assert (np.diff([row.seconds for row in two.result.trace]) >= 0).all()
    assert len(two.result.problems) == 5
