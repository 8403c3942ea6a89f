"""LIBLINEAR's types: their problems, their stopping rules and their models."""

import warnings
import weakref

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Model, Parameter, Problem, fit
from rrmlinear.catalog.choices import CHOICES
from rrmlinear.catalog.selection import GAP_TOL, KINKS_GAP_TOL, select
from rrmlinear.catalog.solvers import SOLVERS
from rrmlinear.solvers.features.feature_subsets import FirstSweep, sweep_order
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.rules.rule import Point
from rrmlinear.training.fit import NotSolvedWarning

TYPES = [number for number, row in SOLVERS.items() if row.is_liblinear]
REGRESSION = (11, 12, 13)
WITH_KINKS = (3, 4, 13, 21)


@pytest.fixture(scope="module")
def problems():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(120, 6)) + 0.3
    score = X @ rng.normal(size=6) + 0.5 * rng.normal(size=120)
    labels = {
        "two": np.where(score > 0, 1.0, -1.0),
        "three": np.digitize(score, [-1.0, 1.0]).astype(float),
        "real": score + 1.0,
    }
    return {name: Problem.from_arrays(X, y) for name, y in labels.items()}


def widest_of(number):
    """The relative gap that is asked for beside the rule."""
    return KINKS_GAP_TOL if number in WITH_KINKS else GAP_TOL


def problem_of(problems, number, classes="two"):
    return problems["real" if number in REGRESSION else classes]


@pytest.mark.parametrize("number", TYPES)
@pytest.mark.parametrize("classes", ["two", "three"])
@pytest.mark.parametrize("C", [0.05, 5.0])
def test_the_rule_ends_near_the_optimum(problems, number, classes, C):
    problem = problem_of(problems, number, classes)
    exact = fit(problem, Parameter(solver=number, C=C, gap_tol=1e-9)).result
    ruled = fit(problem, Parameter(solver=number, C=C)).result
    fine = fit(problem, Parameter(solver=number, C=C, tolerance=1e-5)).result
    for result, part in ((ruled, widest_of(number)), (fine, 1e-4)):
        assert result.ended
        assert exact.dual - 1e-9 * abs(exact.dual) <= result.primal
        assert result.primal - exact.primal <= part * abs(exact.primal)
    assert fine.gap <= max(ruled.gap, 1e-9 * abs(exact.primal))  # a step may land on the optimum


@pytest.mark.parametrize("number", TYPES)
def test_a_loose_tolerance_leaves_the_gap(problems, number):
    problem = problem_of(problems, number)
    loose = fit(problem, Parameter(solver=number, tolerance=100.0)).result
    assert loose.status is Status.RULE
    exact = fit(problem, Parameter(solver=number, gap_tol=1e-9)).result
    assert loose.primal - exact.primal <= widest_of(number) * abs(exact.primal)


@pytest.mark.parametrize("number", TYPES)
def test_the_default_tolerance_is_told(number):
    row = SOLVERS[number]
    told = CHOICES["tolerance"].usually.split("; ")
    owner = next(part for part in told if part.startswith(f"{row.tolerance:g} for "))
    assert str(number) in owner.replace(",", "").split()
    assert select(Parameter(solver=number)).tolerance == row.tolerance
    assert select(Parameter(solver=number, gap_tol=1e-3)).tolerance is None


def test_weights_of_dual_types_satisfy_the_rule(problems):
    problem = problems["two"]
    model = fit(problem, Parameter(solver=3, tolerance=1e-4))
    X, y, a = problem.rows.values, problem.labels * model.labels[0], model.result.duals
    gradient = y * (X @ model.weights[:, 0]) - 1
    projected = np.where(a == 0, np.minimum(gradient, 0), gradient)
    projected = np.where(np.abs(a) == 1, np.maximum(gradient, 0), projected)
    assert projected.max() - projected.min() <= 1e-4 * (1 + 1e-9)


@pytest.mark.parametrize("number", [0, 2, 5, 6, 11])
def test_a_bias_without_penalty(problems, number):
    problem = problem_of(problems, number).with_bias(1.0)
    free = fit(problem, Parameter(solver=number, gap_tol=1e-8, free_bias=True)).result
    plain = fit(problem, Parameter(solver=number, gap_tol=1e-8)).result
    assert free.primal < plain.primal
    assert fit(problem, Parameter(solver=number, free_bias=True)).result.ended


@pytest.mark.parametrize("number", TYPES)
def test_solved_is_said_of_a_small_gap_alone(problems, number):
    problem = problem_of(problems, number)
    ruled = fit(problem, Parameter(solver=number)).result
    assert ruled.ended
    assert ruled.solved == (number not in (5, 6) or ruled.status is Status.SOLVED)
    assert not ruled.solved or ruled.last.relative_gap <= widest_of(number)


