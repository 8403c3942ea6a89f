"""Support vector machines with a free intercept: scikit-learn's and an outside optimum."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rrmlinear import Parameter, Problem, fit
from rrmlinear.catalog.selection import select
from rrmlinear.catalog.solvers import SOLVERS, losses_of, regularizers_of

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


@pytest.fixture(scope="module")
def optimum(signs):
    """The optimum for a cost of the 1-norm, by an interior point method."""
    cvxpy, (X, y) = pytest.importorskip("cvxpy"), signs
    exact = {f"tol_{what}": 1e-12 for what in ("gap_abs", "gap_rel", "feas")}

    @cache
    def find(l1):
        w, b = cvxpy.Variable(4), cvxpy.Variable()
        losses = cvxpy.sum(cvxpy.pos(1 - cvxpy.multiply(y, X @ w + b)))
        objective = cvxpy.sum_squares(w) / 2 + l1 * cvxpy.norm1(w) + C * losses
        return cvxpy.Problem(cvxpy.Minimize(objective)).solve(solver="CLARABEL", **exact)

    return find


@pytest.mark.parametrize("number", TYPES)
@pytest.mark.parametrize("l1", [0.0, 1.0])
def test_an_interior_point_method_and_the_kernel_machine_have_the_same_optimum(
    signs, optimum, fit, number, l1
):
    svm = pytest.importorskip("sklearn.svm")
    if l1 and "elastic-net" not in regularizers_of(SOLVERS[number]):
        pytest.skip("its regularizer is l2")
    X, y = signs
    choices = EXACT | ({"max_passes": 12_000} if number == 40 else {})
    choices |= {"regularizer": "elastic-net", "l1": l1} if l1 else {}
    model = fit(Problem.from_arrays(X, y, bias=1.0), solver=number, loss="hinge", **choices)
    of_scores, of_optimum = FEWER_DIGITS.get(number, DIGITS)
    assert model.result.primal == pytest.approx(optimum(l1), rel=of_optimum)
    assert model.result.dual <= optimum(l1) * (1 + 1e-9)
    if not l1:
        expected = svm.SVC(kernel="linear", C=C, tol=1e-10).fit(X, y).decision_function(X)
        assert_allclose(model.labels[0] * model.decision_function(X), expected, atol=of_scores)


CLASS_TYPES = [number for number in SOLVERS if number in (*TYPES, 42) or number in (30, 31)]


def optimum_of_classes(cvxpy, X, y, loss):
    """The optimum of ½‖W‖² + C Σ φ over W and intercepts, by an interior point method."""
    W, b = cvxpy.Variable((X.shape[1], 3)), cvxpy.Variable(3)
    scores = X @ W + np.ones((len(y), 1)) @ cvxpy.reshape(b, (1, 3), order="C")
    own, ones = np.eye(3)[y], np.ones((1, 3))
    margins = scores - cvxpy.sum(cvxpy.multiply(own, scores), axis=1, keepdims=True) @ ones
    if loss == "softmax":
        losses = cvxpy.sum(cvxpy.log_sum_exp(margins, axis=1))
    elif loss == "crammer-singer":
        losses = cvxpy.sum(cvxpy.max(margins + 1 - own, axis=1))
    else:
        losses = cvxpy.sum(cvxpy.multiply(1 - own, cvxpy.pos(margins + 1)))
    exact = {f"tol_{what}": 1e-11 for what in ("gap_abs", "gap_rel", "feas")}
    objective = cvxpy.Minimize(cvxpy.sum_squares(W) / 2 + C * losses)
    return cvxpy.Problem(objective).solve(solver="CLARABEL", **exact)


@pytest.mark.parametrize("loss", ["softmax", "crammer-singer", "weston-watkins"])
def test_intercepts_of_classes_have_the_optimum_of_an_interior_point_method(loss, fit):
    cvxpy = pytest.importorskip("cvxpy")
    rng = np.random.default_rng(4)
    X = rng.normal(size=(50, 3)) + 3
    y = (X @ rng.normal(size=(3, 3)) + [0, 2, -1] + rng.normal(size=(50, 3))).argmax(axis=1)
    optimum, problem = optimum_of_classes(cvxpy, X, y, loss), Problem.from_arrays(X, y, bias=2.0)
    for number in CLASS_TYPES:
        if loss not in losses_of(SOLVERS[number]) or (number == 42 and loss != "softmax"):
            continue
        given = {"loss": loss} if "loss" in SOLVERS[number].choices else {}
        gap_tol, digits = (1e-3, 1e-3) if number == 40 else (1e-8, 2e-8)
        model = fit(problem, solver=number, **EXACT | {"gap_tol": gap_tol}, **given)
        assert model.result.primal == pytest.approx(optimum, rel=digits), number
        assert model.result.dual <= optimum * (1 + 1e-8), number
        own = np.asarray(model.labels)[:, np.newaxis] == y
        built = select(Parameter(solver="newton", loss=loss)).loss
        losses = built.values(model.decision_function(X), own.argmax(axis=0).astype(np.int32)).sum()
        squares = (model.weights[:-1] ** 2).sum()
        assert squares / 2 + C * losses == pytest.approx(model.result.primal, rel=1e-9), number


@pytest.mark.parametrize("weighed", [False, True], ids=["", "weights"])
@pytest.mark.parametrize("loss", ["logistic", "squared-hinge", "huber", "hinge", "absolute"])
def test_few_weights_and_an_intercept_are_proved_by_duals_that_sum_to_0(loss, weighed):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(400, 5)) * [1, 10, 0.1, 1, 1] + 3
    y = X @ [1, 0.1, 5, -1, 0.5] + rng.normal(size=400)
    y = y if loss in ("huber", "absolute") else np.where(y > np.quantile(y, 0.8), 1, -1)
    costs = rng.random(400) if weighed else None
    problem = Problem.from_arrays(X, y, costs, bias=1.0)
    given = {"loss": loss, "free_bias": True, "gap_tol": 1e-9, "C": 2.0}
    found, other = (fit(problem, Parameter(it, **given)).result for it in ("auto", "newton"))
    assert found.solved
    assert found.primal == pytest.approx(other.primal, rel=2e-9)
    weighted = (1 if costs is None else costs) * found.duals
    assert abs(weighted.sum()) <= 1e-9 * np.abs(weighted).sum()


def test_a_quantile_of_one_number_is_solved():  # its dual was above its primal by 1e-320
    X = 1e4 * np.random.default_rng(0).normal(size=(1, 3))
    given = {"loss": "quantile", "quantile": 0.3, "free_bias": True, "C": 1e-3}
    assert fit(Problem.from_arrays(X, [2.5], bias=1.0), Parameter("auto", **given)).result.solved
