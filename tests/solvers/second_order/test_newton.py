"""Newton's method: its certificate recomputed, and the optimum of the dual ascent."""

import numpy as np
import pytest
from members import SCALAR_LOSSES as LOSSES
from members import labels_in_domain, scalar_problem, takes_signs
from scipy.sparse import csr_array

from rrmlinear import Parameter, Problem, fit
from rrmlinear.losses import margin, regression
from rrmlinear.losses.margin import Logistic
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.regularizers.separable import L2, ElasticNet
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.second_order.newton import Newton

N, D = 60, 12


def solve(problem, loss, omega, costs, **rules):
    risk = ScalarRisk(problem.rows, loss, problem.labels, costs)
    return Newton(risk, omega).solve(Stopping(**({"gap_tol": 1e-10, "max_passes": 2000} | rules)))


def test_many_weights_and_rows_are_solved_by_products(objectives):
    # too many for a matrix of all weights or of all rows
    n, d = 2000, 3200
    rng = np.random.default_rng(4)
    X = csr_array((rng.standard_normal(8 * n), rng.integers(0, d, 8 * n), 8 * np.arange(n + 1)))
    X = csr_array(X.toarray())
    y = np.where(X @ rng.standard_normal(X.shape[1]) > 0, 1.0, -1.0)
    loss, omega, costs = LOSSES["logistic"], ElasticNet(0.02, 0.3), np.full(n, 0.5)
    result = solve(Problem.from_arrays(X, y), loss, omega, costs, gap_tol=1e-9)
    assert result.status is Status.SOLVED
    primal, dual = objectives(X, y, costs, loss, omega, result)
    assert result.primal == pytest.approx(primal, rel=1e-12)
    assert result.dual == pytest.approx(dual, rel=1e-9)
    assert -1e-12 * primal <= primal - dual <= 1.01e-9 * primal


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_labels_of_any_size_are_met_by_the_first_smoothing(scale):
    problem, _, _ = scalar_problem("absolute", scale=scale)
    one, _, _ = scalar_problem("absolute")
    costs = np.ones(N)
    # With w in the unit of y, cost c/scale keeps the problem the same.
    result = solve(problem, regression.Absolute(), L2(), costs * scale, delta=1e-10, gap_tol=None)
    alike = solve(one, regression.Absolute(), L2(), costs)
    np.testing.assert_allclose(result.weights / scale, alike.weights, rtol=1e-4, atol=1e-6)


def test_one_example_one_feature_and_a_problem_solved_at_zero():
    problem = Problem.from_arrays([[2.0]], [3.0])
    result = solve(problem, regression.Absolute(), L2(), np.array([0.5]))
    assert result.weights[0] == pytest.approx(1.0, rel=1e-9)
    flat = Problem.from_arrays([[2.0], [0.0]], [0.0, 0.0])
    result = solve(flat, regression.Absolute(), L2(), np.ones(2))
    assert result.status is Status.SOLVED
    assert result.weights.tolist() == [0.0]


def test_what_it_does_not_take_is_said():
    problem, _, _ = scalar_problem("logistic")
    risk = ScalarRisk(problem.rows, Logistic(), problem.labels, np.ones(N))
    with pytest.raises(ValueError, match="whose prox has a derivative, and that of Regularizer is"):
        Newton(risk, Regularizer())


