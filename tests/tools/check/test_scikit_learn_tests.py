"""scikit-learn's own tests on our classes: swapped imports, the count, chosen differences."""

from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[3]
SOURCE = '''\
"""Tests."""
from sklearn import datasets, svm
from sklearn.linear_model import (
    LinearRegression,
    Ridge as R,
)  # both
from sklearn.svm._classes import LinearSVC
X = 1
'''


@pytest.fixture
def program(tool):
    return tool("scikit_learn_tests")


def test_our_classes_are_imported_behind_theirs(tool):
    swap = tool("scikit_learn_swap")
    lines = swap.swapped(SOURCE).splitlines()
    assert len(lines) == len(SOURCE.splitlines())
    assert lines[1] == "from sklearn import datasets, svm; from scikit_learn_swap import svm as svm"
    assert lines[5] == ")  # both".replace(")", "); from rrmlinear import Ridge as R", 1)
    assert lines[6].endswith("; from rrmlinear import LinearSVC as LinearSVC")
    assert swap.svm.LinearSVC.__module__.startswith("rrmlinear.")
    assert swap.svm.SVC.__module__.startswith("sklearn.")
    for folder, names in swap.FILES.items():
        for name in names:
            source = swap.source_of(folder, name).read_text(encoding="utf-8")
            compile(swap.swapped(source), name, "exec")


def test_each_chosen_difference_has_its_row_in_the_manual(tool):
    rows = [
        line
        for line in (TOP / "docs" / "migration.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("|")
    ]
    differences = tool("chosen_differences").DIFFERENCES
    for each in differences:
        assert any(each.row in row for row in rows), each.row
        assert each.tests
        assert all("::test_" in pattern for pattern in each.tests)
    assert len({each.reason for each in differences}) == len(differences)


def test_outcomes_are_counted(program):
    passed, failed = program.Outcome("passed", "", 0.1), program.Outcome("failed", "no", 0.1)
    found = {
        "test_svm_svm.py::test_linearsvc": passed,
        "test_linear_model_logistic.py::test_zero_max_iter[saga]": failed,
        "test_linear_model_ridge.py::test_other[1]": failed,
    }
    lines, true = program.report(found)
    assert true == ["test_linear_model_ridge.py::test_other[1]"]
    assert "3 tests: 1 passed, 1 failed as chosen, 1 failed" in lines
    assert lines[-1].endswith("tol of 0 and max_iter of 0 are refused")


def test_a_parameter_that_a_class_refuses_counts_as_a_failure(program):
    found = program.run(["linear_model_huber"], "high_epsilon", 0)
    (outcome,) = found.values()
    assert "TypeError" in outcome.said
    lines, true = program.report(found)
    assert true == []
    assert lines[-1] == "    1 the Huber loss has a fixed scale"
