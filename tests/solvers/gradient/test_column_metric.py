"""Accelerated gradient steps on orders of examples, whose columns have unlike units."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Parameter, Problem, fit
from rrmlinear.regularizers.bounded import Bounded, Unpenalized
from rrmlinear.regularizers.coordinates import coordinates_of
from rrmlinear.regularizers.groups.group_norms import L2Groups
from rrmlinear.regularizers.separable import L1, L2, ElasticNet
from rrmlinear.solvers.loop.result import Status

N, D = 240, 7
UNITS = np.logspace(-2, 3, D)
LOSSES = ("rank-hinge", "rank-squared-hinge", "rank-logistic", "cox-breslow", "cox-efron")


def _problem(loss, units, as_sparse=False):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(N, D)) + 3 * rng.random(D)
    scores = X @ rng.normal(size=D)
    y = np.digitize(scores + rng.normal(size=N), np.quantile(scores, [0.3, 0.7])).astype(float)
    if loss.startswith("cox"):
        y = (rng.exponential(np.exp(-scores / 4)) + 0.01) * rng.choice([-1, 1, 1], N)
    X = X * units
    return Problem.from_arrays(csr_array(X) if as_sparse else X, y)


def _least(problem, loss, **choices):
    found = fit(problem, Parameter(loss=loss, C=0.1, solver="auto", gap_tol=1e-5, **choices)).result
    assert found.status is Status.SOLVED
    return found.primal


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("as_sparse", [False, True])
def test_units_with_their_factors_change_nothing(loss, as_sparse):
    plain = _least(_problem(loss, 1.0), loss, regularizer="l1")
    problem = _problem(loss, UNITS, as_sparse)
    stretched = _least(problem, loss, regularizer="l1", penalty_factors=UNITS)
    assert stretched == pytest.approx(plain, rel=2e-5)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(
    "choices",
    [
        {"regularizer": "l1"},
        {"regularizer": "elastic-net", "l1": 0.3},
        {"lower": 0.0},
        {"unpenalized": [1]},
    ],
    ids=str,
)
def test_fits_of_unlike_columns_are_solved(loss, choices):
    dense = _least(_problem(loss, UNITS), loss, **choices)
    assert _least(_problem(loss, UNITS, as_sparse=True), loss, **choices) == pytest.approx(
        dense, rel=2e-5
    )


@pytest.mark.parametrize(
    "omega",
    [
        L1(0.4),
        L2(2.0),
        ElasticNet(0.3, 1.5),
        ElasticNet(0.3, 1.5).with_intercept(),
        Bounded(L1(0.4), lower=0.0, upper=0.2),
        Bounded(ElasticNet(0.2), factors=np.linspace(0, 3, D), lower=-1.0),
        Unpenalized(ElasticNet(0.2), [0, 3], 0.7).over((D,)),
    ],
    ids=lambda omega: type(omega).__name__,
)
def test_the_prox_by_numbers_of_each_coordinate(omega):
    y = np.random.default_rng(2).normal(size=D) * 2
    found = coordinates_of(omega, D)
    assert found.prox(y, np.full(D, 0.7)) == pytest.approx(omega.prox_of(y, 0.7), abs=1e-15)
    # each coordinate takes its own step
    steps = np.linspace(0.1, 2, D)
    each = [omega.prox_of(y, step)[j] for j, step in enumerate(steps)]
    assert found.prox(y, steps) == pytest.approx(np.array(each), abs=1e-15)


def test_coordinates_that_meet_have_no_numbers():
    assert coordinates_of(L2Groups(np.zeros(D, dtype=int)), D) is None
