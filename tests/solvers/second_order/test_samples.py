"""Samples of the examples, and Newton's method where examples are many."""

import numpy as np
import pytest

from rrmlinear import Parameter, Problem, fit
from rrmlinear.catalog.selection import select
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.second_order.samples import task_of_sample

N, D = 20_000, 4


def problem_by_columns():
    """Examples sorted by their labels, in units that differ by column."""
    random = np.random.default_rng(3)
    X = random.standard_normal((N, D)) * (1 + np.arange(D))
    scores = X @ random.standard_normal(D) / D + random.standard_normal(N)
    order = np.argsort(scores)
    return Problem.from_arrays(X[order], np.where(scores > 0, 1.0, -1.0)[order])


@pytest.mark.parametrize("regularizer", ["l2", "l1", "elastic-net"])
def test_an_intercept_left_free_of_many_examples(regularizer):
    problem = problem_by_columns().with_bias(2.0)
    l1 = {"l1": 0.1} if regularizer == "elastic-net" else {}
    choices = {"loss": "logistic", "regularizer": regularizer, "free_bias": True, **l1}
    begun = fit(problem, Parameter(solver="newton", gap_tol=1e-9, **choices)).result
    other = fit(problem, Parameter(solver=36, gap_tol=1e-6, **choices)).result
    assert begun.solved
    assert other.dual <= begun.primal
    assert begun.dual <= other.primal


@pytest.mark.parametrize("fraction", [4, 8])
def test_examples_of_a_sample_stand_for_all_with_their_own_labels_and_costs(fraction):
    costs = np.random.default_rng(0).random(800)
    rows = Problem.from_arrays(np.column_stack([costs, 1 - costs]), np.zeros(800)).rows
    chosen = select(Parameter(solver="newton", loss="squared"))
    omega = chosen.regularizer.over((2,), intercept=False)
    task = Task(rows, 3 * costs, None, costs, chosen.loss, omega, chosen.features, chosen.choices)
    sample = task_of_sample(task, fraction)
    assert sample.rows.shape == (800 // fraction, 2)
    assert (sample.costs == fraction * sample.rows.values[:, 0]).all()
    assert (sample.targets == 3 * sample.rows.values[:, 0]).all()
