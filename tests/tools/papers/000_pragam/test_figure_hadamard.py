"""The figure of the lower bound: its numbers meet the bound, and it is a picture."""

from __future__ import annotations

import csv

import numpy as np
import pytest


@pytest.fixture
def figure(tool):
    return tool("figure_hadamard")


def test_table_curves_and_picture(figure, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    out, picture = tmp_path / "out.csv", tmp_path / "out.png"
    words = ["-d", "32", "--lam", "0.1", "--csv", str(out), "--png", str(picture)]
    assert figure.main(words) == 0
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for method in ("qp", "ls", "ocas"):
        found = [float(row["gap"]) for row in rows if row["method"] == method]
        np.testing.assert_allclose(found, 1 / (2 * 0.1 * np.arange(1, 16)), rtol=1e-12)
    printed = [float(row["gap"]) for row in rows if row["method"] == "printed"]
    assert printed[0] == pytest.approx(5)
    np.testing.assert_allclose(printed[1:], 0, atol=1e-12)
    assert picture.read_bytes().startswith(b"\x89PNG")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| t | qp | ls | ocas | printed |"
    assert [line.split(" | ")[1] for line in lines[2:6]] == ["0.500000000000"] * 4
    told = "λ t times the gap is between 0.500000 and 0.500000 for t = 1 to 15; the bound is 0.5"
    assert lines[6] == f"found: qp: {told}"
