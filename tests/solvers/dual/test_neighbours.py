"""Passes over rows beyond the caches visit neighbours together, each example once."""

import numpy as np
import pytest
from scipy.sparse import csr_array
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


def of_problem(given):
    return visited_together(given.rows, given.rows.squared_norms(), np.sign(given.labels))


@pytest.mark.parametrize(
    ("n", "stored", "together"), [(9003, 50, TOGETHER), (1000, 50, 1), (600, 1000, 1)]
)
def test_long_rows_and_those_in_caches_are_visited_alone(n, stored, together):
    given = problem(n, stored)
    assert of_problem(given) == together
    ascent = ProxSDCA(given.rows, given.labels, np.ones(n), SquaredHinge(), L2(1.0))
    ascent.start()
    order = np.array(ascent.state.begin_pass(1, 0, False))
    assert np.array_equal(np.sort(order), np.arange(n))
    runs = order[: n - n % together].reshape(-1, together)
    assert np.all(np.diff(np.sort(runs, axis=1), axis=1) == 1)
    # the place of the first of a run in it is drawn too
    assert np.mean(runs.argmin(axis=1)) == pytest.approx((together - 1) / 2, abs=0.3)
    assert not np.array_equal(order, np.arange(n))
    ends = order[::together][: n // together]
    assert np.mean(np.diff(ends) > 0) == pytest.approx(0.5, abs=0.1)
    assert not np.array_equal(order, ascent.state.begin_pass(2, 0, False))


def test_neighbours_of_one_label_and_of_a_series_are_visited_apart():
    rng = np.random.default_rng(1)
    y = rng.choice([-1.0, 1.0], 20_000)
    X = rng.normal(size=(20_000, 40)) + 0.5 + 0.3 * y[:, np.newaxis]
    assert of_problem(Problem.from_arrays(X, y)) == TOGETHER
    order = np.argsort(y)
    assert of_problem(Problem.from_arrays(X[order], y[order])) == 1
    series = X + 3 * np.repeat(X[::20], 20, axis=0)
    assert of_problem(Problem.from_arrays(series, np.repeat(y[::20], 20))) == 1


@pytest.mark.parametrize("bias", [-1.0, 0.7])
@pytest.mark.parametrize("is_dense", [False, True])
def test_products_of_pairs_are_those_of_their_rows(is_dense, bias):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 9)) * (rng.random((30, 9)) < 0.5)
    rows = Problem.from_arrays(X if is_dense else csr_array(X), np.ones(30)).rows.with_bias(bias)
    assert rows.is_dense == is_dense
    first, second = rng.integers(0, 30, (2, 50))
    expected = (X[first] * X[second]).sum(axis=1) + (bias**2 if bias > 0 else 0)
    assert rows.products_of_pairs(first, second) == pytest.approx(expected, abs=1e-13)
    with pytest.raises(ValueError, match="50 examples and 49"):
        rows.products_of_pairs(first, second[1:])


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
