"""Passes over rows beyond the caches visit neighbours together, each example once."""

import numpy as np
import pytest
from scipy.sparse import random as random_sparse

from rrmlinear import Parameter, Problem, fit
from rrmlinear.data import neighbours
from rrmlinear.data.neighbours import TOGETHER, visited_together
from rrmlinear.losses.margin import SquaredHinge
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA


def problem(n, stored, seed=0):
    rng = np.random.default_rng(seed)
    X = random_sparse(n, 2000, density=stored / 2000, rng=rng, format="csr")
    return Problem.from_arrays(X, np.sign(X @ rng.normal(size=2000) + 0.1 * rng.normal(size=n)))


@pytest.mark.parametrize(
    ("n", "stored", "together"), [(9003, 50, TOGETHER), (1000, 50, 1), (600, 1000, 1)]
)
def test_long_rows_and_those_in_caches_are_visited_alone(n, stored, together):
    given = problem(n, stored)
    assert visited_together(given.rows) == together
    ascent = ProxSDCA(given.rows, given.labels, np.ones(n), SquaredHinge(), L2(1.0))
    ascent.start()
    order = np.array(ascent.state.begin_pass(1, 0, False))
    assert np.array_equal(np.sort(order), np.arange(n))
    steps = np.diff(order[: n - n % together].reshape(-1, together), axis=1)
    assert np.all(steps == 1)
    assert not np.array_equal(order, np.arange(n))
    ends = order[::together][: n // together]
    assert np.mean(np.diff(ends) > 0) == pytest.approx(0.5, abs=0.1)
    assert not np.array_equal(order, ascent.state.begin_pass(2, 0, False))


@pytest.mark.parametrize("solver", [1, 3, 4, 7])
def test_ends_are_those_of_examples_alone(solver, monkeypatch):
    given = problem(9003, 50)
    parameter = Parameter(solver=solver, gap_tol=1e-7)
    together = fit(given, parameter).result
    monkeypatch.setattr(neighbours, "MIN_STORED", 10**9)
    alone = fit(given, parameter).result
    assert together.solved
    assert alone.solved
    assert together.primal != alone.primal
    assert together.primal == pytest.approx(alone.primal, rel=2e-7)
