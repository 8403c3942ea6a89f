"""The budget against flipped labels: its trials, its gap, and a table."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array


@pytest.fixture
def bench(tool, monkeypatch):
    module = tool("noise_budget")
    rng = np.random.default_rng(0)
    X = csr_array(rng.standard_normal((600, 5)) * (rng.random((600, 5)) < 0.7))
    y = np.where(X @ [1.0, -1.0, 0.5, 0.0, 0.0] > 0, 2.0, 1.0)
    sets = {"train": (X[:500], y[:500]), "test": (X[500:, :4], y[500:])}
    monkeypatch.setattr(module, "real_set", lambda name: sets[name])
    monkeypatch.setattr(module, "HELD_OUT", 50)
    printed = (0.9, 0.7, 3.5, 0.8, 2)
    studies = {
        "two": module.Study("train", "test", 20, 1.0, printed),
        "one": module.Study("train", None, 20, 0.1, printed),
    }
    monkeypatch.setattr(module, "STUDIES", studies)
    return module


def test_the_table(bench, capsys):
    pytest.importorskip("liblinear", reason="liblinear-official is a peer of the tools")
    assert bench.main(["--trials", "2"]) == 0
    head, _, *lines = capsys.readouterr().out.splitlines()
    rows, found = lines[:4], lines[4:]
    names = [row.split(" | ")[0] for row in rows]
    assert names == ["| two, paper", "| two", "| one, paper", "| one"]
    assert rows[0].startswith("| two, paper | 20 | 0.9 | 0.7 | 3.5 | 0.8 | 2 | ")
    assert [line.partition(" accuracy ")[0] for line in found] == ["found: two:", "found: one:"]
    assert all(row.count("|") == head.count("|") for row in rows)
    assert bench.main(["three"]) == 1
    assert "'three' is not one of two, one" in capsys.readouterr().err


def test_convergence_by_budget(bench, tool, monkeypatch, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    figure = tool("figure_budget")
    monkeypatch.setattr(figure, "STUDIES", bench.STUDIES)
    monkeypatch.setattr(figure, "BUDGETS", (5, 20))
    picture = tmp_path / "a.png"
    assert figure.main(["two", "--passes", "200", "--png", str(picture)]) == 0
    lines = capsys.readouterr().out.splitlines()
    first, second = (int(cell) for cell in lines[2].split("|")[2:4])
    assert 0 < first <= second < 200
    assert lines[3] == f"found: passes to 0.001 with m = 5, 20: two {first}, {second}"
    assert lines[4] == "found: fewer passes, or as few, to 0.001 with a smaller m on two"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert figure.main(["three"]) == 1
    assert "'three' is not one of two, one" in capsys.readouterr().err
