"""The table of runs that converge: which count as solved, and the exit code."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

IRIS = Path(__file__).resolve().parents[3] / "datasets" / "iris.libsvm"


@pytest.fixture
def table(tool, tmp_path, capsys):
    """A function of options: exit code, output and rows of a run on the iris data."""

    def run(*options):
        rows = tmp_path / "runs.csv"
        code = tool("converges").main([str(IRIS), "--csv", str(rows), *options])
        with rows.open() as file:
            return code, capsys.readouterr().out, list(csv.DictReader(file))

    return run


def test_each_run_is_judged_by_its_gap(table):
    options = ["--solver", "32", "--losses", "weston-watkins", "--costs", "1e-2", "1"]
    code, output, rows = table(*options, "--scalings", "raw", "--gap", "1e-3")
    assert code == 0
    assert "2 of 2 runs solved" in output
    assert [(row["loss"], row["C"], row["solved"]) for row in rows] == [
        ("weston-watkins", "0.01", "True"),
        ("weston-watkins", "1.0", "True"),
    ]
    assert all(0 <= float(row["relative_gap"]) <= 1e-3 for row in rows)


def test_a_run_out_of_time_fails_the_table(table):
    options = ["--solver", "39", "--losses", "crammer-singer", "--costs", "1e6", "--limit", "0.01"]
    code, output, rows = table(*options, "--scalings", "raw", "--gap", "1e-12")
    assert code == 1
    assert rows[0]["solved"] == "False"
    assert "0 of 1 runs solved" in output


def test_unknown_losses_are_named(tool, capsys):
    with pytest.raises(SystemExit) as ended:
        tool("converges").main([str(IRIS), "--losses", "hing"])
    assert ended.value.code == 2
    assert "unknown loss 'hing'; there are" in capsys.readouterr().err
