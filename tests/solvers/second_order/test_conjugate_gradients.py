"""Directions by conjugate gradients against a factorization."""

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.second_order import conjugate_gradients as module


@pytest.mark.parametrize("free", [False, True], ids=["fixed", "free intercept"])
def test_a_small_residual_gives_the_solution_of_the_system(monkeypatch, free):
    monkeypatch.setattr(module, "RESIDUAL_DECREASE", 1e-13)
    rng = np.random.default_rng(0)
    X, curvatures = rng.standard_normal((60, 9)), rng.random(60)
    rows = Problem.from_arrays(X, np.ones(60)).rows
    hessian = Hessian(rows, curvatures, (np.ones(60),) if free else ())
    b = rng.standard_normal(9)
    x = module.conjugate_gradients(hessian, 0.3, b)
    np.testing.assert_allclose((hessian.matrix() + 0.3 * np.eye(9)) @ x, b, rtol=1e-9, atol=1e-10)


def test_the_residual_decreases_as_asked():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((80, 40)) * 10.0 ** rng.uniform(-2, 2, 40)
    hessian = Hessian(Problem.from_arrays(X, np.ones(80)).rows, np.ones(80))
    matrix, b = hessian.matrix() + np.eye(40), rng.standard_normal(40)
    residual = b - matrix @ module.conjugate_gradients(hessian, 1.0, b)
    weights = 1 / np.diag(matrix)
    assert residual @ (weights * residual) <= 0.1**2 * (b @ (weights * b)) * (1 + 1e-9)
