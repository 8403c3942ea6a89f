"""The comparison with LIBLINEAR, against a program that only seems to be it."""

import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[3]
PROGRAM = """\
#!{python}
import sys
import rrmlinear

number, cost, data, path = int(sys.argv[2]), float(sys.argv[4]), sys.argv[7], sys.argv[8]
names = {{7: "L2R_LR_DUAL", 13: "L2R_L1LOSS_SVR_DUAL"}}
loss = {{7: "logistic", 13: "epsilon-insensitive"}}[number]
parameter = rrmlinear.Parameter(solver=32, loss=loss, C={factor} * cost, gap_tol=1e-12)
model = rrmlinear.fit(rrmlinear.read_libsvm(data), parameter)
model.save(path)
lines = open(path).read().splitlines()
lines[:2] = ["solver_type " + names[number]]
open(path, "w").write("\\n".join(lines) + "\\n")
"""


@pytest.fixture
def compare(tool):
    return tool("compare_liblinear")


@pytest.fixture
def program(tmp_path):
    def make(factor):
        path = tmp_path / "train"
        path.write_text(PROGRAM.format(python=sys.executable, factor=factor))
        path.chmod(0o755)
        return str(path)

    return make


@pytest.mark.parametrize("loss", ["logistic", "epsilon-insensitive"])
def test_the_same_problem_agrees(compare, program, loss):
    found = compare.compare(program(1), TOP / "datasets" / "iris.libsvm", loss, 0.5)
    assert found.agrees
    assert found.difference < 1e-6
    assert (found.loss, found.number, found.finished) == (loss, compare.TYPES[loss], True)


def test_another_problem_does_not(compare, program):
    found = compare.compare(program(2), TOP / "datasets" / "iris.libsvm", "logistic", 0.5)
    assert not found.agrees
    assert found.excess > 1e-3
