"""The risk at the best intercept: its laws for every loss, and the optimum of other solvers."""

import numpy as np
import pytest
from members import SCALAR_LOSSES, SMOOTHED_LOSSES, labels_in_domain, takes_signs
from scipy.optimize import minimize_scalar
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.catalog.losses import LOSSES as ROWS
from rrmlinear.losses import margin
from rrmlinear.losses.multiclass import WestonWatkins
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.scores import ScalarRisk

LOSSES = SCALAR_LOSSES | SMOOTHED_LOSSES
CLASSIFICATION = [name for name in LOSSES if takes_signs(name)]
#: Losses of counts, amounts and shares.
IN_DOMAIN = [name for name, row in ROWS.items() if row.labels is not None]
N, D = 120, 5


def make(name, n=N, seed=0, share=0.4, repeat=1, loss=None, cost_scale=1.0, scale=1.0):
    rng = np.random.default_rng(seed)
    X = np.repeat(scale * rng.standard_normal((n, D)), repeat, axis=0)
    if name in CLASSIFICATION:
        y = np.where(np.arange(n) < max(1, share * n), 1.0, -1.0).repeat(repeat)
    else:
        y = labels_in_domain(name, scale * (5 + 2 * rng.standard_normal(n)).repeat(repeat))
    costs = cost_scale * rng.random(n * repeat)
    costs[2 : n // 2 : 7] = 0
    rows = Problem.from_arrays(csr_array(X), y, bias=2.0).rows
    return ScalarRisk(rows, loss or LOSSES[name], y, costs, condition=Intercept()), X, y, costs, rng


def best_value(risk, scores, y):
    """The minimum over b, at a kink for piecewise linear losses and by scipy for others."""

    def value(b):
        return float(risk.costs @ risk.loss.values(y, scores + b))

    if not risk.loss.differentiable:
        kinks = [t for target, *_ in risk.loss.pieces(y) for t in target - scores]
        return min(value(t) for t in kinks)
    low, high = (y - scores).min() - 20, (y - scores).max() + 20
    found = minimize_scalar(value, bounds=(low, high), method="bounded", options={"xatol": 1e-9})
    return min(found.fun, value(low), value(high))


def balance(costs, values):
    """|Σ c v| in units of rounding of what it adds up."""
    return abs(costs @ values) / max(np.finfo(float).eps * (costs @ np.abs(values)), 1e-300)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize(
    "kind",
    [
        {},
        {"share": 0.001, "n": 1001},
        {"repeat": 5},
        {"cost_scale": 1e9},
        {"cost_scale": 1e-9},
        {"scale": 1e3},
        {"n": 5000, "seed": 3},
    ],
    ids=lambda kind: " ".join(f"{k}={v}" for k, v in kind.items()) or "plain",
)
def test_value_and_intercept_are_the_best(name, kind):
    risk, X, y, costs, rng = make(name, **kind)
    assert risk.shape == (D,)
    for size in (0.0, 1.0, 1.1, 30.0):  # searches that start afresh, near, and far away
        w = size * rng.standard_normal(D)
        scores = risk.scores(w)
        np.testing.assert_allclose(scores, X @ w, rtol=1e-12, atol=1e-12)
        best = best_value(risk, scores, y) if len(y) < 2000 else np.inf
        value, b = risk.at(scores).value, risk.at(scores).intercept
        assert value == pytest.approx(costs @ risk.loss.values(y, scores + b), rel=1e-12)
        assert value <= best * (1 + 1e-12)
        for step in (-1e-3, -1e-6, 1e-6, 1e-3):
            moved = costs @ risk.loss.values(y, scores + b + step)
            assert value <= moved * (1 + 1e-12)
        derivatives = risk.at(scores).derivatives
        assert balance(costs, derivatives) < 200
        attained = -risk.conjugate(-derivatives) + (costs * derivatives) @ scores
        assert attained == pytest.approx(value, rel=1e-9)
        assert risk.complete(w)[-1] * 2.0 == pytest.approx(b, rel=1e-8, abs=1e-8)


def conjugate_of(cp, name, y, alpha):
    """φ*(−α) for cvxpy, and the domain."""
    b = cp.multiply(y, alpha)
    loss = LOSSES[name]
    if "generalized" in name:
        return loss.smoothing / 2 * cp.square(b) - cp.minimum(b, 1), [b >= 0, b <= 2.5]
    if name == "logistic":
        return -cp.entr(b) - cp.entr(1 - b), []
    lower, upper, epsilon = loss.box(y)
    phi = -cp.multiply(y, alpha) + epsilon * cp.abs(alpha) + loss.smoothing / 2 * cp.square(alpha)
    lower, upper = np.broadcast_to(lower, len(y)), np.broadcast_to(upper, len(y))
    low, high = np.isfinite(lower), np.isfinite(upper)
    return phi, [alpha[low] >= lower[low], alpha[high] <= upper[high]]


@pytest.mark.parametrize("name", [name for name in LOSSES if name not in IN_DOMAIN])
def test_dual_steps_are_those_of_a_conic_solver(name):
    cp = pytest.importorskip("cvxpy", reason="the conic solver is in the test extra")
    risk, _, y, costs, rng = make(name, n=25)
    scores, curvatures = rng.standard_normal(25), rng.uniform(0.2, 3, 25)
    start = 0.5 * rng.standard_normal(25)
    steps = risk.dual_steps(scores, start, curvatures)[0]
    assert balance(costs, steps) < 200
    at = costs > 0
    alpha = cp.Variable(at.sum())
    phi, domain = conjugate_of(cp, name, y[at], alpha)
    squares = cp.multiply(curvatures[at] / 2, cp.square(alpha - start[at]))
    each = -phi - cp.multiply(scores[at], alpha) - squares
    problem = cp.Problem(cp.Maximize(costs[at] @ each), [*domain, costs[at] @ alpha == 0])
    best = problem.solve(solver=cp.CLARABEL)
    square = curvatures / 2 * (steps - start) ** 2
    ours = -risk.conjugate(steps) - costs @ (scores * steps + square)
    assert ours == pytest.approx(best, rel=1e-7, abs=1e-8)
    np.testing.assert_allclose(steps[at], alpha.value, atol=1e-3)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("curvature", [1e-9, 1e-3, 1.0, 1e9])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_steps_balance_at_any_scale(name, curvature, scale):
    risk, _, y, costs, rng = make(name, share=0.01)
    scores = scale * rng.standard_normal(N)
    plain = ScalarRisk(risk.rows, risk.loss, y, costs)
    start = -plain.at(scale * rng.standard_normal(N)).derivatives
    for alphas in (0.0, start):
        steps = risk.dual_steps(scores, alphas, curvature)[0]
        assert balance(costs, steps) < 1e4
        assert np.isfinite(risk.conjugate(steps))


@pytest.mark.parametrize("name", LOSSES)
def test_one_example_costs_nothing(name):
    y = labels_in_domain(name, np.array([-1.0]))
    rows = Problem.from_arrays(np.ones((1, 1)), y, bias=1.0).rows
    risk = ScalarRisk(rows, LOSSES[name], y, np.array([3.0]), condition=Intercept())
    scores = risk.scores(np.array([7.0]))
    assert risk.at(scores).value == pytest.approx(0, abs=1e-12)
    assert risk.at(scores).derivatives == pytest.approx(0, abs=1e-12)
    assert risk.conjugate(-risk.at(scores).derivatives) == pytest.approx(0, abs=1e-12)
    assert risk.dual_steps(scores, np.array([-0.5]), 1.0)[0] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", CLASSIFICATION)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_one_class_costs_nothing_whatever_the_examples_without_cost(name, sign):
    rng = np.random.default_rng(1)
    y, costs = np.full(30, sign), rng.random(30)
    y[5], costs[5] = -sign, 0
    rows = Problem.from_arrays(rng.standard_normal((30, 2)), y, bias=1.0).rows
    risk = ScalarRisk(rows, LOSSES[name], y, costs, condition=Intercept())
    scores = 10 * rng.standard_normal(30)
    assert risk.at(scores).value <= 1e-14
    assert not (costs * risk.at(scores).derivatives).any()
    assert not risk.dual_steps(scores, 0.5 * y, 1.0)[0].any()
    assert np.isfinite(risk.complete(np.ones(2))).all()


def test_duals_out_of_balance_are_no_duals():
    risk, _, _, costs, rng = make("hinge")
    alphas = risk.dual_steps(rng.standard_normal(N), 0.0, 1.0)[0]
    assert np.isfinite(risk.conjugate(alphas))
    alphas[np.flatnonzero(costs)[0]] += 1e-6
    assert risk.conjugate(alphas) == np.inf
    assert risk.conjugate(np.zeros(N)) == 0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"loss": WestonWatkins()}, "takes a loss of one score, and WestonWatkins is one of"),
        ({"bias": -1.0}, "takes an appended column, and bias is -1"),
        ({"costs": np.zeros(4)}, "no example has a cost above 0"),
    ],
)
def test_what_has_no_free_intercept_is_refused(change, sentence):
    given = {"loss": margin.Hinge(), "bias": 1.0, "costs": np.ones(4)} | change
    y = np.array([1.0, -1.0, 1.0, -1.0])
    rows = Problem.from_arrays(np.ones((4, 1)), y, bias=given["bias"]).rows
    with pytest.raises(ValueError, match=sentence):
        ScalarRisk(rows, given["loss"], y, given["costs"], condition=Intercept())
