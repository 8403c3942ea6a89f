"""A factor of XX' in the place of X: true certificates, the optimum of others, repeated rows."""

import numpy as np
import pytest
from members import CLASS_LOSSES, takes_signs
from members import SCALAR_LOSSES as LOSSES

from rrmlinear import Parameter, Problem, fit
from rrmlinear.catalog import second_order_builders
from rrmlinear.core.deadline import TimeIsUpError
from rrmlinear.data.rows import Rows
from rrmlinear.losses.margin import Hinge
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.block import BlockRisk
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.loop.result import Status, duals_by_scores
from rrmlinear.solvers.loop.stages.stages import Stages
from rrmlinear.solvers.loop.stages.turns import Stage
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.second_order.newton import Newton
from rrmlinear.solvers.second_order.row_space import RowSpace, cholesky_factor

N, D, K = 30, 100, 3
TIGHT = Stopping(gap_tol=1e-10, max_passes=2000)


def rows_of_a_problem(seed=1, repeated=False):
    X = np.random.default_rng(seed).standard_normal((N, D))
    X[3] = 0
    if repeated:
        X[10:20] = X[:10]
    return X


def scalar_labels(name, scores):
    return np.where(scores > 0, 1.0, -1.0) if takes_signs(name) else scores / 3


def reduced(risk, omega, newton_of, form=lambda duals: duals):
    return RowSpace(risk, omega, newton_of, form).solve(TIGHT)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("bias", [-1.0, 2.0])
@pytest.mark.parametrize("name", LOSSES)
def test_the_certificate_is_true(objectives, name, bias, repeated, dtype):
    X = rows_of_a_problem(repeated=repeated).astype(dtype)
    loss, costs, omega = LOSSES[name], np.linspace(0, 4, N), L2(0.3)
    y = scalar_labels(name, X.astype(float) @ np.ones(D))
    problem = Problem.from_arrays(X, y, bias=bias)

    def newton_of(rows):
        return Newton(ScalarRisk(rows, loss, problem.labels, costs), L2(0.3))

    risk = ScalarRisk(problem.rows, loss, problem.labels, costs)
    result = reduced(risk, omega, newton_of)
    assert result.status is Status.SOLVED
    whole = np.column_stack([X.astype(float), np.full(N, bias)]) if bias > 0 else X.astype(float)
    primal, dual = objectives(whole, y, costs, loss, omega, result)
    assert result.primal == pytest.approx(primal, rel=1e-12)
    assert result.dual == pytest.approx(dual, rel=1e-9)
    assert -1e-12 * primal <= result.gap <= 1.01e-10 * max(1, primal)


@pytest.mark.parametrize("name", LOSSES)
def test_an_intercept_may_be_free(name):
    X = rows_of_a_problem() + 2
    loss, costs = LOSSES[name], np.linspace(0, 4, N)
    y = scalar_labels(name, X @ np.ones(D))
    problem = Problem.from_arrays(X, y, bias=2.0)

    def risk_of(rows):
        return ScalarRisk(rows, loss, problem.labels, costs, condition=Intercept())

    result = reduced(
        risk_of(problem.rows), L2(), lambda rows: Newton(risk_of(rows.with_bias(2.0)), L2())
    )
    assert result.status is Status.SOLVED
    assert costs @ result.duals == pytest.approx(0, abs=1e-8)
    w = result.weights
    primal = costs @ loss.values(y, X @ w[:-1] + 2 * w[-1]) + L2().value_of(w[:-1])
    assert result.primal == pytest.approx(primal, rel=1e-11)
    whole = Newton(risk_of(problem.rows), L2()).solve(TIGHT)
    assert result.primal == pytest.approx(whole.primal, rel=2e-10)


@pytest.mark.parametrize("name", CLASS_LOSSES)
def test_losses_of_several_scores(block_objectives, name):
    X, label = rows_of_a_problem(), (np.arange(N) % K).astype(np.int32)
    loss, costs, omega = CLASS_LOSSES[name], np.linspace(0, 4, N), L2()
    problem = Problem.from_arrays(X, label.astype(float))

    def risk_of(rows):
        return BlockRisk(rows, loss, label, K, costs)

    result = reduced(
        risk_of(problem.rows),
        omega,
        lambda rows: Newton(risk_of(rows), L2()),
        lambda duals: duals_by_scores(duals, label, costs, K),
    )
    assert result.status is Status.SOLVED
    primal, dual = block_objectives(X, label, costs, loss, omega, result)
    assert result.primal == pytest.approx(primal, rel=1e-12)
    assert result.dual == pytest.approx(dual, rel=1e-9)


@pytest.mark.parametrize("free_bias", [None, True])
def test_the_automatic_solver_takes_it_and_finds_the_same_optimum(free_bias, monkeypatch):
    X = 10 * rows_of_a_problem()
    y = np.sign(np.random.default_rng(2).standard_normal(N))
    problem = Problem.from_arrays(X, y, bias=1.0)
    parameter = Parameter(solver="auto", loss="hinge", C=10.0, gap_tol=1e-9, free_bias=free_bias)
    made = []
    kept = second_order_builders.row_space
    monkeypatch.setattr(
        second_order_builders, "row_space", lambda *given: made.append(given) or kept(*given)
    )
    result = fit(problem, parameter).result
    assert made
    np.testing.assert_array_equal(fit(problem, parameter).result.weights, result.weights)
    monkeypatch.setattr(second_order_builders, "row_space_applies", lambda task: False)
    other = fit(problem, parameter).result
    assert result.primal == pytest.approx(other.primal, rel=2e-9)


