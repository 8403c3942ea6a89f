"""The regularizers of the general estimators: outside optima, and choices that reach them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rrmlinear import LinearClassifier, LinearRegressor
from rrmlinear.solvers.loop.result import Status


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 5))
    return X, X @ [1, -2, 0.5, 0, 3] + 20.0 + 0.3 * rng.standard_normal(60)


def test_shares_and_constraints_are_those_of_the_others(two_classes, numbers):
    X, y = two_classes
    shared = {"alpha": 0.05, "regularizer": "elastic-net", "l1_ratio": 0.4, "tol": 1e-8}
    net = LinearClassifier("logistic", solver="pdprox-dual", **shared).fit(X, y)
    other = LinearClassifier("logistic", **shared).fit(X, y)
    assert_allclose(net.coef_, other.coef_, atol=1e-3)
    ball = {"l1": 0.5, "radius": 2.0, "tol": 1e-7, "C": 0.3}
    ball["regularizer"] = "elastic-ball"
    inside = LinearRegressor("huber", solver="pdprox-dual", **ball).fit(*numbers)
    other = LinearRegressor("huber", solver="fista", **ball).fit(*numbers)
    assert inside.trace_[-1].primal == pytest.approx(other.trace_[-1].primal, rel=1e-6)


def test_groups_bounds_and_columns_without_a_penalty(two_classes, numbers):
    cp = pytest.importorskip("cvxpy", reason="the conic solver is in the test extra")
    X, y = numbers
    w, b = cp.Variable(5), cp.Variable()
    loss = 0.2 * cp.norm1(y - X @ w - b)
    groups = [0, 0, 1, 1, 1]
    norms = cp.norm(w[:2]) * 2**0.5 + cp.norm(w[2:]) * 3**0.5
    free = {"unpenalized": [4], "limit": 50.0}
    for choices, omega, bounds in (
        ({"regularizer": "group-lasso", "groups": groups}, norms, []),
        ({"regularizer": "squared-group-norm", "groups": groups}, cp.square(norms), []),
        ({"regularizer": "sparse-group-lasso", "groups": groups}, norms + cp.norm1(w), []),
        ({"regularizer": "l2-norm", "radius": 1.5}, 0, [cp.norm(w) <= 1.5]),
        ({"regularizer": "l1", "lower": 0.0}, cp.norm1(w), [w >= 0]),
        ({"regularizer": "l1", **free}, cp.norm1(w[:4]), [cp.abs(w[4]) <= 50]),
    ):
        optimum = cp.Problem(cp.Minimize(omega + loss), bounds).solve(solver=cp.CLARABEL)
        found = LinearRegressor("absolute", C=0.2, tol=1e-7, **choices).fit(X, y)
        assert found.status_ is Status.SOLVED
        assert found.trace_[-1].primal == pytest.approx(optimum, rel=1e-6)
