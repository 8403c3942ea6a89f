"""What is said where there is no mpi4py, or no MPI for it."""

import ctypes.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

DATA = Path(__file__).parents[2] / "datasets" / "iris.libsvm"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("ModuleNotFoundError", "rrmlinear.mpi needs mpi4py: pip install 'rrmlinear[mpi]'"),
        ("ImportError", "finds no library of an MPI that it takes, such as that of Debian's"),
        ("RuntimeError", "openmpi-bin: no libmpi.so.12"),
    ],
)
def test_one_sentence_says_what_is_missing(tmp_path, error, said):
    package = tmp_path / "mpi4py"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "MPI.py").write_text(f"raise {error}('no libmpi.so.12')")
    command = [sys.executable, "-m", "rrmlinear.train", "--mpi", "-s", "32", str(DATA), "model"]
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    (line,) = done.stderr.splitlines()
    assert done.returncode != 0
    assert line.startswith("ERROR: ")
    assert said in line
    here = error != "ModuleNotFoundError" and ctypes.util.find_library("mpich") == "libmpich.so.12"
    assert ("MPICH is here under another name: ln -s /" in line) == here
    assert not (tmp_path / "model").exists()
