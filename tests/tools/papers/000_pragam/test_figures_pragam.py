"""The figures of Pragam and its rivals: curves that come down, a table, CSV and a picture."""

from __future__ import annotations

import csv

import pytest


@pytest.fixture
def figures(tool):
    return tool("figures_pragam")


def test_table_csv_and_picture(figures, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    out, picture = tmp_path / "out.csv", tmp_path / "out.png"
    words = ["astro-ph", "--rows", "200", "--lam", "1e-2", "--turns", "2", "--limit", "1"]
    words += ["--methods", "Pragam; Pragam-b; BMRM", "--csv", str(out), "--png", str(picture)]
    assert figures.main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("astro-ph: 180 × 99757, λ = 0.01, C = 1/(λn) = 0.555556")
    assert [line.split("|")[2].strip() for line in lines[3:6]] == ["Pragam", "Pragam-b", "BMRM"]
    assert lines[6].startswith("found: objective/optimum − 1 at the end on astro-ph: ")
    assert lines[7].startswith("found: test accuracy at the end on astro-ph: from ")
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {(row["method"], row["turn"]) for row in rows} == {
        (name, turn) for name in ("Pragam", "Pragam-b", "BMRM") for turn in "01"
    }
    assert picture.read_bytes().startswith(b"\x89PNG")
