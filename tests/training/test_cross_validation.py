"""Cross validation: every example predicted once, by a model that has not seen it."""

import numpy as np
import pytest

from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.selection import select
from rrmlinear.data.problem import Problem
from rrmlinear.training.cross_validation import cross_validate
from rrmlinear.training.fit import fit


def problem_of(n, n_classes=3, seed=0):
    chance = np.random.default_rng(seed)
    y = chance.integers(0, n_classes, n)
    centers = np.eye(n_classes, 4) * 3
    return Problem.from_arrays(centers[y] + chance.standard_normal((n, 4)), y)


def test_leave_one_out_is_n_trainings():
    problem = problem_of(12)
    predicted = cross_validate(problem, select(Parameter()), 12)
    for held_out in range(12):
        others = np.delete(np.arange(12), held_out)
        model = fit(problem.take(others), Parameter())
        assert predicted[held_out] == model.predict(problem.take(np.array([held_out])))[0]


def test_folds_are_shuffled_by_the_seed():
    problem = problem_of(200)
    first = cross_validate(problem, select(Parameter(seed=1)), 4)
    assert (first == cross_validate(problem, select(Parameter(seed=1)), 4)).all()
    assert (first != cross_validate(problem, select(Parameter(seed=2)), 4)).any()
    assert (first == problem.labels).mean() > 0.8


def test_sorted_labels_do_not_empty_a_class():
    problem = problem_of(90)
    sorted_problem = problem.take(np.argsort(problem.labels, kind="stable"))
    predicted = cross_validate(sorted_problem, select(Parameter()), 3)
    assert (predicted == sorted_problem.labels).mean() > 0.8


def test_passes_of_every_fold_are_seen():
    first_passes = []
    cross_validate(
        problem_of(30), select(Parameter()), 5, lambda row: first_passes.append(row.number == 1)
    )
    assert sum(first_passes) == 5


@pytest.mark.parametrize("folds", [0, 1, 11])
def test_number_of_folds(folds):
    with pytest.raises(ValueError, match=f"{folds} folds of 10 examples; allowed are 2 … 10"):
        cross_validate(problem_of(10), select(Parameter()), folds)


def test_fold_that_leaves_one_class():
    problem = Problem.from_arrays(np.eye(3), [1, 1, 2])
    with pytest.raises(ValueError, match="fold 3 of 3: all 2 examples have label 1"):
        cross_validate(problem, select(Parameter(solver=30)), 3)
    assert cross_validate(problem, select(Parameter(solver=1)), 3)[2] == 1
