"""Classes with few weights by compiled steps, each against the rest: certificates, bits, limits."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Parameter, Problem, fit
from rrmlinear.catalog.selection import select
from rrmlinear.solvers.loop.result import Status

N, D = 400, 6
TYPES = [0, 1, 2, 3, 5, 6, 7]


def made(k, form="dense", spread=1.0):
    rng, d, is_sparse = np.random.default_rng(k), D, "sparse" in form
    if "wide" in form:
        d, spread = 700, 0.3
    y = rng.integers(k, size=N)
    X = rng.normal(size=(N, d)) + spread * rng.normal(size=(k, d))[y]
    if form == "uneven":  # with no more examples than two for each weight, and large costs
        X, y = 1e2 * X[: 2 * d] * 10 ** rng.uniform(-3, 3, size=d), y[: 2 * d]
    if form == "one-hot":  # four attributes of three values, whose columns sum to 1
        noise = rng.integers(k, size=(N, 4))
        attributes = np.where(rng.random((N, 4)) < 0.3, y[:, np.newaxis], noise)
        X = np.eye(3)[attributes % 3].reshape(N, 12)
    X = np.where(rng.random((N, d)) < (0.7 if d == D else 0.1), X, 0.0) if is_sparse else X
    return Problem.from_arrays(csr_array(X) if is_sparse else X, y), X, y


def values(number, X, y, costs, w, alphas):
    """(primal, dual) of a type at weights and duals."""
    loss, v = select(Parameter(solver=number)).loss, X.T @ (costs * alphas)
    if number in (5, 6):
        penalty, conjugate = np.abs(w).sum(), 0.0
        assert np.abs(v).max() <= 1 + 1e-9
    else:
        penalty, conjugate = w @ w / 2, v @ v / 2
    primal = penalty + costs @ loss.values(y, np.ascontiguousarray(X @ w))
    return primal, -costs @ loss.conjugates(y, np.ascontiguousarray(alphas)) - conjugate


@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize(
    ("number", "form"),
    [(number, form) for number in TYPES for form in ("dense", "sparse")]
    + [(number, "uneven") for number in (0, 1, 3)]
    + [(number, form) for number in (5, 6) for form in ("one-hot", "wide dense", "wide sparse")],
)
@pytest.mark.parametrize("gap_tol", [None, 1e-7])
def test_each_certificate_is_true(number, k, form, gap_tol):
    problem, X, label = made(k, form)
    chosen = Parameter(solver=number, C=0.7, class_weights={1: 3.0}, gap_tol=gap_tol)
    model = fit(problem, chosen)
    result = model.result
    problems = getattr(result, "problems", [result])
    assert len(problems) == (k if k > 2 else 1)
    if gap_tol is None or "wide" not in form:  # others may go on from hard ones
        assert result.passes == len(problems)
    assert [row.number for row in result.trace] == list(range(1, result.passes + 1))
    for j, each in enumerate(problems):
        assert each.status is (Status.RULE if gap_tol is None else Status.SOLVED)
        y = np.where(label == model.labels[j], 1.0, -1.0)
        weighs = label == 1 if k == 2 else (label == 1) & (model.labels[j] == 1)
        costs = 0.7 * np.where(weighs, 3.0, 1.0)
        primal, dual = values(number, X, y, costs, each.weights, each.duals)
        assert each.primal == pytest.approx(primal, rel=1e-10)
        assert each.dual == pytest.approx(dual, rel=1e-9)
        if number not in (5, 6) or gap_tol:
            assert primal - dual <= (gap_tol or select(chosen).widest_gap) * primal * (1 + 1e-6)
    assert result.primal == pytest.approx(sum(each.primal for each in problems))


@pytest.mark.parametrize("scale", [1.0, 1e4])
@pytest.mark.parametrize("number", TYPES)
def test_a_wide_gap_asked_for_is_proven(number, scale):
    # few examples, large costs: the objective still falls where steps of the 1-norm are short
    rng = np.random.default_rng(3)
    for _ in range(10):
        X, label = rng.normal(size=(12, 8)), np.arange(12) % 2
        model = fit(Problem.from_arrays(X, label), Parameter(solver=number, C=scale, gap_tol=0.1))
        result, y = model.result, np.where(label == model.labels[0], 1.0, -1.0)
        primal, dual = values(number, X, y, np.full(12, scale), result.weights, result.duals)
        assert result.solved
        assert primal - dual <= 0.1 * primal * (1 + 1e-9)
        assert result.primal == pytest.approx(primal, rel=1e-9)


@pytest.mark.parametrize("number", TYPES)
def test_a_caller_sees_each_problem_and_changes_no_bits(number):
    (problem, *_), rows = made(4), []
    seen = fit(problem, Parameter(solver=number), on_pass=rows.append)
    limited = fit(problem, Parameter(solver=number, time_limit=100.0))
    plain = fit(problem, Parameter(solver=number))
    assert [row.number for row in rows] == [1, 2, 3, 4] == [*range(1, seen.result.passes + 1)]
    for other in (seen, limited):
        assert np.array_equal(other.weights, plain.weights)
        assert np.array_equal(other.result.duals, plain.result.duals)


@pytest.mark.parametrize("number", [0, 1, 2, 5, 6, 7])
def test_each_class_is_the_problem_of_two_classes(number):
    problem, X, label = made(4)
    model = fit(problem, Parameter(solver=number))
    for j, name in enumerate(model.labels):
        alone = fit(Problem.from_arrays(X, np.where(label == name, 1, 2)), Parameter(solver=number))
        w = alone.weights[:, 0] * (1 if alone.labels[0] == 1 else -1)
        assert np.allclose(w, model.weights[:, j], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("number", TYPES)
@pytest.mark.parametrize("k", [2, 3])
def test_hard_problems_are_solved_as_well(number, k):
    assert fit(made(k, spread=20.0)[0], Parameter(solver=number, C=1e4, gap_tol=1e-4)).result.solved


@pytest.mark.filterwarnings("ignore::rrmlinear.training.fit.NotSolvedWarning")
@pytest.mark.parametrize("number", [2, 3, 6])
def test_classes_without_time_have_weights_of_zero(number):
    result = fit(made(4)[0], Parameter(solver=number, time_limit=1e-9)).result
    assert result.status is Status.TIME_LIMIT
    assert np.isfinite(result.weights).all()


@pytest.mark.parametrize("tolerance", [1.0, 0.1, 1e-3, 1e-6])
@pytest.mark.parametrize("k", [2, 5])
def test_hinges_end_where_the_rule_of_the_dual_holds(k, tolerance):
    problem, X, label = made(k)
    model = fit(problem, Parameter(solver=3, tolerance=tolerance))
    for j, each in enumerate(getattr(model.result, "problems", [model.result])):
        assert (each.status, each.passes) == (Status.RULE, 1)
        y = np.where(label == model.labels[j], 1.0, -1.0)
        gradient, sizes = y * (X @ each.weights) - 1, y * each.duals
        gradient[(sizes == 0) & (gradient > 0)] = 0
        gradient[(sizes == 1) & (gradient < 0)] = 0
        assert gradient.max() - gradient.min() <= tolerance * (1 + 1e-9)


def test_passes_over_blocks_are_measured_where_they_end():
    rows = fit(made(3)[0], Parameter(solver=4)).result.trace
    assert [row.number for row in rows if not row.estimated] == [len(rows)]


def test_a_caller_of_many_passes_costs_a_row_for_each():
    # three examples of different classes on a line, and costs that leave the ascent a long way
    X, rows = np.array([[1.0, 0.1], [1.0, 0.2], [1.0, 0.3]]), []
    chosen = Parameter(solver=4, C=1e4, gap_tol=1e-9)
    problem = Problem.from_arrays(X, [0, 1, 2])
    plain = fit(problem, chosen).result
    seen = fit(problem, chosen, on_pass=rows.append).result
    assert [row.primal for row in rows] == [row.primal for row in seen.trace]
    assert np.array_equal(seen.weights, plain.weights)
    assert seen.passes > 1000
