"""Support vector machines with a free intercept: scikit-learn's and an outside optimum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rrmlinear import Problem
from rrmlinear.catalog.solvers import SOLVERS, regularizers_of

C = 0.3
EXACT = {"C": C, "free_bias": True, "gap_tol": 1e-12, "max_passes": 20_000}
# (decision values, optimum) within which all end but ls-BMRM, whose gap falls as 1/t.
DIGITS = (1e-5, 1e-7)
FEWER_DIGITS = {40: (2e-3, 1e-6)}
TYPES = [
    number
    for number, row in SOLVERS.items()
    if {"free_bias", "loss"} <= set(row.choices) and "smooth" not in row.needs[0]
]


@pytest.fixture(scope="module", params=[0.5, 0.1], ids=["even classes", "one in ten"])
def signs(request):
    """Overlapping classes far from the origin, where an intercept matters."""
    rng = np.random.default_rng(2)
    y = np.where(rng.random(60) < request.param, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return rng.normal(size=(60, 4)) + 3.0 + 0.7 * y[:, None] * [1.0, -1.0, 0.5, 0.0], y


@pytest.mark.parametrize("number", TYPES)
def test_the_decision_function_of_the_kernel_machine(signs, fit, number):
    svm = pytest.importorskip("sklearn.svm")
    X, y = signs
    expected = svm.SVC(kernel="linear", C=C, tol=1e-10).fit(X, y).decision_function(X)
    model = fit(Problem.from_arrays(X, y, bias=1.0), solver=number, loss="hinge", **EXACT)
    scores = model.labels[0] * model.decision_function(X)
    assert_allclose(scores, expected, atol=FEWER_DIGITS.get(number, DIGITS)[0])


@pytest.mark.parametrize("number", TYPES)
@pytest.mark.parametrize("l1", [0.0, 1.0])
def test_an_interior_point_method_has_the_same_optimum(signs, fit, number, l1):
    cvxpy = pytest.importorskip("cvxpy")
    if l1 and "elastic-net" not in regularizers_of(SOLVERS[number]):
        pytest.skip("its regularizer is l2")
    X, y = signs
    w, b = cvxpy.Variable(4), cvxpy.Variable()
    losses = cvxpy.sum(cvxpy.pos(1 - cvxpy.multiply(y, X @ w + b)))
    objective = cvxpy.sum_squares(w) / 2 + l1 * cvxpy.norm1(w) + C * losses
    exact = {f"tol_{what}": 1e-12 for what in ("gap_abs", "gap_rel", "feas")}
    optimum = cvxpy.Problem(cvxpy.Minimize(objective)).solve(solver="CLARABEL", **exact)
    choices = {"regularizer": "elastic-net", "l1": l1} if l1 else {}
    problem = Problem.from_arrays(X, y, bias=1.0)
    result = fit(problem, solver=number, loss="hinge", **EXACT, **choices).result
    assert result.primal == pytest.approx(optimum, rel=FEWER_DIGITS.get(number, DIGITS)[1])
    assert result.dual <= optimum * (1 + 1e-9)