@pytest.mark.parametrize("number", [30, 31])
def test_the_rule_of_the_paper_is_a_choice_that_solves_nothing(problems, number):
    by_gap = fit(problems["three"], Parameter(solver=number)).result
    assert by_gap.status is Status.SOLVED
    assert by_gap.last.relative_gap <= GAP_TOL
    with warnings.catch_warnings(action="ignore", category=NotSolvedWarning):
        by_rule = fit(problems["three"], Parameter(solver=number, tolerance=0.5)).result
    assert by_rule.status is Status.RULE
    assert by_rule.ended
    assert not by_rule.solved
    assert by_rule.gap <= 0.5 * by_rule.trace[0].gap


@pytest.mark.parametrize("number", [30, 31])
def test_a_start_at_the_optimum_leaves_no_part_of_a_gap_to_reach(problems, number):
    exact = fit(problems["three"], Parameter(solver=number, gap_tol=1e-12))
    again = fit(problems["three"], Parameter(solver=number, tolerance=1e-4), start=exact).result
    assert again.status is Status.RULE
    assert again.passes <= 10


@pytest.mark.parametrize("bias", [-1.0, 1.0])
@pytest.mark.parametrize("number", [0, 1, 2, 3, 5, 6, 7, 11, 12, 13, 30, 35, 42])
def test_data_without_columns(number, bias):
    y = np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0])
    problem = Problem.from_arrays(np.zeros((6, 0)), y, bias=bias)
    model = fit(problem, Parameter(solver=number))
    assert len(model.weights) == (bias > 0)
    assert model.result.ended
    assert np.isfinite(model.result.last.relative_gap)


OF_CLASSES = [number for number in TYPES if number not in (*REGRESSION, 21)]


@pytest.mark.parametrize("number", OF_CLASSES)
@pytest.mark.parametrize("label", [1.0, -1.0, 3.0])
def test_a_single_class_is_trained(problems, number, label, tmp_path):
    X = problems["two"].rows.values
    problem = Problem.from_arrays(X, np.full(len(X), label), bias=1.0)
    model = fit(problem, Parameter(solver=number, gap_tol=1e-8))
    assert model.labels.tolist() == [label]
    assert model.weights.shape == (7, 1)
    assert model.result.solved
    assert (model.predict(-100 * X) == label).all()
    assert model.weights.any() == (number != 4)  # Crammer and Singer's loss compares classes
    if model.link is not None:
        assert (model.predict_proba(X) == 1).all()
    model.save(tmp_path / "m")
    assert Model.load(tmp_path / "m").weights.tolist() == model.weights.tolist()


def test_a_single_class_is_an_error_of_other_types(problems):
    X = problems["two"].rows.values
    problem = Problem.from_arrays(X, np.ones(len(X)))
    with pytest.raises(ValueError, match="have label 1: this solver type takes at least two"):
        fit(problem, Parameter(solver=30))


@pytest.mark.parametrize("number", [1, 7, 12])
def test_a_tolerance_bounds_the_violation_at_the_weights_of_the_duals(number):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(3000, 6)) * [1, 2, 0.1, 4, 1, 1]  # Newton's method comes first
    y = X @ rng.normal(size=6) + rng.normal(size=3000)
    problem = Problem.from_arrays(X, y if number == 12 else np.where(y > 1, 1.0, -1.0))
    best = fit(problem, Parameter(solver=number, gap_tol=1e-10)).result
    result = fit(problem, Parameter(solver=number, tolerance=1e-4)).result
    assert result.primal - best.primal <= 1e-6 * best.primal
    assert result.last.relative_gap <= 1e-6


@pytest.mark.parametrize("number", [1, 3, 7])
def test_some_examples_violate_a_rule_at_most_as_much_as_all(number):
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((60, 5)), np.where(rng.random(60) < 0.5, 1.0, -1.0)
    problem = Problem.from_arrays(X, y)
    chosen = select(Parameter(solver=number))
    solver = chosen.solver_for(problem.rows, y, None, np.ones(60), chosen.regularizer.over((5,)))
    duals, some = y * rng.uniform(0.1, 0.9, 60), np.arange(0, 60, 3)
    scores = X @ (X.T @ duals)
    whole = solver.rule.ratio(Point(X.T @ duals, duals))
    part = solver.rule.ratio(Point(None, duals[some], scores[some], None, some))
    most = max(
        solver.rule.ratio(
            Point(None, duals[i : i + 1], scores[i : i + 1], None, np.arange(i, i + 1))
        )
        for i in some
    )
    assert most <= part <= whole
    assert whole == pytest.approx(
        solver.rule.ratio(Point(None, duals, scores, None, np.arange(60)))
    )


