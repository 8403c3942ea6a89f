"""Steps on losses with kinks: their certificate recomputed, and the optimum of the dual ascent."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Parameter, Problem, fit
from rrmlinear.core.records import replace
from rrmlinear.losses.margin import Hinge
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.second_order.compiled_steps import KinkSteps

N, D = 1500, 3


def made(kind, form="dense"):
    """(problem, X, y): classes that overlap, that a plane separates, or with uneven columns."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(N, D))
    y = np.where(X @ [1.0, -2.0, 0.5] + 0.3 > 0, 1.0, -1.0)
    if kind != "separable":
        y[rng.random(N) < 0.15] *= -1
    if kind == "uneven":
        X *= [1e-2, 1.0, 1e3]
    X = np.where(rng.random((N, D)) < 0.8, X, 0.0) if form == "sparse" else X
    return Problem.from_arrays(csr_array(X) if form == "sparse" else X, y), X, y


def solved(problem, costs, omega, gap_tol=1e-9, first=None):
    task = Task.of_rows(problem.rows, problem.labels, costs, Hinge(), omega)
    return KinkSteps(replace(task, weights=first)).solve(Stopping(gap_tol, max_passes=200))


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("kind", ["overlapping", "separable", "uneven"])
@pytest.mark.parametrize("omega", [L2(), L2(0.05), L2(20.0)])
def test_the_certificate_is_true_and_the_optimum_that_of_the_ascent(objectives, kind, form, omega):
    problem, X, y = made(kind, form)
    costs = np.random.default_rng(1).uniform(0.1, 2.0, N)
    costs[:20] = 0.0
    result = solved(problem, costs, omega)
    assert result.status is Status.SOLVED
    primal, dual = objectives(X, y, costs, Hinge(), omega, result)
    assert result.primal == pytest.approx(primal, rel=1e-10)
    assert result.dual == pytest.approx(dual, rel=1e-9)
    assert result.gap <= 1.01e-9 * primal
    ascent = ProxSDCA(Task.of_rows(problem.rows, y, costs, Hinge(), omega))
    other = ascent.solve(Stopping(1e-5, max_passes=5000))
    assert other.dual <= result.primal * (1 + 1e-9)
    assert result.dual <= other.primal * (1 + 1e-9)


@pytest.mark.parametrize("modulus", [1e-3, 1.0])
@pytest.mark.parametrize("sizes", [[1e-2, 1, 1e3], [1e-3, 1, 1e4]])
def test_uneven_columns_and_a_small_modulus_take_few_passes(modulus, sizes):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(300, D))
        y = np.where(X @ rng.normal(size=D) + seed % 3 * rng.normal(size=300) > 0, 1.0, -1.0)
        problem = Problem.from_arrays(X * sizes, y)
        result = solved(problem, np.ones(300), L2(modulus))
        assert (result.status, result.passes <= 20) == (Status.SOLVED, True), seed


@pytest.mark.parametrize("first", [np.zeros(D), np.array([1e4, -1e4, 1e4])])
def test_it_arrives_from_weights_far_away(first):
    problem, *_ = made("overlapping")
    near = solved(problem, np.ones(N), L2())
    far = solved(problem, np.ones(N), L2(), first=first)
    assert far.primal == pytest.approx(near.primal, rel=2e-9)


@pytest.mark.parametrize("loss", ["hinge", "generalized-hinge", "absolute", "quantile"])
def test_an_elastic_net_has_the_optimum_of_newton(loss):
    _, X, y = made("overlapping")
    problem = Problem.from_arrays(X.round(), y if "hinge" in loss else (3 * X[:, 0] + y).round())
    given = {"loss": loss, "gap_tol": 1e-9, "regularizer": "elastic-net", "l1": 2.0}
    result = fit(problem, Parameter(**given)).result
    other = fit(problem, Parameter(solver="newton", **given)).result
    assert (result.status, result.notes) == (Status.SOLVED, ())
    assert result.primal == pytest.approx(other.primal, rel=3e-9)


def test_an_example_whose_norm_overflows_is_named():
    _, X, y = made("overlapping")
    X[40] *= 1e200
    with pytest.raises(ValueError, match="squared norm of example 41 overflows"):
        fit(Problem.from_arrays(X, y), Parameter(solver=3))
