"""The optimum of a conic solver, and choices that must not change it."""

import numpy as np
import pytest

import rrmlinear
from rrmlinear.solvers.loop.result import Status


def conic_optimum(problem, C, class_weights=None):
    """min ½‖W‖² + Σ C_i Σ_{j≠y} ξ_ij by Clarabel."""
    cvxpy = pytest.importorskip("cvxpy")
    X = problem.to_scipy().toarray()
    if problem.bias >= 0:
        X = np.hstack([X, np.full((len(X), 1), problem.bias)])
    names, label = np.unique(problem.labels, return_inverse=True)
    n, k = len(X), len(names)
    costs = C * np.array([(class_weights or {}).get(int(y), 1.0) for y in problem.labels])
    if problem.weights is not None:
        costs = costs * problem.weights
    W = cvxpy.Variable((X.shape[1], k))
    scores = X @ W
    other = np.ones((n, k))
    other[np.arange(n), label] = 0.0
    own = cvxpy.sum(cvxpy.multiply(1 - other, scores), axis=1)
    margins = 1 + scores - cvxpy.reshape(own, (n, 1), order="F") @ np.ones((1, k))
    loss = cvxpy.sum(cvxpy.multiply(costs[:, None] * other, cvxpy.pos(margins)))
    program = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(W) / 2 + loss))
    return program.solve(
        solver=cvxpy.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10
    )


CASES = [
    {"n": 30, "d": 3, "k": 2, "C": 1.0},
    {"n": 40, "d": 4, "k": 3, "C": 0.05},
    {"n": 40, "d": 4, "k": 3, "C": 20.0},
    {"n": 50, "d": 5, "k": 5, "C": 1.0, "class_weights": {0: 5.0, 3: 0.2}},
    {"n": 40, "d": 6, "k": 4, "C": 1.0, "weighted": True},
    {"n": 40, "d": 6, "k": 4, "C": 1.0, "bias": 1.0},
    {"n": 30, "d": 4, "k": 6, "C": 2.0, "bias": 3.0, "weighted": True, "class_weights": {1: 2.0}},
    {"n": 8, "d": 3, "k": 12, "C": 1.0},
    {"n": 60, "d": 3, "k": 140, "C": 0.5},
]


@pytest.mark.parametrize("block", ["knapsack", "walrus", "shark"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_equals_a_conic_solver(small_problem, fit, case, block):
    case = dict(case)
    C, classes = case.pop("C"), case.pop("class_weights", {})
    weighted, bias = case.pop("weighted", False), case.pop("bias", -1.0)
    small = small_problem(**case, seed=case["n"])
    weight = np.random.default_rng(1).exponential(size=case["n"]) if weighted else None
    problem = small.problem(weight, bias=bias)
    expected = conic_optimum(problem, C, classes)
    result = fit(problem, C=C, class_weights=classes, block=block, gap_tol=1e-8).result
    assert result.status is Status.SOLVED
    assert result.primal == pytest.approx(expected, rel=1e-6)
    assert result.dual == pytest.approx(expected, rel=1e-6)


def test_solver_31_is_shark(small_problem, fit):
    problem = small_problem(80, 5, 4).problem()
    by_number, by_block = (
        fit(problem, **choices)
        for choices in ({"solver": 31}, {"block": "shark", "accelerate": False})
    )
    assert by_number.weights.tobytes() == by_block.weights.tobytes()
    assert by_number.solver_name == "MCSVM_WW_Shark"
    with pytest.raises(ValueError, match=r"solver 31 .* has shark"):
        fit(problem, solver=31, block="walrus")


def test_class_weights_equal_sample_weights(small_problem, fit):
    small = small_problem(60, 5, 3, seed=2)
    by_class = fit(small.problem(), C=0.5, class_weights={1: 2.0, 2: 0.5})
    by_sample = fit(small.problem(np.array([1.0, 2.0, 0.5])[small.y.astype(int)]), C=0.5)
    assert by_class.weights.tobytes() == by_sample.weights.tobytes()


def test_zero_rows_cost_their_bound(small_problem, fit, certify):
    small = small_problem(40, 4, 5, seed=7)
    with_zeros = rrmlinear.Problem.from_arrays(
        np.vstack([small.X, np.zeros((6, 4))]), np.concatenate([small.y, np.arange(6) % 5])
    )
    plain, zeros = fit(small.problem(), C=0.5, gap_tol=1e-9), fit(with_zeros, C=0.5, gap_tol=1e-9)
    # each adds C (k − 1) to both objectives, its duals all at the bound
    assert zeros.result.status is Status.SOLVED
    assert zeros.result.primal == pytest.approx(plain.result.primal + 6 * 0.5 * 4, rel=1e-8)
    assert zeros.result.dual == pytest.approx(plain.result.dual + 6 * 0.5 * 4, rel=1e-8)
    found = certify(with_zeros, zeros)
    assert (found.duals[40:].sum(axis=1) == 0.5 * 4).all()


def test_no_columns_at_all(fit):
    result = fit(rrmlinear.Problem.from_arrays(np.zeros((4, 0)), [0, 1, 0, 1]), C=1.0).result
    assert result.weights.shape == (0, 2)
    assert result.primal == result.dual == 4.0


def test_one_example_of_each_class_has_a_closed_form(fit):
    # x = ±1, two classes: w = ±a, ½·2a² + 2C max(0, 1 − 2a): a = min(½, 2C)
    problem = rrmlinear.Problem.from_arrays([[1.0], [-1.0]], [0, 1])
    for C in (0.01, 0.1, 0.25, 1.0):
        a = min(0.5, 2 * C)
        model = fit(problem, C=C, gap_tol=1e-12)
        np.testing.assert_allclose(model.weights, [[a, -a]], rtol=1e-9)
        assert model.result.primal == pytest.approx(a * a + 2 * C * (1 - 2 * a), rel=1e-9)


@pytest.mark.parametrize("exponent", [-150, -20, -6, 6, 20, 100])
def test_rows_of_tiny_and_huge_norm(small_problem, fit, exponent):
    # X → sX with C → C/s² leaves the scaled problem the same: P(W/s) scales by 1/s²
    small, s = small_problem(40, 4, 3, seed=4), 2.0**exponent
    plain = fit(small.problem(), C=1.0, tolerance=1e-4)
    scaled = fit(rrmlinear.Problem.from_arrays(small.X * s, small.y), C=s**-2, tolerance=1e-4)
    np.testing.assert_allclose(scaled.weights * s, plain.weights, rtol=1e-6, atol=1e-9)
    assert scaled.result.primal * s**2 == pytest.approx(plain.result.primal, rel=1e-9)


def test_a_norm_that_overflows_is_refused(small_problem, fit):
    small = small_problem(10, 3, 2)
    small.X[6] *= 1e200
    with pytest.raises(ValueError, match="the squared norm of example 7 overflows; scale the data"):
        fit(small.problem())


def test_weights_all_zero_are_refused(small_problem, fit):
    with pytest.raises(ValueError, match="every example has weight 0"):
        fit(small_problem(10, 3, 2).problem(np.zeros(10)))


def test_a_class_of_weight_zero_keeps_its_column(small_problem, fit):
    model = fit(small_problem(50, 4, 3, seed=9).problem(), class_weights={1: 0.0})
    assert model.labels.tolist() == [0, 1, 2]
    assert model.result.status is Status.SOLVED
