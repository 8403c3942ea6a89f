"""The benchmark of products counts the bytes, measures the right products and prints its table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def bench(tool):
    return tool("products")


def test_the_table_has_a_row_for_each_form(bench, monkeypatch, capsys):
    monkeypatch.setattr(bench, "STREAM", 1 << 16)
    path = ROOT / "datasets" / "digits.libsvm"
    arguments = ["bench", str(path), "--form", "sparse,dense64,dense32", "--runs", "2", "--two"]
    monkeypatch.setattr("sys.argv", arguments)
    bench.main()
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()]
    table = {cells[1]: cells for cells in rows[2:]}
    assert list(table) == ["sparse", "dense64", "dense32"]
    for form, cells in table.items():
        assert (cells[0], len(cells)) == ("digits.libsvm", len(rows[0]))
        assert (cells[-1] == "–") == (form != "sparse")
        numbers = re.findall(r"[\d.]+", " ".join(cells[2:]))
        assert len(numbers) == (10 if form == "sparse" else 9)
        assert min(float(number) for number in numbers) >= 0
