"""Smooth losses of one score over dense rows, whatever the data: the optimum of Newton's method."""

import numpy as np
import pytest

from rrmlinear import Parameter, Problem, fit
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.loop.result import Status

LOSSES = ("logistic", "squared-hinge", "huber", "poisson")


def made(n, d, loss, stretch=0.0):
    """Columns of lengths 10 to powers in ±stretch, and labels or numbers as the loss takes."""
    rng = np.random.default_rng(n + d)
    X = rng.standard_normal((n, d)) + 0.5 * rng.standard_normal((n, 1))
    scores = X @ rng.standard_normal(d) / np.sqrt(d) + rng.standard_normal(n)
    y = scores + rng.standard_normal(n) ** 3
    if loss == "poisson":
        y = rng.poisson(np.exp(scores)).astype(float)
    elif loss != "huber":
        y = np.where(y > 1, 1.0, -1.0)
    return X * 10.0 ** rng.uniform(-stretch, stretch, d), y


def fitted(X, y, **choices):
    bias = 1.0 if choices.pop("has_bias", True) else -1.0
    return fit(Problem.from_arrays(X, y, bias=bias), Parameter(gap_tol=1e-8, **choices))


@pytest.mark.parametrize("bias", [{}, {"free_bias": True}, {"has_bias": False}], ids=str)
@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize(("n", "d", "stretch"), [(9000, 60, 0), (2500, 400, 0), (3000, 160, 3)])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_optimum_is_that_of_newton(loss, n, d, stretch, C, bias):
    X, y = made(n, d, loss, stretch)
    found = fitted(X, y, loss=loss, solver="auto", C=C, **bias).result
    assert found.solved
    assert 0 <= found.gap <= 1e-8 * abs(found.primal)
    newton = fitted(X, y, loss=loss, solver="newton", C=C, **bias).result
    assert found.primal == pytest.approx(newton.primal, rel=3e-8)


@pytest.mark.parametrize("length", [0.0, 30.0])
def test_a_matrix_is_made_where_steps_about_the_diagonal_are_slow(length, monkeypatch):
    rng, made, matrix = np.random.default_rng(0), [], Hessian.matrix
    X = rng.standard_normal((4000, 400))
    X += length * rng.standard_normal((4000, 3)) @ rng.standard_normal((3, 400))
    y = np.where(X[:, 0] + rng.standard_normal(4000) > 0, 1.0, -1.0)
    monkeypatch.setattr(Hessian, "matrix", lambda self: made.append(1) or matrix(self))
    found = fitted(X, y, loss="logistic", solver="auto", C=0.1, free_bias=True)
    assert (len(made) > 0) == (length > 0)
    w, b = found.result.weights[:-1], found.result.weights[-1]
    losses = np.logaddexp(0, -y[0] * y * (X @ w + b))  # the first label is the class above 0
    assert found.result.primal == pytest.approx(w @ w / 2 + losses.sum() / 10, rel=1e-12)


def test_a_few_examples_of_one_class_are_in_no_sample():
    X, _ = made(30_000, 50, "logistic")
    y = np.where(np.arange(30_000) < 2, 1.0, -1.0)
    assert fitted(X, y, loss="logistic", solver="auto", free_bias=True).result.solved


def test_it_goes_on_from_other_weights():
    X, y = made(4000, 150, "logistic")
    choices = {"loss": "logistic", "solver": "auto", "free_bias": True}
    model = fitted(X, y, C=1.0, **choices)
    problem = Problem.from_arrays(X, y, bias=1.0)
    again = fit(problem, Parameter(gap_tol=1e-8, C=1.0, **choices), start=model)
    assert again.result.solved
    assert len(again.result.trace) < len(model.result.trace)


@pytest.mark.parametrize("number", [0, 2])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_a_rule_of_gradients_ends_many_dense_features(number, C):
    rng = np.random.default_rng(9)
    X = rng.normal(size=(2000, 300))
    y = np.where(X[:, :5].sum(axis=1) + rng.normal(size=2000) > 0, 1.0, -1.0)
    problem = Problem.from_arrays(X, y)
    result = fit(problem, Parameter(solver=number, C=C)).result
    exact = fit(problem, Parameter(solver=number, C=C, gap_tol=1e-9)).result
    assert result.status is Status.RULE
    assert result.primal - exact.primal <= 1e-3 * exact.primal
