"""The benchmark reads the output of peers, takes turns, and writes table, CSV and picture."""

from __future__ import annotations

import csv
import gzip
import sys
from pathlib import Path

import pytest
from numpy.testing import assert_allclose

ROOT = Path(__file__).resolve().parents[4]
IRIS = ROOT / "datasets" / "iris.libsvm"
# Gaps 8, 2, 0.004; the last line is not needed for delta = 0.001.
PASSES = """0.5,1,0,9,9
1.5,6,1,7,7
2.25,6.5,1.5,5.004,5.004
3.75,6.5,1.5,5.001,5.001
"""
PEER = """
import sys
cost, data, model = sys.argv[1:]
assert float(cost) > 0 and open(data).read()[0] in "012"
open(model, "w").write("weights")
print({output!r}, end="")
"""


@pytest.fixture
def peer(tmp_path):
    """A command for --peer that prints the given text."""

    def make(name, output):
        script = tmp_path / f"{name}.py"
        script.write_text(PEER.format(output=output))
        return f"{name}={sys.executable} {script} {{c}} {{data}} {{model}}"

    return make


def test_head_to_head_with_a_peer_that_tells_its_gaps(tool, peer, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    packed = tmp_path / "iris.gz"
    packed.write_bytes(gzip.compress(IRIS.read_bytes()))
    out, picture = tmp_path / "out.csv", tmp_path / "out.png"
    words = [str(packed), "--peer", peer("fork", PASSES), "--peer", peer("mute", "done\n")]
    words += ["--blocks", "knapsack", "--threads", "1", "--runs", "2", "--delta", "0.001"]
    assert tool("bench_ww").main([*words, "--csv", str(out), "--png", str(picture)]) == 0

    with out.open(newline="") as file:
        rows = {row["solver"]: row for row in csv.DictReader(file)}
    fork, mute, ours = rows["fork"], rows["mute"], rows["rrmlinear knapsack"]
    assert (fork["data"], fork["passes"], fork["reached"]) == ("iris", "3", "True")
    assert_allclose(float(fork["first_gap"]), 8)
    assert float(fork["solver_cpu_median"]) == 0.00225
    assert float(fork["ratio"]) == 1
    assert (mute["passes"], mute["solver_cpu_median"], mute["ratio_of"]) == ("", "", "process")
    assert float(mute["process_cpu_least"]) <= float(mute["process_cpu_most"])
    assert ours["ratio_of"] == "solver"
    assert float(ours["final_gap"]) <= 0.001 * float(ours["first_gap"])
    # Ours stops above the peer's final gap of 0.004 and goes there in a run of its own.
    assert float(ours["seconds_to_peer_gap"]) > 0
    assert_allclose(float(ours["ratio_at_peer_gap"]) * float(ours["seconds_to_peer_gap"]), 0.00225)
    assert picture.read_bytes().startswith(b"\x89PNG")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["data", "C", "solver"]
    assert [line.split()[0] for line in lines[1:4]] == ["iris"] * 3
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []
