"""Training over two processes that mpirun starts, where MPI is installed."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

from rrmlinear import Model, Parameter, Problem, fit, write_container, write_libsvm

MPIRUN = shutil.which("mpirun")
pytestmark = pytest.mark.skipif(MPIRUN is None, reason="there is no mpirun: MPI is not installed")

SCRIPT = """
import json, sys
from mpi4py import MPI
from rrmlinear import Parameter
from rrmlinear.mpi import fit
models = [fit(sys.argv[2:], Parameter(**each), bias=1.0) for each in json.loads(sys.argv[1])]
told = [(m.result.primal, m.result.dual, m.result.status.name, m.weights.tolist()) for m in models]
told = MPI.COMM_WORLD.gather(told)
if MPI.COMM_WORLD.rank == 0:
    print("RESULT" + json.dumps(told))
"""


def run(folder, environment, *arguments, processes=2):
    more = ["--allow-run-as-root", "--oversubscribe"] if "Open MPI" in version() else []
    command = [MPIRUN, *more, "-n", str(processes), sys.executable, *map(str, arguments)]
    given = {"cwd": folder, "env": environment, "timeout": 60}
    return subprocess.run(command, capture_output=True, text=True, check=False, **given)


def version():
    return subprocess.run([MPIRUN, "--version"], capture_output=True, text=True, check=True).stdout


@pytest.fixture
def files(tmp_path):
    """Two files of 300 examples and three classes, and their problem."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 8))
    y = (X @ rng.standard_normal((8, 3)) + rng.standard_normal((300, 3))).argmax(axis=1)
    write_container(tmp_path / "a.rrm", Problem.from_arrays(X[:170], y[:170]))
    write_libsvm(tmp_path / "b.txt", Problem.from_arrays(X[170:], y[170:]))
    return tmp_path, X, y


def test_two_processes_have_the_optimum_of_one(files, environment):
    folder, X, y = files
    kinds = [
        {"loss": "weston-watkins", "C": 0.1},
        {"loss": "softmax", "C": 1.0},
        {"loss": "squared", "C": 0.1},
    ]
    (folder / "script.py").write_text(SCRIPT)
    given = json.dumps([{"solver": 32, "gap_tol": 1e-6, **kind} for kind in kinds])
    done = run(folder, environment, "script.py", given, "a.rrm", "b.txt")
    assert done.returncode == 0, done.stderr
    first, second = json.loads(done.stdout.split("RESULT")[1])
    assert first == second  # both processes have the model
    whole = Problem.from_arrays(X, y, bias=1.0)
    for kind, (primal, dual, status, weights) in zip(kinds, first, strict=True):
        alone = fit(whole, Parameter(solver=32, gap_tol=1e-10, **kind))
        assert status == "SOLVED"
        assert primal == pytest.approx(alone.result.primal, rel=1e-5)
        assert dual <= alone.result.primal * (1 + 1e-12)
        atol = 5e-3 * np.abs(alone.weights).max()
        np.testing.assert_allclose(weights, alone.weights, atol=atol)


def test_the_command(files, environment):
    folder, X, y = files
    options = ["-m", "rrmlinear.train", "--mpi", "-s", 32, "--loss", "softmax", "-B", 1]
    done = run(folder, environment, *options, "a.rrm", "over.model")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("solved after") == 1
    model = Model.load(folder / "over.model")
    some = Problem.from_arrays(X[:170], y[:170], bias=1.0)
    assert (model.predict(some) == y[:170]).mean() > 0.6


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--loss", "softmax", "-s", "32", "--strict", "more.txt"], "line 2"),
        (["--loss", "softmax", "-s", "32", "damaged.rrm"], "damaged.rrm is damaged in block 1"),
    ],
)
def test_errors_are_sentences(files, environment, options, words):
    folder = files[0]
    (folder / "more.txt").write_text("1 1:1\n2 1:2 more\n")
    data = bytearray((folder / "a.rrm").read_bytes())
    data[Problem.open(folder / "a.rrm").container.header.section("values").end - 3] ^= 4
    (folder / "damaged.rrm").write_bytes(data)
    done = run(folder, environment, "-m", "rrmlinear.train", "--mpi", *options, "some.model")
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr
