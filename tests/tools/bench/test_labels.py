"""The comparison on many labels, on a small set."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from rrmlinear import MultilabelProblem, write_multilabel

SCRIPT = Path(__file__).resolve().parents[3] / "tools" / "bench" / "labels"
SCRIPT = SCRIPT / "beside_libmultilabel.py"


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="memory is told on Linux")
def test_a_line_for_each_program(monkeypatch, capsys, tmp_path):
    pytest.importorskip("sklearn")
    random = np.random.default_rng(0)
    X = random.random((60, 8)) * (random.random((60, 8)) < 0.6)
    Y = (X[:, :7] > 0.5).astype(int)
    for name, rows in (("small", slice(40)), ("small.t", slice(40, 60))):
        write_multilabel(tmp_path / name, MultilabelProblem.from_arrays(X[rows], Y[rows]))
    monkeypatch.setenv("RRMLINEAR_DATA", str(tmp_path))
    monkeypatch.syspath_prepend(SCRIPT.parent)
    programs = ["scikit-learn", "rrmlinear-each", "rrmlinear"]
    times = tmp_path / "times.csv"
    words = ["small", "--programs", *programs, "--rounds", "1", "--gap", "1e-4"]
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), *words, "--csv", str(times)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(SCRIPT), run_name="__main__")
    captured = capsys.readouterr()
    assert (ended.value.code, captured.err) == (0, "")
    head, _, *lines = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in captured.out.splitlines()
    ]
    assert head[:3] == ["set", "program", "labels trained"]
    assert [line[1] for line in lines] == programs
    found = {line[1]: dict(zip(head, line, strict=True)) for line in lines}
    objectives = [float(each["sum of objectives"]) for each in found.values()]
    assert objectives == pytest.approx([objectives[0]] * 3, rel=1e-3)
    best = [float(each["P@1, 3, 5"].split()[0]) for each in found.values()]
    assert min(best) > 0.5
    assert len(times.read_text().splitlines()) == 1 + len(programs)
