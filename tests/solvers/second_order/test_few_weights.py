"""Newton's method with few weights: the optimum from columns and from rows."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.data.array_rows import shared_rows
from rrmlinear.losses.logistic import Logistic
from rrmlinear.losses.margin import Hinge, SquaredHinge
from rrmlinear.solvers.loop.finite import NumbersOverflowError
from rrmlinear.solvers.second_order import _few_weights
from rrmlinear.solvers.second_order._few_weights import FewWeights, columns_of

N, D, MODULUS = 1100, 7, 0.7
LOSSES = {"logistic": Logistic(), "squared": SquaredHinge(), "hinge": Hinge().enveloped(0.2)}


def made(density=0.8):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, D)) * (rng.random((N, D)) < density)
    y = np.where(X @ rng.normal(size=D) + rng.normal(size=N) > 0, 1.0, -1.0)
    return X, y, rng.random(N), rng.normal(size=D), rng.normal(size=N) / 3


@pytest.mark.parametrize("bias", [-1, 1.5])
def test_columns_are_those_of_the_rows(bias):
    X, y, *_ = made()
    dense = X if bias < 0 else np.column_stack([X, np.full(N, bias)])
    for values in (X, csr_array(X)):
        rows = Problem.from_arrays(values, y, bias=bias).rows
        assert np.array_equal(columns_of(rows), dense.T)


def test_columns_of_shared_rows_are_made_once():
    X, y, *_ = made()
    rows = shared_rows(Problem.from_arrays(csr_array(X), y).rows)
    assert columns_of(rows) is columns_of(rows)


def test_rows_that_are_many_or_hardly_full_have_no_columns():
    X, y, *_ = made(density=0.05)
    assert columns_of(Problem.from_arrays(csr_array(X), y).rows) is None
    many = np.ones((400_000 // D + 1, D))
    assert columns_of(Problem.from_arrays(many, np.ones(len(many))).rows) is None


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("by_columns", [True, False])
def test_the_optimum_is_that_of_another_solver(loss, by_columns):
    X, y, costs, far, shift = made()
    phi, rows = LOSSES[loss], Problem.from_arrays(csr_array(X), y).rows
    columns = columns_of(rows) if by_columns else None
    few = FewWeights(y, costs, rows, columns)
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


def test_it_ends_after_the_most_steps():
    X, y, costs, far, shift = made()
    few = FewWeights(y, costs, columns=np.ascontiguousarray(X.T))
    assert few.least(Logistic(), MODULUS, far, np.zeros(D), shift, 0.0, 3)[3] == 3


def test_a_matrix_that_rounding_leaves_without_a_factor_is_shifted(monkeypatch):
    X, y, costs, _, shift = made()
    twice = np.ascontiguousarray(np.vstack([X.T, X.T]))
    few = FewWeights(y, costs, columns=twice)
    factor, calls = _few_weights.Factor, []

    def counted(matrix):
        calls.append(matrix)
        return factor(matrix)

    monkeypatch.setattr(_few_weights, "Factor", counted)
    w, *_ = few.least(SquaredHinge(), 1e-30, np.zeros(2 * D), np.zeros(2 * D), shift, 1.0, 9)
    assert calls
    assert np.isfinite(w).all()


def test_numbers_that_overflow_raise():
    X, y, costs, far, shift = made()
    few = FewWeights(y, costs, columns=np.ascontiguousarray(X.T) * 1e200)
    with pytest.raises((NumbersOverflowError, FloatingPointError)):
        few.least(SquaredHinge(), MODULUS, far, np.zeros(D), shift, 1e-6, 50)
