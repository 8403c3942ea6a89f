"""The certificate of Weston–Watkins runs, made again in NumPy from weights and duals alone."""

from functools import partial

import numpy as np
import pytest

from rrmlinear.solvers.loop.result import Status

BLOCKS = ("knapsack", "walrus", "shark")
# (n, d, k, density, C): two classes, few examples, many classes, faces (k ≥ 136), big and small C
SHAPES = [
    (60, 5, 2, 1.0, 1.0),
    (80, 6, 3, 0.6, 0.1),
    (120, 8, 5, 1.0, 1.0),
    (9, 4, 20, 1.0, 1.0),
    (80, 12, 6, 0.5, 10.0),
    (150, 20, 30, 0.3, 0.5),
    (400, 10, 150, 1.0, 0.2),
]


@pytest.fixture
def fit(fit):
    """Training by the plain descent, whose weights are those of its duals after each pass."""
    return partial(fit, accelerate=False)


def assert_certified(problem, model, certify, tolerance=1e-10):
    """Weights, objectives and bounds as the result says; to what rounding leaves."""
    found, result = certify(problem, model), model.result
    scale = max(1.0, np.abs(model.weights).max())
    np.testing.assert_allclose(
        model.weights, found.weights_of_duals, atol=tolerance * scale, rtol=0
    )
    size = max(1.0, abs(found.primal))
    assert result.primal == pytest.approx(found.primal, abs=tolerance * size)
    assert result.dual == pytest.approx(found.dual, abs=tolerance * size)
    assert found.infeasibility <= 1e-15
    assert found.gap >= -1e-12 * size
    return found


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("shape", SHAPES)
def test_solved_means_solved(small_problem, fit, certify, shape, block):
    n, d, k, density, C = shape
    problem = small_problem(n, d, k, seed=n, density=density).problem()
    model = fit(problem, C=C, block=block, gap_tol=1e-5)
    assert model.result.status is Status.SOLVED
    found = assert_certified(problem, model, certify)
    assert found.gap <= 1e-5 * max(1.0, found.primal) * (1 + 1e-9)
    assert not model.result.last.estimated


@pytest.mark.parametrize("shape", SHAPES)
def test_gap_is_never_negative_and_the_dual_ascends(small_problem, fit, shape):
    n, d, k, density, C = shape
    problem = small_problem(n, d, k, seed=n + 1, density=density).problem()
    trace = fit(problem, C=C, gap_tol=1e-7, max_passes=3000).result.trace
    duals = np.array([row.dual for row in trace])
    for row in trace:
        assert row.gap >= -1e-12 * max(1.0, abs(row.primal))
        assert row.primal == pytest.approx(row.dual + row.gap, rel=1e-12)
    assert (np.diff(duals) >= -1e-12 * np.abs(duals).max()).all()
    assert [row.number for row in trace] == list(range(1, len(trace) + 1))
    assert (np.diff([row.seconds for row in trace]) >= 0).all()


@pytest.mark.parametrize("bias", [-1.0, 0.0, 1.0, 2.5])
def test_certificate_with_weights_classes_and_a_bias(small_problem, fit, certify, bias):
    small = small_problem(100, 5, 4, seed=3)
    weight = np.random.default_rng(0).exponential(size=100)
    weight[:5] = 0.0
    problem = small.problem(weight, bias=bias)
    model = fit(problem, C=0.7, class_weights={0: 3.0, 2: 0.25}, gap_tol=1e-6)
    assert model.weights.shape == (5 + (bias >= 0), 4)
    found = assert_certified(problem, model, certify)
    assert found.gap <= 1e-6 * max(1.0, found.primal) * (1 + 1e-9)
    assert not found.duals[:5].any()


def test_the_delta_rule_is_that_of_the_paper(small_problem, fit, certify):
    problem = small_problem(150, 6, 5, seed=1).problem()
    for delta in (0.1, 0.0009, 1e-5):
        model = fit(problem, tolerance=delta)
        first = model.result.trace[0]
        assert not first.estimated
        assert model.result.status is Status.RULE
        assert not model.result.solved
        assert certify(problem, model).gap <= delta * first.gap * (1 + 1e-9)


def test_gap_tol_alone_decides_where_it_is_given(small_problem, fit):
    problem = small_problem(150, 6, 5, seed=1).problem()
    loose = fit(problem, gap_tol=0.1).result
    assert loose.passes < fit(problem, tolerance=0.0009).result.passes
    assert loose.target == 0.1 * loose.primal
    assert loose.gap <= loose.target


def test_estimated_rows_have_the_exact_dual(digits, fit, certify):
    exact = {}

    def stop_at(number):
        return lambda row: row.number == number

    full = fit(digits, C=0.01, gap_tol=1e-4).result
    for number in (2, 3, 5):
        assert full.trace[number - 1].estimated or number == full.passes
        stopped = fit(digits, on_pass=stop_at(number), C=0.01, gap_tol=1e-4)
        exact[number] = certify(digits, stopped).dual
        assert full.trace[number - 1].dual == pytest.approx(exact[number], rel=1e-10)
    assert exact[2] < exact[3] < exact[5]


def test_support_counts_are_those_of_the_duals(small_problem, fit, certify):
    problem = small_problem(90, 4, 6, seed=5).problem()
    model = fit(problem, C=0.3, gap_tol=1e-6)
    found = certify(problem, model)
    assert model.result.support == {
        "examples": int((found.duals > 0).any(axis=1).sum()),
        "duals": int((found.duals > 0).sum()),
        "at_bound": int((found.duals == 0.3).sum()),
    }
    duals = model.result.duals
    assert (duals.values > 0).all()
    assert len(duals.values) == model.result.support["duals"]
