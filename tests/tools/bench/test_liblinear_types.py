"""The comparison of LIBLINEAR's types on a small set."""

import runpy
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "tools" / "bench" / "liblinear_types.py"
IRIS = Path(__file__).resolve().parents[3] / "datasets" / "iris.libsvm"


@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_line_for_each_type(monkeypatch, capsys, tool, tmp_path, threads):
    pytest.importorskip("liblinear")
    kept = tmp_path / "times.csv"
    words = [
        str(SCRIPT),
        str(IRIS),
        "--types",
        "1",
        "4",
        "12",
        "21",
        "--runs",
        "1",
        "--threads",
        threads,
    ]
    words += ["--csv", str(kept)]
    read_times = tool("times").read_times
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(SCRIPT), run_name="__main__")
    assert ended.value.code == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.startswith("data")
    assert [line.split()[:2] for line in lines] == [["iris.libsvm", n] for n in ("1", "4", "21")]
    assert all("x" in line.split()[4] for line in lines)
    times = read_times(kept)
    coarse = {(t.problem, t.solver) for t in times if t.level is None}
    who = ("rrmlinear", "LIBLINEAR")
    assert coarse == {(f"-s {n}", name) for n in (1, 4, 21) for name in who}
    assert all(time.seconds >= 0 for time in times)
