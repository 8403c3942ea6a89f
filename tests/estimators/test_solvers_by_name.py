"""The solvers of the general estimators: certificates, intercepts, constraints, starts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_iris

import rrmlinear
from rrmlinear import LinearClassifier, LinearRegressor, Parameter, Problem, fit
from rrmlinear.catalog.losses import LOSSES
from rrmlinear.catalog.selection import select
from rrmlinear.catalog.solvers import SOLVERS as TYPES
from rrmlinear.catalog.solvers import losses_of, regularizers_of
from rrmlinear.estimators.wording import SOLVERS
from rrmlinear.solvers.loop.result import Status

KINDS = {name: TYPES[number] for name, number in SOLVERS.items()}
FREE = [name for name, kind in KINDS.items() if "free_bias" in kind.choices]
STARTING = [name for name, kind in KINDS.items() if kind.starts]


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


@pytest.mark.parametrize("solver", SOLVERS)
def test_losses_of_all_classes(iris, solver):
    loss = "softmax"
    if loss not in losses_of(KINDS[solver]):
        with pytest.raises(
            ValueError,
            match=f"solver {solver} needs losses of one score, and loss softmax has several",
        ):
            LinearClassifier(loss, solver=solver, fit_intercept=False).fit(*iris)
        return
    choices = {"C": 0.1, "tol": 1e-6, "fit_intercept": "regularized"}
    found = LinearClassifier(loss, solver=solver, **choices).fit(*iris)
    other = LinearClassifier(loss, **choices).fit(*iris)
    assert found.trace_[-1].primal == pytest.approx(other.trace_[-1].primal, rel=2e-6)
    assert_allclose(found.predict_proba(iris[0]), other.predict_proba(iris[0]), atol=1e-2)


@pytest.mark.parametrize("solver", FREE)
@pytest.mark.parametrize("loss", ["squared", "huber"])
def test_regressions_far_from_the_origin(numbers, solver, loss):
    X, y = numbers
    found = LinearRegressor(loss, C=0.4, solver=solver, tol=1e-8).fit(X, y)
    assert found.status_ is Status.SOLVED
    assert found.coef_.shape == (5,)
    choices = {"C": 0.4, "tol": 1e-9, "fit_intercept": "unregularized"}
    other = LinearRegressor(loss, **choices).fit(X, y)
    assert found.trace_[-1].primal == pytest.approx(other.trace_[-1].primal, rel=2e-8)
    assert_allclose(found.predict(X), other.predict(X), atol=5e-3)


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


def test_the_lasso_of_a_classifier(two_classes):
    X, y = two_classes
    sparse = LinearClassifier(
        "logistic", solver="fista", regularizer="l1", C=0.05, tol=1e-8, fit_intercept=False
    ).fit(X, y)
    assert sparse.status_ is Status.SOLVED
    assert 0 < np.count_nonzero(sparse.coef_) < 6


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


@pytest.mark.usefixtures("no_compiled_steps")
@pytest.mark.parametrize("solver", list(SOLVERS))
def test_a_warm_start_saves_passes_or_is_refused(two_classes, solver):
    X, y = two_classes
    loss = loss_for(solver, "squared-hinge")
    choices = {"C": 0.3, "solver": solver, "tol": 1e-7, "fit_intercept": False}
    warm = LinearClassifier(loss, warm_start=True, **choices)
    if solver not in STARTING:
        with pytest.raises(ValueError, match=f"warm_start has no effect with solver '{solver}'"):
            warm.fit(X, y)
        return
    warm.fit(X, y).set_params(C=0.29).fit(X, y)
    cold = clone(warm).fit(X, y)
    if "pdprox" not in solver:  # which finds its steps anew
        assert warm.n_iter_ < cold.n_iter_
    assert warm.trace_[-1].primal == pytest.approx(cold.trace_[-1].primal, rel=2e-7)


@pytest.mark.parametrize("intercept", ["regularized", "unregularized"])
def test_the_default_is_the_automatic_solver_of_fit(two_classes, intercept):
    X, y = two_classes
    problem = Problem.from_arrays(X, np.where(y == "yes", 1, -1), bias=1.0)
    for loss in ("hinge", "logistic"):
        rules = {"gap_tol": 1e-7, "free_bias": True if intercept == "unregularized" else None}
        model = fit(problem, Parameter(solver="auto", loss=loss, C=0.3, **rules))
        found = LinearClassifier(loss, C=0.3, tol=1e-7, fit_intercept=intercept).fit(X, y)
        assert found.trace_[-1].primal == pytest.approx(model.result.primal, rel=2e-7)
        assert found.n_iter_ == pytest.approx(model.result.passes, abs=5)


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


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"solver": "sgd"}, "solver is 'sgd'; it must be one of auto, prox-sdca, "),
        ({"radius": -1.0, "regularizer": "elastic-ball"}, "radius is -1.0, it must be positive"),
        (
            {"solver": "fista", "loss": "hinge"},
            "solver fista needs a smooth loss, and loss hinge has a kink: choose a smoothing above",
        ),
    ],
)
def test_a_parameter_out_of_range_is_named(iris, keywords, message):
    with pytest.raises(ValueError, match=message):
        LinearClassifier(**keywords).fit(*iris)


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


@pytest.mark.parametrize("loss", ["softmax", "weston-watkins", "crammer-singer"])
def test_intercepts_of_all_classes_have_the_optimum_of_a_conic_solver(iris, loss):
    cp = pytest.importorskip("cvxpy", reason="the conic solver is in the test extra")
    X, y = iris
    W, b = cp.Variable((4, 3)), cp.Variable((1, 3))
    scores = X @ W + np.ones((150, 1)) @ b
    own = cp.sum(cp.multiply(scores, np.eye(3)[y]), axis=1, keepdims=True)
    ahead = 1 - np.eye(3)[y] + scores - own @ np.ones((1, 3))
    losses = {
        "softmax": cp.log_sum_exp(ahead - (1 - np.eye(3)[y]), axis=1),
        "weston-watkins": cp.sum(cp.pos(ahead), axis=1) - 0.0,
        "crammer-singer": cp.max(ahead, axis=1),
    }[loss]
    objective = cp.sum_squares(W) / 2 + 0.3 * cp.sum(losses)
    optimum = cp.Problem(cp.Minimize(objective)).solve(solver=cp.CLARABEL)
    model = LinearClassifier(loss, C=0.3, tol=1e-7).fit(X, y)
    assert model.status_ is Status.SOLVED
    assert model.objective_ == pytest.approx(optimum, rel=1e-6)
    assert model.objective_ - model.duality_gap_ <= optimum * (1 + 1e-7)
