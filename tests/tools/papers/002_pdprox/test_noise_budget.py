"""The budget against flipped labels: its trials, its gap, and a table."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array


@pytest.fixture
def bench(tool, monkeypatch):
    module = tool("noise_budget")
    rng = np.random.default_rng(0)
    n = 500 + module.HELD_OUT
    X = csr_array(rng.standard_normal((n, 5)) * (rng.random((n, 5)) < 0.7))
    y = np.where(X @ [1.0, -1.0, 0.5, 0.0, 0.0] > 0, 2.0, 1.0)
    sets = {"train": (X[:500], y[:500]), "test": (X[500:, :4], y[500:]), "whole": (X, y)}
    monkeypatch.setattr(module, "real_set", lambda name: sets[name])
    printed = (0.9, 0.7, 3.5, 0.8, 2)
    for name in list(module.STUDIES):
        monkeypatch.delitem(module.STUDIES, name)
    monkeypatch.setitem(module.STUDIES, "two", module.Study("train", "test", 20, 1.0, printed))
    monkeypatch.setitem(module.STUDIES, "one", module.Study("whole", None, 20, 0.1, printed))
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


def test_convergence_by_budget(bench, tool, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    figure = tool("figure_budget")
    picture = tmp_path / "a.png"
    assert figure.main(["two", "--passes", "200", "--png", str(picture)]) == 0
    lines = capsys.readouterr().out.splitlines()
    passes = [int(cell) for cell in lines[2].split("|")[2:5]]
    assert 0 < passes[0] <= passes[1] <= passes[2] < 200
    said = "found: passes to 0.001 with m = 100, 200, 400: two "
    assert lines[3] == said + ", ".join(map(str, passes))
    assert lines[4] == "found: fewer passes, or as few, to 0.001 with a smaller m on two"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert figure.main(["three"]) == 1
    assert "'three' is not one of two, one" in capsys.readouterr().err
