"""Intercepts left free over parts: the optimum of one process."""

import numpy as np
import pytest
from losing_parts import losing_at
from parts_of_problems import REGULARIZERS, chosen_for, examples, solved_over_parts

from rrmlinear import Parameter
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.rounds.fleet import LocalFleet
from rrmlinear.training.fit import fit

LOSSES = ["logistic", "squared-hinge", "hinge", "softmax", "weston-watkins", "crammer-singer"]


def assert_as_one_process(loss, regularizer="l2", size=3, kind=LocalFleet):
    problem, chosen = examples(loss), chosen_for(loss, regularizer)
    result = solved_over_parts(problem, chosen, kind, size, True, Stopping(1e-7, None, 300))
    free = {"solver": "auto", "free_bias": True, "gap_tol": 1e-9}
    whole = fit(problem, Parameter(**{**vars(chosen.choices), **free})).result
    assert result.status is Status.SOLVED
    assert result.primal == pytest.approx(whole.primal, rel=1e-7)
    assert result.dual <= whole.primal * (1 + 1e-12)
    change = result.weights - whole.weights.reshape(result.weights.shape)
    change = change.reshape(problem.rows.width, -1)
    apart = problem.to_scipy() @ change[:-1] + change[-1]
    if change.shape[1] > 1:  # the same number may be added to all intercepts
        apart -= apart.mean(axis=1, keepdims=True)
    assert np.abs(apart).max() <= 0.02
    return result


@pytest.mark.parametrize("regularizer", REGULARIZERS)
@pytest.mark.parametrize("loss", LOSSES)
def test_the_optimum_is_that_of_one_process(loss, regularizer):
    assert_as_one_process(loss, regularizer)


def test_one_part_and_several():
    assert_as_one_process("logistic", size=1)
    assert_as_one_process("softmax", size=4)


@pytest.mark.parametrize("loss", ["hinge", "weston-watkins"])
def test_lost_duals_leave_a_true_gap(loss):
    result = assert_as_one_process(loss, kind=losing_at(3, 40, 120))
    assert len(result.notes) == 3