def stretched(form="dense", n=300, d=20, seed=3):
    """Rows with columns of lengths 10^u, u in ±3, and large means; labels of a noisy line."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + 3 * rng.random(d)
    y = X @ rng.standard_normal(d) + rng.standard_normal(n)
    X *= 10 ** rng.uniform(-3, 3, d)
    return (csr_array(X) if form == "sparse" else X), y


HARD = LOSSES | {"huber of large residuals": regression.Huber(1e-4)}


@pytest.mark.parametrize("free_bias", [False, True])
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("form", ["sparse", "dense"])
@pytest.mark.parametrize("name", HARD)
def test_stretched_columns_are_solved_to_nine_digits(name, form, C, free_bias):
    X, y = stretched(form)
    labels = np.sign(y - np.median(y)) if takes_signs(name) else labels_in_domain(name, y)
    problem = Problem.from_arrays(X, labels, bias=1.0 if free_bias else -1.0)
    condition = Intercept() if free_bias else None
    risk = ScalarRisk(
        problem.rows, HARD[name], problem.labels, np.full(len(y), C), condition=condition
    )
    result = Newton(risk, L2()).solve(Stopping(gap_tol=1e-9, max_passes=400))
    assert result.status is Status.SOLVED
    assert result.passes < 150


def test_duals_beyond_their_bounds_are_a_start():
    problem, _, _ = scalar_problem("hinge")
    risk = ScalarRisk(problem.rows, LOSSES["hinge"], problem.labels, np.ones(N))
    result = Newton(risk, L2(), np.full(N, -7.0)).solve(Stopping(gap_tol=1e-9, max_passes=500))
    assert result.status is Status.SOLVED


def test_separable_data_and_one_feature_are_solved():
    x = np.linspace(-1, 1, 40)[:, np.newaxis]
    y = np.where(x[:, 0] > 0, 1.0, -1.0)
    for X in (x, 1e-6 * x, 1e6 * x, np.hstack((x, x))):
        problem = Problem.from_arrays(X, y)
        for loss in (margin.Hinge(), margin.SquaredHinge(), Logistic()):
            for C in (1e-4, 1.0, 1e4, 1e6):
                risk = ScalarRisk(problem.rows, loss, problem.labels, np.full(40, C))
                result = Newton(risk, L2()).solve(Stopping(gap_tol=1e-9, max_passes=300))
                if result.status is Status.SOLVED:
                    assert result.gap <= 1e-9 * result.primal
                else:  # duals beside bounds of C are rounding
                    assert result.gap <= 1e-18 * 40 * C, (X[0], loss, C)


@pytest.mark.parametrize("omega", [L2(), ElasticNet(1.0)])
@pytest.mark.parametrize("loss", [margin.Hinge(), Logistic()])
def test_separable_rows_with_large_means_take_few_passes(loss, omega):
    rng = np.random.default_rng(8)
    X = 500 + 40 * rng.standard_normal((120, 100))
    problem = Problem.from_arrays(X, np.sign(rng.standard_normal(120)))
    risk = ScalarRisk(problem.rows, loss, problem.labels, np.full(120, 1e3))
    result = Newton(risk, omega).solve(Stopping(gap_tol=1e-6, max_passes=150))
    assert result.status is Status.SOLVED


def solved_alone(problem, loss, **choices):
    alone = Parameter(loss=loss, solver="newton", gap_tol=1e-6, max_passes=500, **choices)
    result = fit(problem, alone).result
    assert result.status is Status.SOLVED
    assert 0 <= result.gap <= 1e-6 * result.primal
    return result


def test_values_of_twelve_decades():
    # systems with a small q lose the digits of a step; q has to rise where no step moves
    rng = np.random.default_rng(3)
    X = 10.0 ** rng.uniform(-6, 6, (2000, 15)) * rng.choice([-1, 1], (2000, 15))
    problem = Problem.from_arrays(X, np.log10(np.abs(X[:, 0])))
    solved_alone(problem, "absolute", C=1e4)


def test_steps_that_the_objective_does_not_show():
    # heavy tails: the last steps lower the gap alone, not one digit of the objective
    rng = np.random.default_rng(0)
    X = rng.standard_t(1.2, (1500, 12))
    y = np.digitize(X[:, :5].sum(axis=1), [-2, 0, 2])
    problem = Problem.from_arrays(X * 10.0 ** rng.uniform(-3, 3, 12), y)
    solved_alone(problem, "softmax", C=1e4)


@pytest.mark.parametrize(
    ("loss", "choices"),
    [
        ("smooth-hinge", {"penalty_factors": np.arange(80) > 1}),  # it is linear at w = 0
        ("squared-hinge", {"regularizer": "l1", "radius": 3.0}),
    ],
)
def test_weights_without_curvature(loss, choices):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 80)) * (np.arange(80) < 30)
    problem = Problem.from_arrays(X, np.where(X[:, 0] + rng.standard_normal(20) > 0, 1.0, -1.0))
    other = fit(problem, Parameter(solver="auto", loss=loss, gap_tol=1e-6, **choices)).result
    assert solved_alone(problem, loss, **choices).primal == pytest.approx(other.primal, rel=1e-6)


@pytest.mark.parametrize("loss", ["squared", "huber"])
def test_long_columns_beside_a_small_norm_are_proved(loss):
    rng = np.random.default_rng(0)
    X = np.abs(rng.standard_normal((2000, 6))) * 10.0 ** np.arange(6)
    y = 1e5 * (1 + X / X.mean(axis=0) @ rng.standard_normal(6) + rng.standard_normal(2000))
    choices = {"loss": loss, "regularizer": "l1", "C": 1000.0, "gap_tol": 1e-6}
    result = fit(Problem.from_arrays(X, y), Parameter(solver="newton", **choices)).result
    assert result.status is Status.SOLVED
    assert 0 <= result.gap <= 1e-6 * result.primal
