"""The general estimators: solvers, with certificates, intercepts, constraints and starts;
regularizers, at outside optima; and choices that reach them.
"""

import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

import rrmlinear
from rrmlinear import LinearClassifier, LinearRegressor
from rrmlinear.catalog.losses import LOSSES
from rrmlinear.catalog.solvers import SOLVERS as TYPES
from rrmlinear.estimators.objective import SOLVERS
from rrmlinear.solvers.loop.result import Status

KINDS = {name: TYPES[number] for name, number in SOLVERS.items()}
FREE = [name for name, kind in KINDS.items() if "free_bias" in kind.choices]


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_path_by_this_solver(two_classes, solver):
    X, y = two_classes
    loss = "smooth-hinge" if "smooth" in KINDS[solver].needs[0] else "squared-hinge"
    choices = {"loss": loss, "solver": solver, "tol": 1e-7}
    choices["fit_intercept"] = solver in FREE
    path = rrmlinear.path(X + 3, y, Cs=[0.1, 0.01], **choices)
    assert_array_equal(path.Cs, [0.01, 0.1])
    for at, C in enumerate(path.Cs):
        alone = LinearClassifier(C=C, **choices).fit(X + 3, y)
        assert path.primals[at] == pytest.approx(alone.trace_[-1].primal, rel=2e-7)
        assert path.gaps[at] <= 1e-7 * max(1, path.primals[at])


@pytest.mark.parametrize("regularizer", ["l2", "l1", "l21", "group-lasso"])
@pytest.mark.parametrize("loss", [row.name for row in LOSSES.values() if row.kind == "multiclass"])
def test_intercepts_of_losses_of_all_classes_have_no_penalty(loss, regularizer):
    X, y = load_iris(return_X_y=True)
    choices = {"regularizer": regularizer, "tol": 1e-5}
    choices |= {"groups": [0, 0, 1, 1]} if regularizer == "group-lasso" else {}
    model = LinearClassifier(loss, **choices).fit(X, y)
    assert model.status_ is Status.SOLVED
    assert 0 <= model.duality_gap_ <= 1e-5 * model.objective_
    # the same where the data are moved, and never above the regularized one's
    moved = LinearClassifier(loss, **choices).fit(X + [3.0, -1.0, 0.0, 2.0], y)
    assert moved.objective_ == pytest.approx(model.objective_, rel=2e-5)
    other = LinearClassifier(loss, **choices, fit_intercept="regularized").fit(X, y)
    assert model.objective_ < other.objective_


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
    X, y = numbers[0], numbers[1] + 19.5
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
