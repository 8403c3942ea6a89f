"""The benchmark of Weston–Watkins visits prints a row for each set."""

from __future__ import annotations

import re
from pathlib import Path

TOP = Path(__file__).resolve().parents[4]


def test_the_table_has_a_row_for_each_set(tool, monkeypatch, capsys):
    sets = [str(TOP / "datasets" / name) for name in ("digits.libsvm", "iris.libsvm")]
    monkeypatch.setattr("sys.argv", ["blocks", *sets, "--runs", "1"])
    tool("blocks").main()
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()]
    assert rows[0][:2] == ["data", "n × d, k"]
    assert [cells[0] for cells in rows[2:]] == ["digits.libsvm", "iris.libsvm"]
    assert rows[3][1] == "75 × 4, 3"
    for cells in rows[2:]:
        assert len(cells) == len(rows[0]) == 7
        for cell in cells[4:]:
            nanoseconds, share = re.fullmatch(r"(\d+) ns, (\d+)%", cell).groups()
            assert int(nanoseconds) > 0
            assert int(share) > 0
