"""Our benchmark and solvers for benchopt, run by benchopt itself on tiny data."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("benchopt", reason="needs benchopt")
TOP = Path(__file__).resolve().parents[3]
OURS = TOP / "tools" / "bench" / "benchopt"


def run(folder, *options):
    """The results as a table of pandas."""
    pandas = pytest.importorskip("pandas", reason="benchopt brings pandas")
    command = [sys.executable, "-m", "benchopt", "run", str(folder), "-n", "40", "-r", "1"]
    done = subprocess.run(
        [*command, "--no-plot", "--no-display", *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = (folder / "outputs").glob("*.parquet")
    return pandas.read_parquet(found)


def test_the_multiclass_machine(tmp_path):
    folder = tmp_path / "multiclass_svm"
    shutil.copytree(OURS / "multiclass_svm", folder, ignore=shutil.ignore_patterns("__*"))
    loss = "Multiclass SVM[C=0.01,loss={}]"
    table = run(
        folder,
        *("-d", "blobs[n=90,d=6,k=3]", "-s", "rrmlinear", "-s", "sklearn"),
        *("-o", loss.format("weston-watkins"), "-o", loss.format("crammer-singer")),
    )
    assert set(table["solver_name"]) == {
        *(f"rrmlinear[solver={name}]" for name in ("auto", "walrus", "shark")),
        "sklearn",
    }
    least = table.groupby(["objective_name", "solver_name"])["objective_value"].min()
    for name in ("weston-watkins", "crammer-singer"):
        values = least[loss.format(name)]
        assert len(values) > 1
        # the walrus and shark of one problem, and scikit-learn's machine of the other, agree
        assert values.max() <= values.min() * (1 + 1e-6)
