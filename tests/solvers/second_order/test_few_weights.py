"""Newton's method with few weights: the optimum from columns and from rows."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array

from rrmlinear import Parameter, Problem, fit
from rrmlinear.catalog.solvers import SOLVERS
from rrmlinear.data.products import full_columns
from rrmlinear.losses.margin import Hinge, Logistic, SquaredHinge
from rrmlinear.solvers.loop.rounding import NumbersOverflowError
from rrmlinear.solvers.second_order._few_weights import FewWeights

N, D, MODULUS = 1100, 7, 0.7
LOSSES = {"logistic": Logistic(), "squared": SquaredHinge(), "hinge": Hinge().enveloped(0.2)}


def made(density=0.8):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, D)) * (rng.random((N, D)) < density)
    y = np.where(X @ rng.normal(size=D) + rng.normal(size=N) > 0, 1.0, -1.0)
    return X, y, rng.random(N), rng.normal(size=D), rng.normal(size=N) / 3


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("by_columns", [True, False])
@pytest.mark.parametrize("density", [0.8, 0.2])
def test_the_optimum_is_that_of_another_solver(loss, by_columns, density):
    X, y, costs, far, shift = made(density)
    phi, rows = LOSSES[loss], Problem.from_arrays(csr_array(X), y).rows
    columns, some = full_columns(rows) if by_columns else None, costs > 0.3
    few = FewWeights(y, costs, rows, columns)
    if by_columns:
        few = few.some(np.flatnonzero(some))
        X, y, costs, shift = X[some], y[some], costs[some], shift[some]
    w, alphas, vector, steps = few.least(phi, MODULUS, far, np.zeros(D), shift, 1e-9, 50)

    def value(w):
        scores = X @ w - shift
        return MODULUS / 2 * w @ w - far @ w + costs @ phi.values(y, scores)

    def gradient(w):
        return MODULUS * w - far + X.T @ (costs * phi.derivatives(y, X @ w - shift))

    best = minimize(value, np.zeros(D), jac=gradient, method="BFGS", options={"gtol": 1e-8})
    assert value(w) <= value(best.x) + 1e-9
    assert np.abs(gradient(w)).max() <= 1e-8
    assert np.allclose(alphas, -phi.derivatives(y, X @ w - shift), atol=1e-9)
    assert np.allclose(vector, far + X.T @ (costs * alphas))
    assert 0 < steps < 50


def test_numbers_that_overflow_raise():
    X, y, costs, far, shift = made()
    few = FewWeights(y, costs, columns=np.ascontiguousarray(X.T) * 1e200)
    with pytest.raises((NumbersOverflowError, FloatingPointError)):
        few.least(SquaredHinge(), MODULUS, far, np.zeros(D), shift, 1e-6, 50)


@pytest.mark.parametrize("form", [np.asarray, csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("number", [0, 1, 2, 7, 11, 12])
def test_types_with_few_weights_have_the_optimum_of_newton(number, C, form):
    X, y, *_ = made()
    rows = SOLVERS[number]
    y = y * 2 + X[:, 0] if number in (11, 12) else y
    problem = Problem.from_arrays(form(X), y)
    model = fit(problem, Parameter(solver=number, C=C, gap_tol=1e-9))
    found = model.result
    assert found.solved
    given = {"loss": rows.loss, "C": C, "gap_tol": 1e-9}
    other = fit(problem, Parameter(solver="newton", **given)).result
    assert found.primal == pytest.approx(other.primal, rel=2e-9)
    for start in (model, model.result.duals):
        again = fit(problem, Parameter(solver=number, C=C, gap_tol=1e-9), start=start).result
        assert again.primal == pytest.approx(found.primal, rel=2e-9)


@pytest.mark.parametrize("number", [0, 2, 11])
def test_types_with_few_weights_refuse_values_that_overflow(number):
    X, y, *_ = made()
    with pytest.raises(ValueError, match=r"overflow|range"):
        fit(Problem.from_arrays(X * 1e200, y), Parameter(solver=number))
