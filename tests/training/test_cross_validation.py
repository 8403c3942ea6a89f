"""Cross validation: every example predicted once, by a model that has not seen it."""

from dataclasses import replace

import numpy as np
import pytest

from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.selection import select
from rrmlinear.data.container.writing import ContainerWriter, write_container
from rrmlinear.data.problem import Problem
from rrmlinear.training import streaming
from rrmlinear.training.cross_validation import CopiedFold, MappedFold, cross_validate, folds_of
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


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("kind", ["classes", "numbers"])
@pytest.mark.parametrize("memory", [12_000, 10**6])
def test_folds_of_a_container_are_those_in_memory(tmp_path, kind, memory):
    """Its examples are copied in rising order to files without a name; the optimum is the same."""
    choices = {
        "classes": {"solver": 30, "gap_tol": 1e-9},
        "numbers": {"solver": "newton", "loss": "squared", "gap_tol": 1e-9},
    }[kind]
    problem = replace(problem_of(300), weights=np.arange(300) % 3 + 1.0)
    write_container(tmp_path / "c.rrm", problem)
    mapped = Problem.open(tmp_path / "c.rrm").with_bias(1.0)
    whole = cross_validate(problem.with_bias(1.0), select(Parameter(**choices)), 3)
    held = cross_validate(mapped, select(Parameter(memory=memory, **choices)), 3)
    np.testing.assert_allclose(held, whole, atol=0 if kind == "classes" else 1e-4)
    assert [each.name for each in tmp_path.iterdir()] == ["c.rrm"]


def test_folds_of_a_container_that_memory_does_not_hold_are_mapped(tmp_path, monkeypatch):
    write_container(tmp_path / "c.rrm", problem_of(300))
    mapped, chosen = Problem.open(tmp_path / "c.rrm"), select(Parameter(solver=30))
    size = mapped.container.header.file_size
    kinds = []
    for available in (size, 4 * size, None):
        monkeypatch.setattr(streaming, "available_memory", lambda: available)  # noqa: B023
        kinds.append({type(fold) for fold in folds_of(mapped, 3, chosen)})
    assert kinds == [{MappedFold}, {CopiedFold}, {CopiedFold}]


def test_a_fold_that_cannot_be_copied_is_a_sentence(tmp_path, monkeypatch):
    write_container(tmp_path / "c.rrm", problem_of(300))
    mapped = Problem.open(tmp_path / "c.rrm")

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ContainerWriter, "add", full)
    said = "fold 1 of 3: its examples cannot be copied to a file .*: No space left on device"
    with pytest.raises(ValueError, match=said):
        cross_validate(mapped, select(Parameter(solver=30, memory=10**6)), 3)


def test_folds_are_shuffled_by_the_seed():
    problem = problem_of(200)
    first = cross_validate(problem, select(Parameter(seed=1)), 4)
    assert (first == cross_validate(problem, select(Parameter(seed=1)), 4)).all()
    assert (first != cross_validate(problem, select(Parameter(seed=2)), 4)).any()
    assert (first == problem.labels).mean() > 0.8


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
