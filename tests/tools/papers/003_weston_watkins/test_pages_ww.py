"""The paper's figures and tables on a small set: rows, findings and pictures."""

from pathlib import Path

import pytest

import rrmlinear

IRIS = Path(__file__).resolve().parents[4] / "datasets" / "iris.libsvm"


@pytest.fixture
def sets(tool, monkeypatch):
    """iris in place of satimage and, held out by a fifth, of aloi."""
    module = tool("sets_ww")
    whole = rrmlinear.read_libsvm(IRIS)
    for name in set(module.SETS) - {"satimage", "aloi"}:
        monkeypatch.delitem(module.SETS, name)
    monkeypatch.setitem(module.SETS, "satimage", lambda: module.Split(whole, whole, True))
    monkeypatch.setitem(module.SETS, "aloi", module.held_out(lambda: whole))


def test_seconds_of_walrus_and_shark(tool, sets, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    figures = tool("figures_ww")
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


def test_accuracies_stand_beside_the_printed_ones(tool, sets, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    tables = tool("accuracies_ww")
    picture = tmp_path / "a.png"
    assert tables.main(["--powers=-6,3", "--png", str(picture)]) == 0
    text = capsys.readouterr().out
    assert "| satimage, paper | 81.95 | 84.00 |" in text
    assert "| satimage, paper | 82.35 | 84.10 |" in text
    assert text.count("| aloi, here | ") == 3
    assert "found: satimage: accuracies are " in text
    assert "found: aloi: not the paper's split, not compared; best C" in text
    assert picture.read_bytes().startswith(b"\x89PNG")
