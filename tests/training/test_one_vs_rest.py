"""One class against the rest: k problems with one certificate."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rrmlinear import Problem
from rrmlinear.catalog.losses import loss_row
from rrmlinear.data.packed_rows import PackedRows
from rrmlinear.data.rows import Rows
from rrmlinear.losses.logistic import Logistic
from rrmlinear.losses.margin import Hinge, SquaredHinge
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual.joint._joint_ascent import JointAscent
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.stages.stages import Stages
from rrmlinear.training import starts
from rrmlinear.training.classes import one_vs_rest

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


def test_weights_of_examples_are_repetitions(problem, fit):
    choices = {"solver": 32, "loss": "hinge", "gap_tol": 1e-9}
    weights = np.arange(60) % 3 + 1.0
    weighted = Problem.from_arrays(problem.rows.values, problem.labels, weights)
    repeated = problem.take(np.repeat(np.arange(60), weights.astype(int)))
    one, other = fit(weighted, **choices), fit(repeated, **choices)
    assert one.result.primal == pytest.approx(other.result.primal, rel=1e-8)
    assert_array_equal(one.labels, other.labels)
    assert_allclose(one.weights, other.weights, atol=2e-3)


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


@pytest.mark.parametrize(("solver", "loss"), [(32, "hinge"), ("auto", "logistic"), (35, "hinge")])
def test_threads_solve_a_problem_each_with_the_bits_of_one(problem, fit, monkeypatch, solver, loss):
    choices = {"solver": solver, "loss": loss, "gap_tol": 1e-6}
    one, at_once = fit(problem, **choices), []
    monkeypatch.setattr(one_vs_rest, "MIN_WORK_AT_ONCE", 1)
    two = fit(problem, at_once.append, **choices, threads=2)
    assert two.weights.tobytes() == one.weights.tobytes()
    assert two.result.duals.tobytes() == one.result.duals.tobytes()
    assert "2 threads solve a problem each" in two.result.notes
    mine, theirs = two.result.trace, one.result.trace
    assert [row.number for row in at_once] == [row.number for row in mine]
    assert [(row.number, row.primal, row.dual) for row in mine] == [
        (row.number, row.primal, row.dual) for row in theirs
    ]
    assert (np.diff([row.seconds for row in mine]) >= 0).all()
    assert len(two.result.problems) == 4


def test_threads_stop_with_the_caller_and_at_the_time_limit(problem, fit, monkeypatch):
    monkeypatch.setattr(one_vs_rest, "MIN_WORK_AT_ONCE", 1)
    choices = {"solver": 32, "loss": "hinge", "gap_tol": 1e-12, "threads": 2}
    seen = []

    def stop(row):
        seen.append(row)
        return True

    stopped = fit(problem, stop, max_passes=400, **choices)
    assert len(seen) == 1
    assert stopped.result.weights.shape == (5, 4)
    late = fit(problem, time_limit=1e-9, **choices)
    assert [each.passes for each in late.result.problems] == [1] * 4
    assert late.result.status is Status.TIME_LIMIT

    def fail(row):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(problem, fail, **choices)


@pytest.fixture(scope="module")
def wide(small_problem):
    return small_problem(n=90, d=70, k=10, noise=1.5).problem()


@pytest.mark.parametrize("loss", LOSSES)
def test_a_joint_ascent_comes_to_the_optimum_of_every_class(wide, loss):
    costs = np.where(np.arange(90) % 7 == 0, 0.0, 0.2 + np.arange(90) / 90)
    factors, label = np.array([1.0, 3.0, 0.5]), (wide.labels - wide.labels.min()).astype(np.int32)
    row, squares = loss_row(loss), wide.rows.squared_norms()
    phi = row.build(*row.takes.values())
    ascent = JointAscent(wide.rows, phi, label, 4, costs, factors, squares)
    for number in range(1, 2001):
        ascent.run_pass(number, 5)
    X, scores = wide.rows.values, ascent.scores()
    for j, factor in enumerate(factors):
        y = np.where(label == 4 + j, 1.0, -1.0)
        own = costs * np.where(y > 0, factor, 1.0)
        w = X.T @ (own * ascent.duals[:, j])
        primal = w @ w / 2 + own @ phi.values(y, X @ w)
        dual = -own @ phi.conjugates(y, ascent.duals[:, j]) - w @ w / 2
        assert primal - dual == pytest.approx(0, abs=1e-6 * primal)
        assert_allclose(ascent.vectors[j], w, rtol=1e-9, atol=1e-12)
        assert_allclose(scores[:, j], X @ w, rtol=1e-9, atol=1e-12)
    assert (ascent.duals[costs == 0] == 0).all()


def test_examples_without_duals_skip_joint_passes(small_problem):
    problem = small_problem(n=400, d=40, k=3, noise=1.0).problem()
    label = (problem.labels - problem.labels.min()).astype(np.int32)
    ones, y = np.ones(400), np.where(label[:, np.newaxis] == [0, 1], 1.0, -1.0)
    squares = problem.rows.squared_norms()
    ascent = JointAscent(problem.rows, Hinge(), label, 0, ones, np.ones(2), squares)
    ascent.run_pass(1, 0)
    asleep = (ascent.duals == 0).all(axis=1)
    ascent.run_pass(2, 0)
    assert (ascent.duals[asleep] == 0).all()
    violate = asleep & (y * ascent.scores() < 1).any(axis=1)
    assert violate.any()
    ascent.run_pass(3, 0)
    assert (ascent.duals[violate] != 0).any()


def test_an_ascent_goes_on_from_duals_their_vector_and_scores(wide):
    y = np.where(wide.labels == wide.labels[0], 1.0, -1.0)
    costs, phi, rng = np.ones(90), Hinge(), np.random.default_rng(0)
    duals = y * rng.random(90)
    vector = wide.rows.values.T @ duals
    duals[y * (wide.rows.values @ vector) > 1] = 0  # these have no gap, wherever the others are
    vector = wide.rows.values.T @ duals
    scores = wide.rows.values @ vector
    gaps = phi.values(y, scores) + phi.conjugates(y, duals) + scores * duals
    assert 0 < np.count_nonzero(gaps == 0) < 90
    ascent = ProxSDCA(wide.rows, y, costs, phi, L2(1.0), start=duals, climbed=(vector, scores))
    other = ProxSDCA(wide.rows, y, costs, phi, L2(1.0), start=duals)
    for each in (ascent, other):
        each.start()
    assert_array_equal(ascent.state.alphas, other.state.alphas)
    assert_allclose(ascent.dual_vector, other.dual_vector, rtol=1e-12, atol=1e-14)
    assert ascent.conjugates() == pytest.approx(other.conjugates(), rel=1e-14)
    assert_allclose(ascent.state.gaps, gaps, atol=1e-14)
    assert ascent.gap_sum == pytest.approx(gaps.sum(), rel=1e-12)
    assert ascent.proven_losses() == pytest.approx(phi.values(y, scores).sum(), rel=1e-12)
    awake = [sorted(ascent.state.begin_pass(number, 0, False)) for number in (1, 2, 3)]
    assert awake == [np.flatnonzero(ascent.state.gaps > 0).tolist()] * 2 + [list(range(90))]


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


def test_a_joint_ascent_refuses_arrays_of_other_lengths(wide):
    phi, ones = Hinge(), np.ones(90)
    with pytest.raises(ValueError, match="there must be 90 labels, costs and squared norms"):
        JointAscent(wide.rows, phi, np.zeros(89, np.int32), 0, ones, np.ones(2), ones)


@pytest.mark.usefixtures("no_compiled_steps")
@pytest.mark.parametrize("solver", [1, 3, 7])
def test_classes_that_begin_together_come_to_the_same_optimum(wide, fit, monkeypatch, solver):
    choices = {"solver": solver, "gap_tol": 1e-4, "C": 0.3}
    monkeypatch.setattr(starts, "MIN_JOINT_WIDTH", 1)
    monkeypatch.setattr("rrmlinear.catalog.stages.first_stage.MAX_CURVED_COST", 0)
    # passes of ascents are compared
    monkeypatch.setattr(Stages, "_turn_is_over", lambda self: False)
    together = fit(wide, **choices)
    passes = {1: 8, 3: 12, 7: 5}[solver]
    assert f"{passes} passes for up to 8 classes at a time come first" in together.result.notes
    monkeypatch.setattr(one_vs_rest, "MIN_WORK_AT_ONCE", 1)
    threads = fit(wide, **choices, threads=3)
    assert threads.weights.tobytes() == together.weights.tobytes()
    monkeypatch.setattr(starts, "MIN_JOINT_CLASSES", 11)
    alone = fit(wide, **choices)
    assert not any("at a time" in note for note in alone.result.notes)
    apart = abs(together.result.primal - alone.result.primal)
    assert apart <= together.result.gap + alone.result.gap
    assert together.result.passes <= 1.1 * alone.result.passes
    assert threads.result.passes == together.result.passes


@pytest.mark.usefixtures("no_compiled_steps")
def test_duals_of_joint_passes_at_which_the_rule_holds_stay(wide, fit, monkeypatch):
    made, make = [], starts.JointStarts._made
    monkeypatch.setattr(starts, "MIN_JOINT_WIDTH", 1)
    monkeypatch.setattr(starts, "BOXLESS_JOINT_PASSES", 12)
    monkeypatch.setattr("rrmlinear.catalog.stages.first_stage.MAX_CURVED_COST", 0)

    def kept(self, first, count):
        found = make(self, first, count)
        made.append(found[0].copy())
        return found

    monkeypatch.setattr(starts.JointStarts, "_made", kept)
    model = fit(wide, solver=7, C=0.3)
    duals, X, loss = model.result.duals, wide.rows.values, Logistic()
    primal = dual = 0.0
    for j, label in enumerate(model.labels):
        y = np.where(wide.labels == label, 1.0, -1.0)
        w = model.weights[:, j]
        b = y * duals[:, j]
        assert abs(y * (X @ w) + np.log(b / (1 - b))).max() <= 0.1
        assert_allclose(w, 0.3 * X.T @ duals[:, j], atol=1e-12)
        primal += w @ w / 2 + 0.3 * loss.values(y, X @ w).sum()
        dual -= w @ w / 2 + 0.3 * loss.conjugates(y, duals[:, j]).sum()
    assert model.result.primal == pytest.approx(primal, rel=1e-12)
    assert model.result.dual == pytest.approx(dual, rel=1e-12)
    assert {each.status for each in model.result.problems} == {Status.RULE}
    assert_array_equal(np.vstack(made).T, duals)
    assert model.result.passes == 10 * (12 + 1)
    tighter = fit(wide, solver=7, C=0.3, tolerance=1e-7).result
    assert (tighter.duals != duals).any(axis=0).all()
    assert tighter.gap < model.result.gap


@pytest.mark.parametrize(("solver", "loss"), [(1, SquaredHinge()), (3, Hinge())])
def test_classes_end_without_a_visit_where_the_rule_holds_at_joint_duals(
    wide, fit, monkeypatch, solver, loss
):
    monkeypatch.setattr(starts, "MIN_JOINT_WIDTH", 1)
    monkeypatch.setattr(starts, "JOINT_PASSES", 500)
    monkeypatch.setattr(starts, "KINK_JOINT_PASSES", 500)
    monkeypatch.setattr("rrmlinear.catalog.stages.first_stage.MAX_CURVED_COST", 0)
    monkeypatch.setattr(ProxSDCA, "_pass_alone", None)  # a visit would fail
    model = fit(wide, solver=solver, C=0.3)
    assert {each.status for each in model.result.problems} == {Status.RULE}
    duals, X = model.result.duals, wide.rows.values
    primal = dual = 0.0
    for j, label in enumerate(model.labels):
        y, w = np.where(wide.labels == label, 1.0, -1.0), model.weights[:, j]
        assert_allclose(w, 0.3 * X.T @ duals[:, j], atol=1e-12)
        primal += w @ w / 2 + 0.3 * loss.values(y, X @ w).sum()
        dual -= w @ w / 2 + 0.3 * loss.conjugates(y, duals[:, j]).sum()
    assert model.result.primal == pytest.approx(primal, rel=1e-12)
    assert model.result.dual == pytest.approx(dual, rel=1e-12)


@pytest.mark.parametrize("choices", [{"max_passes": 9}, {"solver": 32}])
def test_classes_begin_alone_with_few_passes_and_by_other_solvers(wide, fit, monkeypatch, choices):
    monkeypatch.setattr(starts, "MIN_JOINT_WIDTH", 1)
    result = fit(wide, **({"solver": 3, "gap_tol": 1e-3} | choices)).result
    assert not any("at a time" in note for note in result.notes)
