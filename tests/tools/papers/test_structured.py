"""Solvers of structured risks side by side: levels, curves, test scores and a picture."""

import lzma
import re

import numpy as np
import pytest


@pytest.fixture
def script(tool):
    return tool("structured")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Ten words of three letters in the files of ocr-letters, and two sets for F1."""
    chance = np.random.default_rng(0)
    letters = chance.integers(0, 3, 40)
    words = np.repeat(np.arange(10), 4)
    X = np.eye(3)[letters] + 0.3 * chance.normal(size=(40, 3))
    write(tmp_path / "ocr-letters.xz", letters, X)
    with lzma.open(tmp_path / "ocr-letters.seq.xz", "wt") as file:
        file.write("\n".join(map(str, words)))
    y = np.where(X[:, 0] > 0.8, 1, -1)
    write(tmp_path / "ijcnn1.xz", y, X)
    write(tmp_path / "ijcnn1.t.xz", y, X)
    monkeypatch.setenv("RRMLINEAR_DATA", str(tmp_path))
    return tmp_path


def write(path, labels, X):
    lines = (
        f"{label} " + " ".join(f"{j + 1}:{value:g}" for j, value in enumerate(row))
        for label, row in zip(labels, X, strict=True)
    )
    with lzma.open(path, "wt") as file:
        file.write("\n".join(lines) + "\n")


@pytest.mark.usefixtures("folder")
def test_every_solver_comes_down_to_the_optimum(script):
    for name in ("m3n-small", "crf", "f1-small"):
        task = script.TASKS[name]
        study = script.study_of(task)
        for who, build in task.solvers.items():
            curve = script.run(build, study, 60.0)
            table = curve.table
            assert table[-1, 4] <= 1e-4 * table[-1, 2], who
            assert (np.diff(table[:, 1]) >= 0).all()
            passes = [found[0] for found in curve.found]
            assert passes == sorted(passes)
            assert 0 <= table[-1, 5] <= 100
            best = script.GAPS.index(1e-4)
            assert curve.found[best][0] == table[-1, 0]


def test_table_findings_and_picture(script, folder, capsys):
    pytest.importorskip("matplotlib")
    picture = folder / "out.png"
    words = ["crf", "f1-small", "--limit", "0.1", "--png", str(picture)]
    assert script.main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("crf, C = 0.01; passes by the papers' bounds: BMRM ")
    assert [line.split("|")[1].strip() for line in lines[5:7]] == ["L-BFGS", "AGM-EF-∞"]
    (quick,) = (line for line in lines if line.startswith("found: f1-small to 0.001: "))
    assert re.search(r"0\.001: BMRM \(\w+\) \d+ passes, [\d.e-]+ s", quick)
    assert any(line.startswith("found: crf: test scores at the end from ") for line in lines)
    assert picture.read_bytes().startswith(b"\x89PNG")
