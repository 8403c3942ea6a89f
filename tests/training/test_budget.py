"""A budget of duals: the largest losses alone, by every solver that takes one."""

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.catalog.solvers import SOLVERS

C, BUDGET = 0.3, 9.0
TYPES = [number for number, row in SOLVERS.items() if "budget" in row.choices]
KINKED = [number for number in TYPES if "smooth" not in SOLVERS[number].needs[0]]
EXACT = {"C": C, "budget": BUDGET, "gap_tol": 1e-9, "max_passes": 50_000}
# ls-BMRM's gap falls as 1/t.
DIGITS = {40: 1e-4}
LIMITS = {40: {"max_passes": 3000}}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 4)) + 1.0
    scores = X @ [1.0, -1.0, 0.5, 0.0] + rng.normal(size=60)
    return X, {"hinge": np.where(scores > 0.8, 1.0, -1.0), "absolute": scores + 2.0}


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("loss", ["hinge", "absolute"])
@pytest.mark.parametrize("number", KINKED)
def test_it_is_the_sum_of_the_largest_losses(data, fit, number, loss, free):
    cp = pytest.importorskip("cvxpy", reason="the conic solver is in the test extra")
    X, y = data[0], data[1][loss]
    w, b = cp.Variable(4), cp.Variable() if free else 0.0
    scores = X @ w + b
    losses = cp.pos(1 - cp.multiply(y, scores)) if loss == "hinge" else cp.abs(y - scores)
    objective = cp.sum_squares(w) / 2 + C * cp.sum_largest(losses, int(BUDGET))
    optimum = cp.Problem(cp.Minimize(objective)).solve(solver=cp.CLARABEL)
    problem = Problem.from_arrays(X, y, bias=1.0 if free else -1.0)
    given = EXACT | LIMITS.get(number, {}) | {"loss": loss, "free_bias": free or None}
    result = fit(problem, solver=number, **given).result
    assert result.solved or number in DIGITS
    assert result.primal == pytest.approx(optimum, rel=DIGITS.get(number, 1e-6))
    assert result.dual <= optimum * (1 + 1e-7)
    assert np.abs(result.duals).sum() <= BUDGET * (1 + 1e-9)


@pytest.mark.parametrize("free", [None, True])
@pytest.mark.parametrize("loss", ["hinge", "generalized-hinge", "absolute"])
def test_all_solvers_find_one_optimum_of_a_smoothed_loss(data, fit, loss, free):
    X, y = data[0], data[1].get(loss, data[1]["hinge"])
    problem = Problem.from_arrays(X, y, bias=1.0)
    given = EXACT | {"loss": loss, "smoothing": 0.4, "free_bias": free}
    primals = []
    for number in TYPES:
        result = fit(problem, solver=number, **given | LIMITS.get(number, {})).result
        assert result.solved or number in DIGITS
        if number not in DIGITS:
            primals.append(result.primal)
    unlimited = fit(problem, solver=35, **given | {"budget": None}).result.primal
    assert len(primals) >= 7
    assert max(primals) - min(primals) <= 1e-8 * max(primals)
    assert max(primals) < 0.99 * unlimited
