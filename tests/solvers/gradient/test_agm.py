"""AGM-EF on risks by each route: its certificate recomputed, and the optimum of other solvers."""

import numpy as np
import pytest
from made_solvers import of_risk

from rrmlinear import Problem
from rrmlinear.losses import margin
from rrmlinear.losses.margin import Logistic
from rrmlinear.losses.multiclass import WestonWatkins
from rrmlinear.regularizers.separable import L1, L2
from rrmlinear.risks.scores import BlockRisk, ScalarRisk
from rrmlinear.solvers.gradient.agm import AGM, ROUTES
from rrmlinear.solvers.loop.power import curvature_bound, dual_ratios, top_eigenvector
from rrmlinear.solvers.loop.result import Status, Stopping

N, D = 60, 12
TOLERANCE = 1e-7


def solve(risk, omega, **choices):
    return of_risk(AGM, risk, omega, **choices).solve(
        Stopping(gap_tol=TOLERANCE, max_passes=30_000)
    )


def test_ratios_of_the_optimized_prox_function():
    # One direction stands out, so that few passes find it.
    rng = np.random.default_rng(1)
    X = rng.standard_normal((N, D)) + 3 * np.outer(rng.standard_normal(N), np.ones(D))
    y, costs = np.sign(X[:, 0]), np.linspace(0, 4, N)
    problem = Problem.from_arrays(X, y)
    risk = ScalarRisk(problem.rows, margin.Hinge(), y, costs)
    eigenvalues, vectors = np.linalg.eigh(X.T @ (costs[:, None] * X))
    value, v = top_eigenvector(risk)
    assert value == pytest.approx(eigenvalues[-1], rel=1e-4)
    assert abs(v @ vectors[:, -1]) == pytest.approx(1, abs=1e-6)
    assert eigenvalues[-1] <= curvature_bound(risk) <= 1.01 * eigenvalues[-1]
    ratios = dual_ratios(risk)
    assert costs @ ratios == pytest.approx(costs.sum())
    scores = np.abs(X @ vectors[:, -1])
    large = scores > 0.5 * scores.mean()
    quotients = ratios[large] / scores[large]
    np.testing.assert_allclose(quotients, quotients.mean(), rtol=1e-3)
    blocks = BlockRisk(problem.rows, WestonWatkins(), (y > 0).astype(np.int32), 2, costs)
    assert top_eigenvector(blocks)[0] == pytest.approx(value, rel=1e-4)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("loss", [margin.Hinge(), Logistic()])
def test_one_example_is_solved_and_an_overflow_is_refused(loss, route):
    X = np.array([[2.0]])
    for cost in (1e-3, 1.0, 1e3):
        rows = Problem.from_arrays(X, np.ones(1)).rows
        risk = ScalarRisk(rows, loss, np.ones(1), np.full(1, cost))
        result = solve(risk, L2(), route=route)
        assert result.status is Status.SOLVED
    zeros = ScalarRisk(Problem.from_arrays(0 * X, np.ones(1)).rows, loss, np.ones(1), np.ones(1))
    result = solve(zeros, L2(), route=route)
    assert result.status is Status.SOLVED
    np.testing.assert_array_equal(result.weights, [0.0])
    huge = ScalarRisk(Problem.from_arrays(1e200 * X, np.ones(1)).rows, loss, np.ones(1), np.ones(1))
    with pytest.raises(ValueError, match="squared norm of an example overflows"):
        solve(huge, L2(), route=route)


@pytest.mark.parametrize(
    ("choices", "omega", "message"),
    [
        ({"route": "up"}, L2(), "route must be one of primal, smoothed-dual, dual, got 'up'"),
        ({"memory": "two"}, L2(), "memory must be one of all, one, got 'two'"),
        ({"route": "dual"}, L1(1.0), "the dual route needs a strongly convex regularizer, and L1"),
        ({"smoothing": 0.0}, L2(), r"smoothing must be positive and finite, got 0\.0"),
        ({"route": "dual", "smoothing": 1.0}, L2(), "a smoothing has no effect on the dual route"),
    ],
)
def test_choices_that_cannot_be_are_refused(make, choices, omega, message):
    problem, _, y = make("hinge")
    risk = ScalarRisk(problem.rows, margin.Hinge(), y, np.ones(N))
    with pytest.raises(ValueError, match=message):
        of_risk(AGM, risk, omega, **choices)
