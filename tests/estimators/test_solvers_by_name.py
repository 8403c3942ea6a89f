"""The solvers of the general estimators: certificates, intercepts, constraints, starts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_iris

import rrmlinear
from rrmlinear import LinearClassifier, Parameter
from rrmlinear.catalog.losses import LOSSES
from rrmlinear.catalog.selection import select
from rrmlinear.catalog.solvers import SOLVERS as TYPES
from rrmlinear.catalog.solvers import regularizers_of
from rrmlinear.estimators.wording import SOLVERS
from rrmlinear.solvers.loop.result import Status

KINDS = {name: TYPES[number] for name, number in SOLVERS.items()}
FREE = [name for name, kind in KINDS.items() if "free_bias" in kind.choices]


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 5))
    return X, X @ [1, -2, 0.5, 0, 3] + 20.0 + 0.3 * rng.standard_normal(60)


def net(l1):
    """The parameters of ½‖w‖² + l1 ‖w‖₁."""
    return {"regularizer": "elastic-net", "l1": l1} if l1 else {}


def loss_for(name, kinked):
    """The loss, or the smooth hinge where the solver takes no kink."""
    return "smooth-hinge" if "smooth" in KINDS[name].needs[0] else kinked


@pytest.mark.parametrize("solver", FREE)
@pytest.mark.parametrize("l1", [None, 0.3])
def test_two_classes_with_an_intercept_that_costs_nothing(two_classes, solver, l1):
    if l1 and "elastic-net" not in regularizers_of(KINDS[solver]):
        pytest.skip("its regularizer is l2")
    X, y = two_classes
    X = X + 2.0
    loss, tol = loss_for(solver, "hinge"), 1e-5 if solver == "ls-bmrm" else 1e-8
    estimator = LinearClassifier(loss, C=0.4, solver=solver, tol=tol, **net(l1)).fit(X, y)
    assert estimator.status_ is Status.SOLVED
    assert (estimator.coef_.shape, estimator.intercept_.shape) == ((1, 6), (1,))
    w, alphas, signs = estimator.coef_[0], estimator.dual_coef_, np.where(y == "yes", 1.0, -1.0)
    phi = select(Parameter(solver=32, loss=loss)).loss
    scores = X @ w + estimator.intercept_
    primal = w @ w / 2 + (l1 or 0) * np.abs(w).sum() + 0.4 * phi.values(signs, scores).sum()
    v = 0.4 * X.T @ alphas
    of_duals = np.sign(v) * np.maximum(np.abs(v) - (l1 or 0), 0)
    dual = -0.4 * phi.conjugates(signs, alphas).sum() - of_duals @ of_duals / 2
    assert estimator.duality_gap_ == pytest.approx(primal - dual, abs=1e-9 * primal)
    assert -1e-12 * primal <= estimator.duality_gap_ <= tol * max(1, primal)
    assert abs(alphas.sum()) <= 1e-9 * np.abs(alphas).sum()
    choices = {"C": 0.4, "tol": 1e-9, **net(l1)}
    other = LinearClassifier(loss, **choices).fit(X, y)
    assert estimator.trace_[-1].primal == pytest.approx(other.trace_[-1].primal, rel=2 * tol)


@pytest.mark.parametrize("intercept", [False, "regularized"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_other_intercepts_are_those_of_the_ascent(two_classes, iris, solver, intercept):
    for X, y in (two_classes, iris):
        choices = {"C": 0.2, "tol": 1e-7, "fit_intercept": intercept, "intercept_scaling": 2.0}
        loss = loss_for(solver, "squared-hinge")
        found = LinearClassifier(loss, solver=solver, **choices).fit(X, y)
        other = LinearClassifier(loss, **choices).fit(X, y)
        assert found.trace_[-1].primal == pytest.approx(other.trace_[-1].primal, rel=5e-7)
        assert_allclose(found.intercept_, other.intercept_, atol=2e-3)
        assert_array_equal(found.classes_, other.classes_)


def test_the_net_as_a_constraint(two_classes):
    X, y = two_classes
    choices = {"solver": "fista", "C": 0.4, "l1": 0.3, "tol": 1e-9, "fit_intercept": False}
    penalty = LinearClassifier("logistic", regularizer="elastic-net", **choices).fit(X, y)
    w = penalty.coef_[0]
    radius = 0.3 * np.abs(w).sum() + w @ w / 2
    ball = LinearClassifier("logistic", regularizer="elastic-ball", radius=radius, **choices)
    ball.fit(X, y)
    assert_allclose(ball.coef_, penalty.coef_, atol=1e-3)
    assert 0.3 * np.abs(ball.coef_).sum() + (ball.coef_**2).sum() / 2 <= radius * (1 + 1e-12)
    without = set(SOLVERS) - {
        name for name, kind in KINDS.items() if "elastic-ball" in regularizers_of(kind)
    }
    for solver in sorted(without):
        refused = LinearClassifier(
            "logistic", regularizer="elastic-ball", solver=solver, radius=1.0, fit_intercept=False
        )
        with pytest.raises(
            ValueError,
            match=f"radius has no effect with solver {solver}: it is for solver agm, agm-1,",
        ):
            refused.fit(X, y)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_format_changes_nothing_and_threads_little(iris, solver):
    X, y = iris
    X = X.astype(np.float32)
    loss = loss_for(solver, "squared-hinge")
    choices = {"C": 0.1, "solver": solver, "tol": 1e-6, "fit_intercept": "regularized"}
    reference = LinearClassifier(loss, **choices).fit(X.astype(np.float64), y)
    assert_array_equal(clone(reference).fit(X.astype(np.float64), y).coef_, reference.coef_)
    for changed in (X, csr_array(X)):
        found = clone(reference).fit(changed, y)
        assert_allclose(found.coef_, reference.coef_, atol=1e-2)
        assert found.trace_[-1].primal == pytest.approx(reference.trace_[-1].primal, rel=2e-6)
    found = clone(reference).set_params(n_jobs=2).fit(X, y)
    assert found.trace_[-1].primal == pytest.approx(reference.trace_[-1].primal, rel=2e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_path_by_this_solver(two_classes, solver):
    X, y = two_classes
    choices = {"loss": loss_for(solver, "squared-hinge"), "solver": solver, "tol": 1e-7}
    choices["fit_intercept"] = solver in FREE
    path = rrmlinear.path(X + 3, y, Cs=[0.1, 0.01], **choices)
    assert_array_equal(path.Cs, [0.01, 0.1])
    for at, C in enumerate(path.Cs):
        alone = LinearClassifier(C=C, **choices).fit(X + 3, y)
        assert path.primals[at] == pytest.approx(alone.trace_[-1].primal, rel=2e-7)
        assert path.gaps[at] <= 1e-7 * max(1, path.primals[at])


def test_a_path_of_a_regression(numbers):
    path = rrmlinear.path(*numbers, loss="squared", solver=FREE[0], Cs=[0.1, 1.0])
    assert path.classes is None
    assert path.coefs.shape == (2, 1, 5)


@pytest.mark.parametrize("regularizer", ["l2", "elastic-net", "l1", "l21", "group-lasso"])
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
