"""Dual steps of all examples, and how they follow the intercept, in one way through the rows."""

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.losses.logistic import Logistic
from rrmlinear.losses.margin import SquaredHinge
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.dual.together._dual_moves import dual_moves


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (90, 7), (40, 3000)])
@pytest.mark.parametrize("loss", [Logistic(), SquaredHinge()])
def test_moves_are_dual_steps_and_their_sums(loss, shape, dtype, threads):
    n, d = shape
    rng = np.random.default_rng(n + d)
    X = rng.standard_normal(shape).astype(dtype)
    y, costs = np.sign(rng.standard_normal(n)), rng.uniform(0.1, 2, n)
    risk = ScalarRisk(Problem.from_arrays(X, y).rows, loss, y, costs, threads)
    w, b, q = rng.standard_normal(d) / np.sqrt(d), 0.3, rng.uniform(0.5, 20, n)
    alphas = y * rng.uniform(0.01, 0.99, n)
    scores, moves, rates, sums, slopes = dual_moves(risk, w, b, alphas, q)
    np.testing.assert_allclose(scores, X @ w, rtol=1e-12, atol=1e-12)
    steps = loss.dual_steps(y, X @ w + b, alphas, q)
    np.testing.assert_allclose(alphas + moves, steps, rtol=1e-10, atol=1e-12)
    low, high = (loss.dual_steps(y, X @ w + b + e, alphas, q) for e in (-1e-5, 1e-5))
    np.testing.assert_allclose(rates, (low - high) / 2e-5, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(sums, X.T @ (costs * moves), rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(slopes, X.T @ (costs * rates), rtol=1e-9, atol=1e-10)


def test_duals_of_another_number_are_refused():
    y = np.array([1.0, -1.0])
    risk = ScalarRisk(Problem.from_arrays(np.eye(2), y).rows, Logistic(), y, np.ones(2))
    with pytest.raises(ValueError, match="of 2 examples"):
        dual_moves(risk, np.zeros(2), 0.0, np.zeros(3), np.ones(2))
