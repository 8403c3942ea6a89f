"""Least squares of few features: the optimum and its proof, for columns of all kinds."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Parameter, Problem, fit
from rrmlinear.solvers.features.feature_descent import FeatureDescent
from rrmlinear.solvers.loop.result import Stopping

N, D, TOL = 150, 7, 1e-9
RNG = np.random.default_rng(4)
BASE = RNG.normal(size=(N, D))
Y = BASE @ (RNG.normal(size=D) * (np.arange(D) % 2)) + RNG.normal(size=N)
KINDS = {
    "plain": BASE,
    "by columns": np.asfortranarray(BASE),
    "single": BASE.astype(np.float32),
    "far": BASE + 1e4,
    "unlike scales": BASE * 10.0 ** np.arange(-3, 4),
    "a constant": np.column_stack([BASE[:, 1:], np.full(N, 3.0)]),
    "dependent": np.column_stack([BASE[:, 1:], BASE[:, 1]]),
    "wide": BASE[: D - 2],
    "sparse": csr_array(BASE * (np.abs(BASE) > 0.5)),
}
NORMS = {
    "l2": {"regularizer": "l2"},
    "l1": {"regularizer": "l1", "l1": 1.0},
    "elastic-net": {"regularizer": "elastic-net", "l1": 2.0},
}
WEIGHTS = np.where(RNG.random(N) < 0.2, 0.0, RNG.random(N))


def certified(X, y, weights, costs, duals, choices, free):
    """Primal and dual of weights and duals, computed anew."""
    X = np.hstack([csr_array(X).toarray(), np.ones((X.shape[0], int(free is not None)))])
    l1, modulus = choices.get("l1", 0.0), float(choices["regularizer"] != "l1")
    omega = np.arange(len(weights)) < len(weights) - bool(free)
    v = X.T @ (costs * duals)
    w = weights[omega]
    primal = costs @ (y - X @ weights) ** 2 / 2 + l1 * np.abs(w).sum() + modulus / 2 * w @ w
    dual = costs @ (y * duals - duals**2 / 2)
    beyond = np.maximum(np.abs(v[omega]) - l1, 0)
    if modulus:
        dual -= beyond @ beyond / 2
    else:
        assert beyond.max() <= 1e-9 * l1
    if free:
        assert abs(v[-1]) <= 1e-9 * (costs @ np.abs(duals))
    return primal, dual


@pytest.mark.parametrize("free", [None, False, True], ids=["no bias", "bias", "free intercept"])
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("weighed", [False, True], ids=["", "weights"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_gap_is_that_of_weights_and_duals(kind, weighed, norm, free):
    X, choices = KINDS[kind], NORMS[norm]
    y, weights = Y[: X.shape[0]], WEIGHTS[: X.shape[0]] if weighed else None
    bias = -1.0 if free is None else 1.0
    problem = Problem.from_arrays(X, y, weights, bias=bias, any_order=True)
    given = {"solver": "auto", "loss": "squared", "C": 0.7, "gap_tol": TOL} | choices
    model = fit(problem, Parameter(**given, free_bias=free or None))
    result = model.result
    assert result.solved
    costs = 0.7 * (np.ones(len(y)) if weights is None else weights)
    found = certified(X, y, model.weights[:, 0], costs, result.duals, choices, free)
    assert found[0] == pytest.approx(result.primal, rel=1e-10)
    assert found[0] - found[1] == pytest.approx(result.gap, abs=3e-10 * found[0])
    assert result.gap <= TOL * result.primal


def test_rounding_of_the_matrix_goes_in_the_next_pass():
    far = Problem.from_arrays(BASE + 1e5, Y).rows
    result = FeatureDescent(far, Y, np.ones(N), 0.0, 1.0).solve(Stopping(1e-14, max_passes=3))
    gaps = [row.gap for row in result.trace]
    assert min(gaps[1:]) < gaps[0]
