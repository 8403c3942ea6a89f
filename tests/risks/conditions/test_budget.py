"""Risks with a limit on duals: their laws, and the optimum of a conic solver."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses import margin, regression
from rrmlinear.losses.margin import Logistic
from rrmlinear.losses.multiclass import WestonWatkins
from rrmlinear.risks.conditions.budget import Budget
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.scores import ScalarRisk

BINARY = {
    "hinge": margin.Hinge(),
    "smooth-hinge": margin.SmoothHinge(0.2),
    "squared-hinge": margin.SquaredHinge(),
    "generalized-hinge": margin.GeneralizedHinge(2.5),
    "smooth-generalized-hinge": margin.GeneralizedHinge(2.5, 0.2),
}
LOSSES = BINARY | {
    "squared": regression.Squared(),
    "absolute": regression.Absolute(),
    "epsilon-insensitive": regression.EpsilonInsensitive(0.3),
    "smooth-epsilon-insensitive": regression.EpsilonInsensitive(0.3, 0.2),
    "huber": regression.Huber(0.7),
    "quantile": regression.Quantile(0.8),
}
CONDITIONS = ("norm", "direction", "intercept")
N, D = 40, 4


def make(name, condition="norm", n=N, share=0.2, seed=0, limit=None):
    """A risk whose limit binds at most weights, and the rest."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, D))
    y = rng.choice([-1.0, 1.0], n) if name in BINARY else 2 + 2 * rng.standard_normal(n)
    costs = rng.uniform(0.5, 1.5, n)
    costs[2 : n // 2 : 7] = 0
    has_column = condition in ("intercept", "alone")
    rows = Problem.from_arrays(csr_array(X), y, bias=2.0 if has_column else -1.0).rows
    limit = limit or share * costs.sum() * (0.5 if condition == "direction" else 1)
    loss = LOSSES[name]
    if has_column:
        both = Intercept() if condition == "alone" else Budget(limit, beside=Intercept())
        return ScalarRisk(rows, loss, y, costs, condition=both), X, y, costs, rng
    direction = None
    if condition == "direction":
        direction = rng.standard_normal(n) + (y if name in BINARY else 1.0)
        direction[5] = 0
    budget = Budget(limit, direction)
    return ScalarRisk(rows, loss, y, costs, condition=budget), X, y, costs, rng


def conic(risk, name, y, scores, start=0.0, curvature=None):
    """max Σ c (−φ*(−α) − m α − ½ q (α − start)²) under the conditions, by cvxpy."""
    cp = pytest.importorskip("cvxpy", reason="the conic solver is in the test extra")
    at = risk.costs > 0
    costs, y, scores = risk.costs[at], y[at], scores[at]
    alpha = cp.Variable(len(y))
    gamma = risk.loss.smoothing
    if "generalized" in name:
        b = cp.multiply(y, alpha)
        gain, domain = cp.minimum(b, 1), [b >= 0, b <= 2.5]
    else:
        lower, upper, epsilon = risk.loss.box(y)
        gain = cp.multiply(y, alpha) - epsilon * cp.abs(alpha)
        domain = [alpha[i] >= lower[i] for i in range(len(y)) if np.isfinite(lower[i])]
        domain += [alpha[i] <= upper[i] for i in range(len(y)) if np.isfinite(upper[i])]
    each = gain - cp.multiply(scores, alpha) - gamma / 2 * cp.square(alpha)
    if curvature is not None:
        each -= cp.multiply(curvature[at] / 2, cp.square(alpha - start[at]))
    if "balance" in risk.offers:
        domain.append(costs @ alpha == 0)
    if risk.spec.direction is None:
        domain.append(costs @ cp.abs(alpha) <= risk.spec.limit)
    else:
        domain.append((costs * risk.spec.direction[at]) @ alpha <= risk.spec.limit)
    problem = cp.Problem(cp.Maximize(costs @ each), domain)
    return problem.solve(solver=cp.CLARABEL)


def penalty(risk, scores):
    return risk.at(scores).best.penalty


def attained(risk, scores, alphas):
    return -risk.conjugate(alphas) - (risk.costs * alphas) @ scores


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("name", LOSSES)
def test_the_value_is_that_of_a_conic_solver(name, condition):
    risk, X, y, _, rng = make(name, condition)
    bound = 0
    for size in (0.5, 3.0):
        w = size * rng.standard_normal(D)
        scores = risk.scores(w)
        np.testing.assert_allclose(scores, X @ w, atol=1e-12)
        value = risk.at(scores).value
        assert value == pytest.approx(conic(risk, name, y, scores), rel=1e-6, abs=1e-7)
        alphas = -risk.at(scores).derivatives
        assert attained(risk, scores, alphas) == pytest.approx(value, rel=1e-12)
        bound += penalty(risk, scores) > 0
    assert bound  # the limit did bind


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("name", LOSSES)
def test_dual_steps_are_those_of_a_conic_solver(name, condition):
    risk, _, y, costs, rng = make(name, condition)
    scores, start = rng.standard_normal(N), 0.5 * rng.standard_normal(N)
    curvature = np.where(np.arange(N) % 3, rng.uniform(0.2, 3, N), 0.01)
    steps = risk.dual_steps(scores, start, curvature)[0]
    gained = attained(risk, scores, steps) - costs @ (curvature / 2 * (steps - start) ** 2)
    best = conic(risk, name, y, scores, start, curvature)
    assert gained == pytest.approx(best, rel=1e-6, abs=1e-7)
    steps = risk.dual_steps(scores, start, np.full(N, 0.01))[0]
    again, at = risk.dual_steps(scores, start, 0.01)[0], costs > 0
    np.testing.assert_allclose(again[at], steps[at], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", LOSSES)
def test_a_limit_that_does_not_bind_changes_nothing(name):
    for condition, without in (("norm", None), ("intercept", Intercept())):
        risk, X, y, costs, rng = make(name, condition, limit=1e9)
        bias = 2.0 if condition == "intercept" else -1.0
        rows = Problem.from_arrays(csr_array(X), y, bias=bias).rows
        other = ScalarRisk(rows, LOSSES[name], y, costs, condition=without)
        scores, start = rng.standard_normal(N), rng.standard_normal(N)
        assert risk.at(scores).value == other.at(scores).value
        counted = costs > 0
        for ours, theirs in (
            (risk.at(scores).derivatives, other.at(scores).derivatives),
            (risk.dual_steps(scores, start, 0.3)[0], other.dual_steps(scores, start, 0.3)[0]),
        ):
            np.testing.assert_allclose(ours[counted], theirs[counted], rtol=1e-12, atol=1e-14)


def test_the_hinge_keeps_its_largest_losses():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((200, D)), rng.choice([-1.0, 1.0], 200)
    rows = Problem.from_arrays(X, y).rows
    risk = ScalarRisk(rows, margin.Hinge(), y, np.full(200, 0.3), condition=Budget(0.3 * 25))
    for size in (0.0, 0.1, 1.0):
        scores = risk.scores(size * rng.standard_normal(D))
        losses = np.sort(np.maximum(0, 1 - y * scores))[::-1]
        assert risk.at(scores).value == pytest.approx(0.3 * losses[:25].sum(), rel=1e-13)
        assert np.abs(risk.at(scores).derivatives).sum() == pytest.approx(25, rel=1e-12)


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_steps_keep_to_the_limit_at_any_scale(name, condition, scale):
    risk, _, _, _, rng = make(name, condition, share=1e-3)
    scores = scale * rng.standard_normal(N)
    for curvature in (1e-9, 1.0, 1e9):
        assert np.isfinite(risk.conjugate(risk.dual_steps(scores, 0.0, curvature)[0]))
    assert np.isfinite(risk.conjugate(-risk.at(scores).derivatives))


def test_duals_beyond_the_limit_are_no_duals():
    for condition in CONDITIONS:
        risk, *_ = make("hinge", condition)
        alphas = -risk.at(np.zeros(N)).derivatives
        assert penalty(risk, np.zeros(N)) > 0
        assert np.isfinite(risk.conjugate(alphas))
        assert np.isfinite(risk.conjugate(0.5 * alphas))
        assert risk.conjugate(1.001 * alphas) == np.inf
        assert risk.conjugate(np.zeros(N)) == 0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"loss": WestonWatkins()}, "takes a loss of one score, and WestonWatkins is one of"),
        ({"loss": Logistic()}, "whose dual is a sum of clipped lines, got Logistic"),
        ({"limit": 0.0}, "the limit of duals must be positive and finite, got 0"),
        ({"limit": np.nan}, "the limit of duals must be positive and finite, got nan"),
        ({"direction": np.ones(3)}, r"must be 4 finite numbers, got shape \(3,\)"),
        ({"direction": np.full(4, np.inf)}, "must be 4 finite numbers"),
        ({"direction": np.ones(4), "beside": Intercept()}, "beside an intercept .* no direction"),
    ],
)
def test_what_has_no_budget_is_refused(change, sentence):
    given = {"loss": margin.Hinge(), "limit": 1.0} | change
    y, loss = np.array([1.0, -1.0, 1.0, -1.0]), given.pop("loss")
    rows = Problem.from_arrays(np.ones((4, 1)), y, bias=1.0).rows
    with pytest.raises(ValueError, match=sentence):
        ScalarRisk(rows, loss, y, np.ones(4), condition=Budget(**given))


@pytest.mark.parametrize("condition", [*CONDITIONS, "alone"])
def test_scores_that_overflow_are_refused(condition):
    risk, *_ = make("hinge", condition)
    for scores in (np.full(N, np.nan), np.full(N, np.inf)):
        with pytest.raises(FloatingPointError, match="scale the data"):
            assert risk.at(scores).value
        with pytest.raises(FloatingPointError, match="scale the data"):
            risk.dual_steps(scores, 0.0, 1.0)[0]
