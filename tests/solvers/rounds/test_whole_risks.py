"""FISTA over parts: the optimum of one process for regularizers without rounds, and lost parts."""

import numpy as np
import pytest
from losing_parts import losing_at
from parts_of_problems import examples, parts_of

from rrmlinear import Parameter
from rrmlinear.catalog.selection import select
from rrmlinear.catalog.stage_builders import over_parts
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.rounds.fleet import LocalFleet
from rrmlinear.training.fit import fit

GROUPS = tuple(j // 3 for j in range(30))


def check(loss, free, kind=LocalFleet, **more):
    problem = examples(loss)
    parameter = Parameter(loss=loss, free_bias=free or None, **more)
    chosen = select(parameter)
    fleet = kind(parts_of(problem, chosen, 3))
    d, k = problem.rows.width - free, fleet.parts[0].columns
    shape = (d,) if chosen.kind == "binary" else (d, k)
    omega = chosen.regularizer.over(shape, intercept=not free)
    bias = 1.0 if free else None
    solver = over_parts(fleet, chosen.loss, chosen.features, omega, shape, free_bias=bias)
    result = solver.solve(Stopping(1e-6, None, 2000))
    whole = fit(problem, Parameter(**{**vars(parameter), "gap_tol": 1e-9})).result
    assert result.status is Status.SOLVED
    assert result.primal == pytest.approx(whole.primal, rel=1e-6)
    assert result.dual <= whole.primal * (1 + 1e-12)
    return result


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("loss", ["logistic", "squared-hinge", "softmax"])
def test_the_1_norm(loss, free):
    result = check(loss, free, regularizer="l1", C=0.1)
    assert np.count_nonzero(result.weights) < result.weights.size


@pytest.mark.parametrize(
    "more", [{"regularizer": "linf"}, {"regularizer": "group-lasso", "groups": GROUPS}]
)
def test_other_regularizers(more):
    check("logistic", True, **more)


def test_lost_parts():
    result = check("logistic", True, kind=losing_at(2, 30, 31), regularizer="l1")
    assert len(result.notes) == 3
