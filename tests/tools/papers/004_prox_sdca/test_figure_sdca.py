"""The figure counts passes until a level, and writes table, CSV and picture."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from numpy.testing import assert_allclose


@pytest.fixture
def figure(tool):
    return tool("figure_sdca")


def test_curves_of_all_methods_come_down_to_one_optimum(figure, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    out, picture = tmp_path / "out.csv", tmp_path / "out.png"
    words = ["astro", "--rows", "200", "--lam", "1e-3,1e-4", "--passes", "60"]
    assert figure.main([*words, "--csv", str(out), "--png", str(picture)]) == 0

    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for lam in ("0.001", "0.0001"):
        for method in figure.METHODS:
            curve = np.array(
                [
                    (float(row["passes"]), float(row["above"]))
                    for row in rows
                    if (row["lambda"], row["method"]) == (lam, method)
                ]
            )
            assert curve[0, 0] == 0
            assert (np.diff(curve[:, 0]) >= 0).all()
            assert curve[-1, 0] < 62
            assert (curve[:, 1] >= 0).all()
            assert_allclose(curve[-1, 1], 0, atol=1e-3)
    assert picture.read_bytes().startswith(b"\x89PNG")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:4]] == ["astro", "astro"]
    assert lines[4].startswith("found: the accelerated ascent is at 0.001 above the optimum before")
