"""The comparison with python-crfsuite on a small set."""

import runpy
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "tools" / "bench" / "structured" / "crf.py"


@pytest.mark.parametrize("alone", [True, False])
def test_a_line_for_each_way(monkeypatch, capsys, alone):
    if not alone:
        pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed")
    words = [str(SCRIPT), "--data", "generated", "--sequences", "5", "--threads", "1"]
    monkeypatch.setattr(sys, "argv", words + ["--alone"] * alone)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(SCRIPT), run_name="__main__")
    assert ended.value.code == 0
    printed = capsys.readouterr().out.splitlines()
    head, _, *lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in printed]
    assert head[:3] == ["data", "program", "objective"]
    assert lines[-1][:2] == ["generated", "rrmlinear x1"]
    if not alone:
        assert lines[0][:2] == ["generated", "python-crfsuite"]
        assert float(lines[-1][2]) == pytest.approx(float(lines[0][2]), rel=1e-3)
