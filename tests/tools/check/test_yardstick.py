"""The yardstick: a small part of it by passes and objective, and what `compare` tells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

#: Made by ``python tools/check/yardstick.py run FILE 'dense:(2000x20|390x200|1950x200)'``.
RECORDED = Path(__file__).with_name("yardstick.jsonl")
# Passes that other processors may add: sums are rounded in another order there.
MORE_PASSES, FEW_PASSES = 1.3, 3


@pytest.fixture
def yardstick(tool):
    return tool("yardstick")


@pytest.fixture
def rows(tmp_path):
    """A function of tasks and their values that writes a file of runs."""

    def write(name, **tasks):
        base = {"solved": True, "seconds": 1.0, "passes": 1, "status": "SOLVED", "objective": 1.0}
        lines = [json.dumps({"task": task} | base | values) for task, values in tasks.items()]
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


def test_passes_and_objectives_are_those_recorded(yardstick, tmp_path):
    recorded = yardstick.read(RECORDED)
    out = tmp_path / "now.jsonl"
    runner = yardstick.Runner(tmp_path, tmp_path, limit=20.0)
    yardstick.run(list(recorded), out, runner, timed=False)
    now = yardstick.read(out)
    assert list(now) == list(recorded)
    for name, row in now.items():
        assert row["solved"], (name, row["status"])
        assert not yardstick.is_worse(recorded[name]["objective"], row["objective"]), name
        assert row["passes"] <= MORE_PASSES * recorded[name]["passes"] + FEW_PASSES, name


def test_what_was_lost_is_told(yardstick, rows, capsys):
    one, two, three, *_ = yardstick.TASKS
    old = rows("old", **{one: {}, two: {}, three: {}})
    new = rows(
        "new",
        **{
            one: {"solved": False, "status": "STALLED"},
            two: {"objective": 1.01},
            three: {"seconds": 1.6},
        },
    )
    assert yardstick.main(["compare", str(old), str(new)]) == 1
    told = capsys.readouterr().out
    assert f"NOT SOLVED  {one}: STALLED" in told
    assert f"WORSE OBJECTIVE  {two}: 1 to 1.01" in told
    assert f"slower 1.60  {three}: 1000.00 to 1600.00 ms, passes 1 to 1" in told
    assert "new/old 1.265 in the geometric mean" in told


def test_a_fit_that_fails_is_a_row_that_is_not_solved(yardstick, tmp_path):
    name = next(name for name, task in yardstick.TASKS.items() if task.data == "a9a")
    out = tmp_path / "out.jsonl"
    yardstick.run([name], out, yardstick.Runner(tmp_path / "nowhere", tmp_path, limit=1.0))
    row = yardstick.read(out)[name]
    assert not row["solved"]
    assert row["status"].startswith("FileNotFoundError")
