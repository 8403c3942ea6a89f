"""The benches on small data: each ends with a table that has the rows asked for."""

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rrmlinear import MultilabelProblem, write_multilabel

TOP = Path(__file__).resolve().parents[3]
BENCH = TOP / "tools" / "bench"
IRIS, DIGITS = (str(TOP / "datasets" / f"{name}.libsvm") for name in ("iris", "digits"))
SIMPLICES = "projection: simplex 100,projection: l1_ball 100"
#: A program of a bench, its words, and how rows that it prints begin.
RUNS = [
    ("kernels/blocks.py", [DIGITS, IRIS, "--runs", "1"], ["digits.libsvm", "iris.libsvm"]),
    (
        "kernels/products.py",
        [DIGITS, "--form", "sparse,dense64,dense32", "--runs", "2"],
        ["digits.libsvm | sparse", "digits.libsvm | dense64", "digits.libsvm | dense32"],
    ),
    (
        "kernels/projections.py",
        ["--size", "2000", "--sizes", "1e2,2e3", "--runs", "1"],
        ["100", "2000", "capped_simplex", "l1_ball", "elastic_ball"],
    ),
    (
        "builds/builds.py",
        [sys.executable, sys.executable, "--tasks", SIMPLICES, "--pairs", "1"],
        [f"projection: {name} {n}" for name in ("simplex", "l1_ball") for n in (100, 1_000_000)],
    ),
    (
        "structured/crf.py",
        ["--data", "generated", "--sequences", "5", "--threads", "1", "--alone"],
        ["generated | rrmlinear x1"],
    ),
    ("small/small_fits.py", ["--help"], ["usage: "]),
    ("small/small_types.py", ["--help"], ["usage: "]),
    ("labels/beside_libmultilabel.py", ["--help"], ["usage: "]),
]


def run(monkeypatch, capsys, script, words):
    """The lines that a program prints."""
    monkeypatch.setattr(sys, "argv", [str(BENCH / script), *words])
    monkeypatch.syspath_prepend((BENCH / script).parent)
    code = None
    try:
        runpy.run_path(str(BENCH / script), run_name="__main__")
    except SystemExit as ended:
        code = ended.code
    assert not code
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(("script", "words", "rows"), RUNS, ids=[run[0] for run in RUNS])
def test_a_row_for_each_that_was_asked_for(monkeypatch, capsys, script, words, rows):
    lines = [line.strip("| ") for line in run(monkeypatch, capsys, script, words)]
    for begin in rows:
        assert any(line.startswith(begin) for line in lines), begin


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="memory is told on Linux")
def test_programs_for_many_labels_have_one_optimum(monkeypatch, capsys, tmp_path):
    pytest.importorskip("sklearn")
    random = np.random.default_rng(0)
    X = random.random((60, 8)) * (random.random((60, 8)) < 0.6)
    Y = (X[:, :7] > 0.5).astype(int)
    for name, rows in (("small", slice(40)), ("small.t", slice(40, 60))):
        write_multilabel(tmp_path / name, MultilabelProblem.from_arrays(X[rows], Y[rows]))
    monkeypatch.setenv("RRMLINEAR_DATA", str(tmp_path))
    programs = ["scikit-learn", "rrmlinear-each", "rrmlinear"]
    words = ["small", "--programs", *programs, "--rounds", "1", "--gap", "1e-4"]
    words += ["--csv", str(tmp_path / "times.csv")]
    printed = run(monkeypatch, capsys, "labels/beside_libmultilabel.py", words)
    head, _, *lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in printed]
    assert [line[1] for line in lines] == programs
    objectives = [float(line[head.index("sum of objectives")]) for line in lines]
    assert objectives == pytest.approx([objectives[0]] * 3, rel=1e-3)


@pytest.mark.parametrize("threads", ["1", "2"])
def test_types_stand_beside_liblinear(monkeypatch, capsys, tool, tmp_path, threads):
    pytest.importorskip("liblinear")
    kept = tmp_path / "times.csv"
    words = [IRIS, "--types", "1", "4", "12", "21", "--runs", "1", "--threads", threads]
    head, *lines = run(monkeypatch, capsys, "liblinear_types.py", [*words, "--csv", str(kept)])
    assert head.startswith("data")
    assert [line.split()[:2] for line in lines] == [["iris.libsvm", n] for n in ("1", "4", "21")]
    times = tool("times").read_times(kept)
    coarse = {(t.problem, t.solver) for t in times if t.level is None}
    assert coarse == {(f"-s {n}", who) for n in (1, 4, 21) for who in ("rrmlinear", "LIBLINEAR")}


def test_benchopt_finds_one_optimum_of_the_multiclass_machine(tmp_path):
    pytest.importorskip("benchopt", reason="needs benchopt")
    pandas = pytest.importorskip("pandas", reason="benchopt brings pandas")
    folder = tmp_path / "multiclass_svm"
    own = BENCH / "benchopt" / "multiclass_svm"
    shutil.copytree(own, folder, ignore=shutil.ignore_patterns("__*"))
    names = ("weston-watkins", "crammer-singer")
    losses = [f"Multiclass SVM[C=0.01,loss={name}]" for name in names]
    command = [sys.executable, "-m", "benchopt", "run", str(folder), "-n", "40", "-r", "1"]
    command += ["--no-plot", "--no-display", "-d", "blobs[n=90,d=6,k=3]"]
    command += ["-s", "rrmlinear", "-s", "sklearn", "-o", losses[0], "-o", losses[1]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = (folder / "outputs").glob("*.parquet")
    groups = pandas.read_parquet(found).groupby(["objective_name", "solver_name"])
    least = groups["objective_value"].min()
    for loss in losses:
        assert least[loss].max() <= least[loss].min() * (1 + 1e-6)
