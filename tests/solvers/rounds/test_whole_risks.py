"""Solvers of whole risks over parts have the optimum of one process, also where parts are lost."""

import numpy as np
import pytest
from losing_parts import losing_at
from parts_of_problems import examples, solved_over_parts

from rrmlinear import Parameter, Problem
from rrmlinear.catalog.selection import select
from rrmlinear.cli.clusters.planning import virtual_workers
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.rounds.fleet import LocalFleet
from rrmlinear.solvers.rounds.over_parts import over_parts
from rrmlinear.training.fit import fit

GROUPS = tuple(j // 3 for j in range(15))
#: Losses with a C, the least number of weights in use, and a limit on passes.
SPARSE = [(loss, 0.1, 0, 20) for loss in ("logistic", "squared-hinge", "softmax")]
SPARSE += [(loss, 0.5, 2, 80) for loss in ("hinge", "weston-watkins", "crammer-singer")]


def assert_as_one_process(loss, free, kind=LocalFleet, gap=1e-6, **more):
    problem = examples(loss, n=120, d=15)
    parameter = Parameter(loss=loss, free_bias=free or None, **more)
    chosen = select(parameter)
    result = solved_over_parts(problem, chosen, kind, 3, free, Stopping(gap, None, 4000))
    whole = fit(problem, Parameter(**{**vars(parameter), "gap_tol": 1e-9})).result
    assert result.status is Status.SOLVED
    assert whole.primal * (1 - 1e-9) <= result.primal <= whole.primal * (1 + gap)
    assert result.dual <= whole.primal * (1 + 1e-12)
    return result


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize(("loss", "C", "least", "passes"), SPARSE)
def test_the_1_norm(loss, C, least, passes, free):
    result = assert_as_one_process(loss, free, regularizer="l1", C=C)
    assert least <= np.count_nonzero(result.weights) < result.weights.size
    assert result.passes <= passes


@pytest.mark.parametrize(
    "more", [{"regularizer": "linf"}, {"regularizer": "group-lasso", "groups": GROUPS}]
)
def test_other_regularizers_and_kinks(more):
    assert_as_one_process("hinge", False, gap=1e-4, C=0.1, **more)


@pytest.mark.parametrize("loss", ["absolute", "epsilon-insensitive", "quantile"])
def test_the_1_norm_and_kinks_of_residuals(loss):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((150, 8))
    y = X @ [1.0, -2.0, 0, 0, 0, 0, 0, 3.0] + rng.standard_normal(150)
    problem, parameter = Problem.from_arrays(X, y), Parameter(loss=loss, regularizer="l1", C=0.1)
    fleet = virtual_workers(problem, chosen := select(parameter), 3)
    omega = chosen.regularizer.over((8,), intercept=False)
    result = over_parts(fleet, chosen.loss, chosen.features, omega, (8,)).solve(
        Stopping(1e-6, None, 4000)
    )
    whole = fit(problem, Parameter(**{**vars(parameter), "gap_tol": 1e-9})).result
    assert result.status is Status.SOLVED
    assert result.primal == pytest.approx(whole.primal, rel=1e-6)
    assert result.dual <= whole.primal * (1 + 1e-12)


@pytest.mark.parametrize(
    "more", [{"regularizer": "linf"}, {"regularizer": "group-lasso", "groups": GROUPS}]
)
def test_other_regularizers(more):
    assert_as_one_process("logistic", True, **more)


def test_lost_parts():
    result = assert_as_one_process("logistic", True, kind=losing_at(2, 30, 31), regularizer="l1")
    assert len(result.notes) == 4


def test_lost_parts_and_kinks():
    result = assert_as_one_process(
        "hinge", False, kind=losing_at(2, 40, 90), regularizer="l1", C=0.1
    )
    assert len(result.notes) == 4
