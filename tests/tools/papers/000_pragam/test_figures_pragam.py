"""The figures of Pragam and its rivals: curves that come down, a table, CSV and a picture."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest


@pytest.fixture
def figures(tool):
    return tool("figures_pragam")


@pytest.fixture
def study(figures):
    """Two noisy classes, with the reference that the tool itself finds."""
    chosen = figures.arguments_of(["astro-ph", "--rows", "300", "--lam", "1e-3"])
    return figures.study_of(chosen, "astro-ph")


def ends_by_its_gap(method):
    """Whether it proves a small gap in less than its time, on however slow a machine."""
    return not method.name.startswith(("Pegasos", "ls-", "FISTA", "L-BFGS", "LIBLINEAR"))


def test_every_method_comes_down_to_one_minimum(figures, study):
    assert abs(study.C - 1 / (1e-3 * 270)) < 1e-12
    for method in figures.METHODS.values():
        limit = 60.0 if ends_by_its_gap(method) else 0.1
        try:
            table = method.run(replace(study, limit=limit, floor=1e-5)).table
        except ImportError:
            continue
        assert table.shape[1] == len(figures.COLUMNS)
        assert (np.diff(table[:, 2]) <= 0).all(), method.name
        assert ((table[:, 3] >= 0) & (table[:, 3] <= 1)).all()
        excess = table[:, 2] / study.least - 1
        assert method.biased or excess.min() >= -1e-9, method.name
        if ends_by_its_gap(method):
            assert table[-1, 4] <= 1.001e-5 * table[-1, 2], method.name
            assert method.biased or excess[-1] <= 1.1e-5, method.name


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


def test_a_file_of_its_own_to_test_on(figures, tmp_path):
    (tmp_path / "set").write_text("+1 1:1 3:1\n-1 1:2\n+1 3:4\n")
    (tmp_path / "set.t").write_text("-1 1:2 9:1\n+1 2:1\n")
    X, y, X_test, y_test = figures.examples(str(tmp_path / "set"), None)
    assert X.shape == (3, 3)
    assert X_test.shape == (2, 3)
    assert y.tolist() == [1, -1, 1]
    assert y_test.tolist() == [-1, 1]
    (tmp_path / "set.t").unlink()
    X, y, X_test, y_test = figures.examples(str(tmp_path / "set"), None)
    assert len(y) + len(y_test) == 3


def test_bad_requests_are_one_sentence(figures, capsys):
    assert figures.main(["nowhere.libsvm"]) == 1
    assert "ERROR: nowhere.libsvm" in capsys.readouterr().err
    assert figures.main(["astro-ph", "--methods", "SMO"]) == 1
    assert "ERROR: SMO is no method; there are Pragam; " in capsys.readouterr().err
    assert figures.main(["x", "--png", "/nowhere/x.png"]) == 1
    assert "cannot be written" in capsys.readouterr().err
