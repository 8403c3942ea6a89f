"""Newton's method begins with the optimum of a sample where examples are many."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Parameter, Problem, fit
from rrmlinear.catalog.selection import select
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.second_order.samples import task_of_sample

N, D = 20_000, 4


def problem_of(form, labels, weighted=False):
    """Examples sorted by their labels, in units that differ by column."""
    random = np.random.default_rng(3)
    X = random.standard_normal((N, D)) * (1 + np.arange(D))
    scores = X @ random.standard_normal(D) / D + random.standard_normal(N)
    y = {
        "signs": np.where(scores > 0, 1.0, -1.0),
        "values": scores,
        "classes": np.digitize(scores, [-1.0, 1.0]).astype(float),
    }[labels]
    order = np.argsort(y)
    weights = np.where(np.arange(N) % 2, 5.0, 0.0) if weighted else None
    return Problem.from_arrays(
        csr_array(X[order]) if form == "sparse" else X[order], y[order], weights
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize(
    ("loss", "labels"),
    [
        ("logistic", "signs"),
        ("squared-hinge", "signs"),
        ("squared", "values"),
        ("huber", "values"),
        ("softmax", "classes"),
    ],
)
def test_a_run_begins_near_its_optimum(form, loss, labels, weighted):
    problem = problem_of(form, labels, weighted)
    result = fit(problem, Parameter(solver="newton", loss=loss, gap_tol=1e-10)).result
    assert result.solved
    assert result.trace[0].primal <= 1.01 * result.primal


@pytest.mark.parametrize("regularizer", ["l2", "l1", "elastic-net"])
def test_an_intercept_left_free_is_no_part_of_the_sample(regularizer):
    problem = problem_of("dense", "signs").with_bias(2.0)
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