@pytest.mark.parametrize(("number", "seed", "C"), [(3, 72, 1.0), (3, 22, 1.0), (13, 54, 0.1)])
def test_the_weights_are_those_at_which_the_rule_holds(number, seed, C):
    # the weights of an accelerated ascent are those of an inner problem, and its duals the optimum
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 2))
    noise = rng.normal(size=50)
    y = noise if number == 13 else np.where(X[:, 0] + noise > 0, 1.0, -1.0)
    problem = Problem.from_arrays(csr_array(X), y)
    result = fit(problem, Parameter(solver=number, C=C, tolerance=1e-8)).result
    assert result.solved
    assert result.gap <= 1e-8 * result.primal
    np.testing.assert_allclose(result.weights, C * X.T @ result.duals, atol=1e-7)


def _first_sum(X, y, C, order, free):
    """The sum of violations of LIBLINEAR's first sweep of `-s 5`, in plain numpy."""
    slack, total = np.ones(len(y)), 0.0
    for j in order:
        signed, l1, active = y * X[:, j], 0.0 if j == free else 1.0, slack > 0
        slope = -2 * C * float(signed[active] @ slack[active])
        violation = max(abs(slope) - l1, 0.0)
        total += violation
        step = (
            -np.sign(slope) * violation / max(2 * C * float(signed[active] @ signed[active]), 1e-12)
        )
        before = C * float((np.maximum(slack, 0) ** 2).sum())
        for _ in range(20):
            after = C * float((np.maximum(slack - step * signed, 0) ** 2).sum())
            if after - before + l1 * abs(step) <= -0.01 * violation * abs(step):
                break
            step /= 2
        slack -= step * signed
    return total


@pytest.mark.parametrize("is_free", [False, True])
@pytest.mark.parametrize("kind", ["dense", "sparse", "columns", "many"])
def test_a_first_sweep_sums_violations_while_weights_move(kind, is_free):
    n = 5000 if kind == "many" else 40
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, 11)) * (rng.random((n, 11)) < 0.6) + 0.1
    X *= [1, 3, 0.2, 1, 1, 5, 1, 2, 0.5, 1, 1]
    y = np.where(X[:, 1] + rng.normal(size=n) > 0.3, 1.0, -1.0)
    whole = np.hstack([X, np.ones((n, 1))])
    problem = Problem.from_arrays(csr_array(X) if kind == "sparse" else X, y).with_bias(1.0)
    columns = np.ascontiguousarray(whole.T) if kind == "columns" else None
    if kind == "many":  # ten features are copied together
        order = [b + j for b in 10 * sweep_order(2) for j in sweep_order(min(10, 12 - b))]
    else:
        order = sweep_order(12)
    given = problem.rows, select(Parameter(solver=5)).loss, y
    for C in (2 / n, 80 / n):
        total = _first_sum(whole, y, C, order, 11 if is_free else -1)
        asked = FirstSweep(*given, np.full(n, C), is_free, columns)
        for _ in range(2):
            assert all(asked.reaches(part * total) for part in (0.2, 0.9, 1 - 1e-9))
            assert not asked.reaches(total * (1 + 1e-9))
            assert asked.total == pytest.approx(total)
            asked.begin()
        seen, asked = weakref.ref(asked), None  # no circle holds its arrays
        assert seen() is None


@pytest.mark.parametrize("bias", [-1.0, 1.0])
@pytest.mark.parametrize("kind", ["few", "wide", "classes"])
def test_the_bound_of_a_descent_is_that_of_its_first_sweep(kind, bias):
    # weights move in it, so that its sum is a small part of that at w = 0 where many features tell
    # the same
    rng = np.random.default_rng(6)
    n, d = (60, 500) if kind == "wide" else (200, 12)
    X = rng.normal(size=(n, 1)) + 0.5 * rng.normal(size=(n, d))
    score = X[:, 0] + rng.normal(size=n)
    y = np.digitize(score, [-1.0, 1.0]) * 1.0 if kind == "classes" else np.where(score > 0, 1.0, -1)
    problem = Problem.from_arrays(X, y).with_bias(bias)
    whole = X if bias < 0 else np.hstack([X, np.ones((n, 1))])
    order = sweep_order(whole.shape[1])
    for C in (0.1, 1.0):
        model = fit(problem, Parameter(solver=5, C=C))
        for j in range(model.weights.shape[1]):
            signs, w = np.where(y == model.labels[j], 1.0, -1.0), model.weights[:, j]
            gradient = -2 * C * whole.T @ (signs * np.maximum(1 - signs * (whole @ w), 0))
            violations = np.maximum(np.abs(gradient) - 1, 0)
            violations[w != 0] = np.abs(gradient + np.sign(w))[w != 0]
            share = min((signs > 0).sum(), (signs < 0).sum()) / n
            bound = 0.01 * share * _first_sum(whole, signs, C, order, -1)
            assert violations.sum() <= bound * (1 + 1e-6)
