"""Regularizers by name: a conic solver's optimum, their choices, and errors for others."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

import rrmlinear
from rrmlinear import Parameter, Problem
from rrmlinear.catalog.regularizers import REGULARIZERS
from rrmlinear.catalog.solvers import SOLVERS, regularizers_of

cvxpy = pytest.importorskip("cvxpy")

N, D = 40, 6
GROUPS = [4, 4, 7, 9, 9, 9]
MEMBERS = [[0, 1], [2], [3, 4, 5]]
RNG = np.random.default_rng(8)
X = RNG.normal(size=(N, D)) + [0.5, 0, 0, -1, 0, 0]
Y = X @ [1.0, -2.0, 0.0, 1.5, 0.0, 0.5] + RNG.normal(size=N) + 2
SIGNS = np.sign(Y - np.median(Y))
CLASSES = np.digitize(Y, [0.0, 3.0]).astype(float)


def group_sum(w, groups=MEMBERS):
    return sum(np.sqrt(len(group)) * cvxpy.norm2(w[group]) for group in groups)


#: Ω of a column of weights, or of the terms and constraints in its place.
TERMS = {
    "l2-norm": lambda w: cvxpy.norm2(w),
    "linf": lambda w: cvxpy.norm_inf(w),
    "l1": lambda w: 0.7 * cvxpy.norm1(w),
    "group-lasso": group_sum,
    "sparse-group-lasso": lambda w: 0.7 * cvxpy.norm1(w) + group_sum(w),
    "exclusive-lasso": lambda w: sum(cvxpy.square(cvxpy.norm1(w[group])) for group in MEMBERS),
    "squared-group-norm": lambda w: cvxpy.square(group_sum(w)),
}
NORMS = {
    "l1": lambda w: cvxpy.norm1(w),
    **{name: TERMS[name] for name in ("l2-norm", "linf", "group-lasso", "sparse-group-lasso")},
}
MATRIX_TERMS = {
    "l21": lambda W: cvxpy.sum(cvxpy.norm2(W, axis=1)),
    "l1inf": lambda W: cvxpy.sum(cvxpy.norm_inf(W, axis=1)),
    "trace-norm": lambda W: cvxpy.normNuc(W),
}
LOSSES = {
    "hinge": (SIGNS, lambda a: cvxpy.sum(cvxpy.pos(1 - cvxpy.multiply(SIGNS, a)))),
    "absolute": (Y, lambda a: cvxpy.norm1(Y - a)),
    "squared": (Y, lambda a: cvxpy.sum_squares(Y - a) / 2),
}


def choices(name, **given):
    takes = REGULARIZERS[name].takes
    chosen = {"groups": GROUPS} if "groups" in takes else {}
    chosen |= {"l1": 0.7} if "l1" in takes and not ("radius" in given and name == "l1") else {}
    return chosen | {"regularizer": name} | given


def fit(y, bias=-1.0, **chosen):
    given = {"C": 0.3, "gap_tol": 1e-6} | chosen
    return rrmlinear.fit(Problem.from_arrays(X, y, bias=bias), Parameter(**given))


def minimum(objective, constraints=()):
    problem = cvxpy.Problem(cvxpy.Minimize(objective), list(constraints))
    return problem.solve(solver=cvxpy.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10)


def assert_least(model, least):
    assert model.result.solved
    assert model.result.gap <= 1e-6 * max(1, abs(model.result.primal))
    assert model.result.primal == pytest.approx(least, rel=2e-6)
    assert model.result.dual <= least * (1 + 1e-8)
    assert model.weights.any()


@pytest.mark.parametrize("name", NORMS)
@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_a_radius_makes_a_norm_a_constraint(name, loss):
    labels, risk = LOSSES[loss]
    w = cvxpy.Variable(D)
    norm = NORMS[name](w)
    least = minimum(0.3 * risk(X @ w), [norm <= 0.8])
    model = fit(labels, solver=37, loss=loss, **choices(name, radius=0.8))
    assert_least(model, least)


@pytest.mark.parametrize("name", MATRIX_TERMS)
def test_a_radius_makes_a_norm_of_matrices_a_constraint(name):
    W = cvxpy.Variable((D, 3))
    own = cvxpy.sum(cvxpy.multiply(np.eye(3)[CLASSES.astype(int)], X @ W))
    risk = cvxpy.sum(cvxpy.log_sum_exp(X @ W, axis=1)) - own
    least = minimum(0.3 * risk, [MATRIX_TERMS[name](W) <= 0.9])
    assert_least(fit(CLASSES, solver=37, loss="softmax", regularizer=name, radius=0.9), least)


@pytest.mark.parametrize("solver", [35, 36, 37, 38, 42, "newton", "auto"])
@pytest.mark.parametrize("name", ["l2", "l1", "elastic-net"])
def test_bounded_weights_are_those_of_a_conic_solver(name, solver):
    labels, risk = LOSSES["squared"]
    w, b = cvxpy.Variable(D), cvxpy.Variable()
    term = {
        "l2": lambda u: cvxpy.sum_squares(u) / 2,
        "l1": lambda u: 0.7 * cvxpy.norm1(u),
        "elastic-net": lambda u: cvxpy.sum_squares(u) / 2 + 0.7 * cvxpy.norm1(u),
    }[name]
    chosen = choices(name, loss="squared", solver=solver)
    least = minimum(term(w) + 0.3 * risk(X @ w), [w >= 0, w <= 0.5])
    model = fit(labels, lower=0, upper=0.5, **chosen)
    assert_least(model, least)
    assert model.weights.min() == 0
    assert model.weights.max() == 0.5
    lower = np.array([-np.inf, -0.5, 0, 0, -1, 0.2])
    finite = np.isfinite(lower)
    whole = cvxpy.hstack([w, b])
    least = minimum(term(whole) + 0.3 * risk(X @ w + b), [w[finite] >= lower[finite]])
    assert_least(fit(labels, bias=1.0, lower=lower, **chosen), least)
    least = minimum(term(w) + 0.3 * risk(X @ w + b), [w[finite] >= lower[finite]])
    assert_least(fit(labels, bias=1.0, free_bias=True, lower=lower, **chosen), least)


@pytest.mark.parametrize("solver", [35, 36, 37, 38])
@pytest.mark.parametrize("stop", [{}, {"gap_tol": None}])
def test_bounds_that_leave_zero_out(solver, stop):
    labels, risk = LOSSES["hinge"]
    w = cvxpy.Variable(D)
    least = minimum(cvxpy.sum_squares(w) / 2 + 0.3 * risk(X @ w), [w >= 0.05, w <= 2])
    model = fit(labels, solver=solver, loss="hinge", lower=0.05, upper=2, **stop)
    assert model.result.solved
    assert model.weights.min() >= 0.05
    assert model.result.primal - least <= model.result.gap * (1 + 1e-6) + 1e-6 * least
    assert model.result.gap <= (0.01 if stop else 1e-6) * least


@pytest.mark.parametrize("solver", [35, 37])
@pytest.mark.parametrize("name", ["l1", "group-lasso", "linf"])
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_unpenalized_columns(name, loss, solver):
    labels, risk = LOSSES[loss]
    w = cvxpy.Variable(D)
    rest = cvxpy.hstack([w[0], 0, w[2], w[3], 0, w[5]])
    least = minimum(TERMS[name](rest) + 0.3 * risk(X @ w))
    chosen = choices(name, solver=solver, loss=loss, unpenalized=[4, 1], limit=10)
    model = fit(labels, **chosen)
    assert_least(model, least)
    assert np.abs(model.weights).max() < 9


def test_a_weight_at_its_limit_is_news():
    with pytest.warns(UserWarning, match="unpenalized column 1 is at the limit 0.25: the minimum"):
        model = fit(Y, solver=35, loss="squared", regularizer="l1", unpenalized=[4, 1], limit=0.25)
    assert model.result.solved
    assert abs(model.weights[1, 0]) == 0.25
    with warnings.catch_warnings(action="error"):
        fit(Y, solver=35, loss="squared", regularizer="l1", unpenalized=[4, 1], limit=30)


WITH = {"solver": 35, "loss": "squared"}


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"groups": GROUPS}, "groups has no effect with regularizer l2: it is for regularizer gr"),
        (choices("linf", l1=1.0), "l1 has no effect with regularizer linf: it is for regular"),
        (choices("linf", lower=0), "lower has no effect with regularizer linf: it is for reg"),
        (choices("exclusive-lasso", radius=1), "radius has no effect with regularizer exclusi"),
        ({"lower": 1, "upper": 0}, "lower 1 is above upper 0; no weight lies"),
        ({"upper": [1, 2]}, "there are 2 upper bounds for 6 columns"),
        ({"lower": 0, "unpenalized": [1]}, "lower has no effect with unpenalized$"),
        ({"limit": 2.0}, "limit has no effect without unpenalized or penalty_factors or gr"),
        ({"unpenalized": [1], "limit": 0}, "limit is 0, it must be positive and finite"),
        ({"unpenalized": [6]}, "unpenalized column 6 is beyond the 6 columns of the data"),
        ({"unpenalized": [1, 1]}, "unpenalized column 1 is named twice"),
        ({"unpenalized": [-1]}, "unpenalized column -1: columns count from 0"),
        ({"unpenalized": []}, "unpenalized columns must be a list of whole numbers, at least"),
        (
            {"regularizer": "l1", "lower": 0, "radius": 2},
            "lower has no effect with radius of regularizer l1$",
        ),
        ({"regularizer": "l21"}, "l21 is for several columns of weights, and loss squared has one"),
        ({"regularizer": "trace-norm"}, "squared has one, where it would be l2-norm"),
        (choices("group-lasso") | {"groups": [1, 2]}, "groups has 2 numbers for 6 columns: colu"),
        (choices("group-lasso") | {"groups": [[1, 2], [0, 3, 5]]}, "column 4 is in no group; ea"),
        ({"unpenalized": [0], "route": "dual"}, "route dual needs a strongly convex"),
    ],
)
def test_choices_that_cannot_be_meant(chosen, message):
    with pytest.raises(ValueError, match=message):
        fit(Y, **(WITH | chosen))


def test_solvers_of_proximal_steps_have_them_all():
    having = [number for number, row in SOLVERS.items() if "linf" in regularizers_of(row)]
    assert having == [35, 36, 37, 38, 42, "newton", "auto"]
    assert all(regularizers_of(SOLVERS[number]) == tuple(REGULARIZERS) for number in having)


def test_newton_refuses_more_weights_than_it_has_a_matrix_for():
    X = csr_array(([1.0, -1.0], ([0, 1], [0, 1999])), (2, 2000))
    problem = Problem.from_arrays(X, np.array([0.0, 1.0]))
    with pytest.raises(ValueError, match="at most 3000 of them, and there are 4000; choose solver"):
        rrmlinear.fit(problem, Parameter(solver="newton", loss="softmax", regularizer="l21"))
    for regularizer in ({"regularizer": "l2", "lower": 0.0}, {"regularizer": "l1"}):
        choices = {"loss": "softmax", "max_passes": 100, **regularizer}
        assert rrmlinear.fit(problem, Parameter(solver="newton", **choices)).result.solved
