"""The paper's figures and tables on a small set: rows, findings and pictures."""

from pathlib import Path

import numpy as np
import pytest

import rrmlinear

IRIS = Path(__file__).resolve().parents[4] / "datasets" / "iris.libsvm"


@pytest.fixture
def sets(tool, monkeypatch):
    """iris in place of satimage and, held out by a fifth, of aloi."""
    module = tool("sets_ww")
    whole = rrmlinear.read_libsvm(IRIS)
    known = {
        "satimage": lambda: module.Split(whole, whole, True),
        "aloi": module.held_out(lambda: whole),
    }
    monkeypatch.setattr(module, "SETS", known)
    return module


def test_seconds_of_walrus_and_shark(tool, sets, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    figures = tool("figures_ww")
    monkeypatch.setattr(figures, "SETS", sets.SETS)
    picture = tmp_path / "a.png"
    assert figures.main(["--powers=-2,0", "--png", str(picture)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("|")[2].strip() for line in lines if line.startswith("| satimage |")] == [
        *("walrus", "shark", "knapsack", "3"),
    ]
    assert (
        sum(line.startswith("found: with fewer than 20 classes Walrus takes") for line in lines)
        == 1
    )
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_seconds_to_a_decay(tool, capsys):
    figures = tool("figures_ww")
    points = [figures.Point(t, 1.0, gap) for t, gap in ((1, 8), (2, 9), (3, 0.7), (4, 0.01))]
    assert figures.seconds_to(points, 0.09) == 3
    assert figures.seconds_to(points, 0.009) == 4
    assert np.isnan(figures.seconds_to(points, 0.0009))
    figures.tell({"iris": {"walrus": tuple(points)}}, [])
    assert "| iris | walrus | 3 | 4 | not reached |" in capsys.readouterr().out


def test_accuracies_stand_beside_the_printed_ones(tool, sets, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    tables = tool("accuracies_ww")
    monkeypatch.setattr(tables, "SETS", sets.SETS)
    picture = tmp_path / "a.png"
    assert tables.main(["--powers=-6,3", "--png", str(picture)]) == 0
    text = capsys.readouterr().out
    assert "| satimage, paper | 81.95 | 84.00 |" in text
    assert "| satimage, paper | 82.35 | 84.10 |" in text
    assert text.count("| aloi, here | ") == 3
    assert "found: satimage: accuracies are " in text
    assert "found: aloi: not the paper's split, not compared; best C" in text
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_all_printed_accuracies_are_there(tool):
    tables, sets = tool("accuracies_ww"), tool("sets_ww")
    for decay, rows in tables.PRINTED.items():
        for name in rows:
            assert len(tables.printed(decay, name, sets.POWERS)) == 10


def test_a_block_by_all_solvers(tool, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    pytest.importorskip("cvxpy")
    picture = tmp_path / "a.png"
    block = tool("subproblem_ww")
    assert block.main(["--draws", "1", "--largest", "4", "--png", str(picture)]) == 0
    text = capsys.readouterr().out
    apart = [line for line in text.splitlines() if line.startswith("| largest difference")]
    assert all(float(cell) < 1e-3 for line in apart for cell in line.split("|")[2:-1])
    assert text.count("found: table ") == 2
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_unknown_sets_are_refused(tool, capsys):
    with pytest.raises(SystemExit):
        tool("figures_ww").main(["iris"])
    assert "iris is not one of dna, satimage, " in capsys.readouterr().err