@pytest.mark.parametrize("begins", [False, True])
def test_a_time_limit_may_end_it_before_the_factor_is_there(begins, monkeypatch):
    from rrmlinear.solvers.second_order import row_space

    def late(*given):
        raise TimeIsUpError

    if begins:  # the factor is there, and its solver does not begin
        monkeypatch.setattr(Newton, "start", late)
    else:
        monkeypatch.setattr(row_space, "cholesky_factor", late)
    loss, y, costs = Hinge(), np.ones(N), np.ones(N)
    y[::2] = -1

    def newton_of(rows):
        return Newton(ScalarRisk(rows, loss, y, costs), L2())

    risk = ScalarRisk(Problem.from_arrays(rows_of_a_problem(), y).rows, loss, y, costs)
    solver = RowSpace(risk, L2(), newton_of, lambda duals: duals)
    result = Stages([Stage("rows", lambda _: solver, 1.0, 0)]).solve(TIGHT)
    assert result.status is Status.TIME_LIMIT
    assert (result.weights == 0).all()
    assert (result.primal, result.dual) == (N, 0)


def test_problems_of_one_class_against_the_rest_share_the_factor(monkeypatch):
    from rrmlinear.solvers.second_order import row_space

    made = []
    monkeypatch.setattr(
        row_space, "cholesky_factor", lambda *given: made.append(1) or cholesky_factor(*given)
    )
    problem = Problem.from_arrays(10 * rows_of_a_problem(), np.arange(N) % 4, bias=1.0)
    model = fit(problem, Parameter(solver="auto", loss="hinge", C=10.0, gap_tol=1e-8))
    assert model.result.solved
    assert made == [1]


@pytest.mark.parametrize("mean", [0.0, 5.0])
@pytest.mark.parametrize("name", LOSSES)
def test_products_in_float32_leave_the_certificate_true(objectives, monkeypatch, name, mean):
    """A gap that they leave, for losses with kinks or a long mean, is closed by float64."""
    from rrmlinear.solvers.second_order import row_space

    made = []
    monkeypatch.setattr(row_space, "MIN_SINGLE", 0)
    monkeypatch.setattr(row_space, "MIN_SINGLE_TOLERANCE", 0.0)
    monkeypatch.setattr(
        row_space,
        "cholesky_factor",
        lambda *given: made.append(len(given)) or cholesky_factor(*given),
    )
    X = rows_of_a_problem() + mean
    loss, costs, omega = LOSSES[name], np.linspace(0, 4, N), L2(0.3)
    y = scalar_labels(name, X @ np.ones(D))
    problem = Problem.from_arrays(X, y)
    risk = ScalarRisk(problem.rows, loss, problem.labels, costs)
    result = reduced(
        risk, omega, lambda rows: Newton(ScalarRisk(rows, loss, problem.labels, costs), L2(0.3))
    )
    assert result.status is Status.SOLVED
    assert made[0] == 2
    primal, dual = objectives(X, y, costs, loss, omega, result)
    assert result.primal == pytest.approx(primal, rel=1e-12)
    assert result.dual == pytest.approx(dual, rel=1e-9)
    assert -1e-12 * primal <= result.gap <= 1.01e-10 * max(1, primal)


@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_factors_of_singular_products(scale):
    X = scale * rows_of_a_problem(repeated=True)
    factor = cholesky_factor(X @ X.T)
    np.testing.assert_allclose(factor @ factor.T, X @ X.T, atol=1e-11 * D * scale**2)
    np.testing.assert_array_equal(factor, np.tril(factor))


def test_what_it_does_not_take_is_said():
    rows = Rows(np.ones(2), np.zeros(2, dtype=np.int32), np.array([0, 1, 2]), 5)
    risk = ScalarRisk(rows, Hinge(), np.array([1.0, -1.0]), np.ones(2))
    with pytest.raises(ValueError, match="dense rows"):
        RowSpace(risk, L2(), lambda rows: None, lambda duals: duals)
    with pytest.raises(FloatingPointError, match="overflowed"):
        cholesky_factor(np.array([[np.inf]]))


def test_products_that_underflow_have_a_factor():
    factor = cholesky_factor(np.array([[1.6e-319, 0.0], [0.0, 0.0]]))
    assert np.isfinite(factor).all()
    assert (np.diagonal(factor) > 0).all()


def test_objectives_that_overflow_everywhere_are_refused():
    X = [[-5.96862050e8, 1.08049442e10, -2.44753082e9, 5.15695738e9, -8.38078328e9]]
    problem = Problem.from_arrays(X, [3.08518133e149])
    with pytest.raises(ValueError, match="finite"):
        fit(problem, Parameter(solver=12, C=1e300, max_passes=60))
