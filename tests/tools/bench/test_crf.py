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
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split()[:3] == ["data", "who", "objective"]
    ours = float(lines[-1].split()[3])
    assert lines[-1].split()[:3] == ["generated", "rrmlinear", "x1"]
    if not alone:
        name, who, theirs, *_ = lines[0].split()
        assert (name, who) == ("generated", "crfsuite")
        assert ours == pytest.approx(float(theirs), rel=1e-3)
