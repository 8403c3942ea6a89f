"""Proximal points by an ascent: the certificate recomputed, and the optimum of another solver."""

import numpy as np
import pytest
from made_solvers import of_rows
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses.margin import Hinge, Logistic, SquaredHinge
from rrmlinear.regularizers.separable import L1
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.dual.proximal_ascent import InterceptProximalAscent, ProximalAscent
from rrmlinear.solvers.features.feature_newton import FeatureNewton
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.loop.task import Task

N, D = 300, 40


def problem_of_few_features(wide=D):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, wide)) * (rng.random((N, wide)) < 0.4)
    y = np.where(X[:, :5].sum(axis=1) + 0.3 * rng.normal(size=N) > 0, 1.0, -1.0)
    return Problem.from_arrays(csr_array(X), y), X, y, 0.5 + rng.random(N)


def solver_of(problem, costs, loss, omega):
    return of_rows(ProximalAscent, problem.rows, problem.labels, costs, loss, omega)


@pytest.mark.parametrize("loss", [Logistic(), SquaredHinge()], ids=lambda loss: type(loss).__name__)
@pytest.mark.parametrize(
    ("l1", "is_free"), [(0.5, 0), (5.0, 0), (1000.0, 0), (5.0, 1), (1000.0, 1)]
)
def test_the_optimum_and_its_proof(loss, l1, is_free):
    """With an intercept there are more weights than one piece of a vectorized loop: only the last
    has no norm.
    """
    problem, X, y, costs = problem_of_few_features(wide=600 if is_free else D)
    omega, rows = L1(l1), problem.rows.with_bias(1.0 if is_free else -1.0)
    solver = solver_of(problem, costs, loss, omega)
    if is_free:
        given = rows, problem.labels, costs, loss, omega
        solver = of_rows(InterceptProximalAscent, *given, free_bias=True)
    result = solver.solve(Stopping(1e-6))
    assert result.status is Status.SOLVED
    w, b, alphas = result.weights[: X.shape[1]], result.weights[-1] * is_free, result.duals
    assert result.primal == pytest.approx(costs @ loss.values(y, X @ w + b) + omega.value_of(w))
    assert np.abs(X.T @ (costs * alphas)).max() <= l1 * (1 + 1e-9)
    assert not is_free or abs(costs @ alphas) <= 1e-9 * costs.sum()
    assert result.dual == pytest.approx(-costs @ loss.conjugates(y, alphas))
    risk = ScalarRisk(rows, loss, y, costs, condition=Intercept() if is_free else None)
    other = FeatureNewton(Task.of(risk, omega)).solve(Stopping(1e-8))
    assert result.primal == pytest.approx(other.primal, rel=2e-6)


def test_a_loss_with_a_kink_is_refused():
    problem, _, _, costs = problem_of_few_features()
    with pytest.raises(ValueError, match="take a smooth loss, and Hinge has a kink"):
        solver_of(problem, costs, Hinge(), L1(1.0))
