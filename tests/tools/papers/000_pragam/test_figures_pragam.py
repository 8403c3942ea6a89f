"""The figures of Pragam and its rivals: curves that come down, a table, CSV and a picture."""

from __future__ import annotations

import csv
import math
import re
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


def test_levels_are_medians_over_turns(figures, study):
    runs = []
    for seconds in (1.0, 3.0, 2.0):
        curve = figures.Curve(study)
        least = study.least
        curve.rows = [
            (1, 0.1, 2 * least, 0.5, math.inf),
            (5, seconds, least * (1 + 5e-4), 0.9, 0.5 * least),
            (9, 2 * seconds, least * (1 + 1e-7), 0.9, 2e-4 * least),
        ]
        runs.append(curve)
    panel = figures.Panel("x", study, {"AGM-EF-∞": runs})
    assert panel.first("AGM-EF-∞", 0, 1e-3) == 5
    assert panel.first("AGM-EF-∞", 1, 1e-3) == 2
    assert panel.first("AGM-EF-∞", 1, 1e-6) == 4
    assert panel.first("AGM-EF-∞", 1, 1e-3, proved=True) == 4
    assert panel.first("AGM-EF-∞", 1, 1e-6, proved=True) == math.inf
    (line,) = figures.lines_of(panel)
    assert line == "| x | AGM-EF-∞ | 5 | 2 | 9 | 4 | 4 | – | 1.0e-07 |"


def test_findings_tell_which_rivals_are_behind(figures, study):
    rows = {
        "Pragam": [(1, 1, 9.0, 0.5, 9), (50, 1, 5.0, 0.5, 9)],
        "ls-BMRM": [(20, 1, 8.0, 0.5, 9), (90, 1, 1.0, 0.75, 9)],
        "Pegasos-n": [(3, 1, 2.0, 0.5, 9)],
    }
    curves = {name: [figures.Curve(study, rows=table)] for name, table in rows.items()}
    first, second, third, last = figures.findings([figures.Panel("x", study, curves)])
    assert first == "after equally many iterations Pragam is below ls-BMRM on x"
    assert second == "after equally many iterations Pragam is not below Pegasos-n"
    assert re.fullmatch(r"objective/optimum − 1 at the end on x: (\S+ [\d.e+-]+(, )?){3}", third)
    assert last.endswith("on x: from 50.00 % (Pragam) to 75.00 % (ls-BMRM)")


def test_a_bound_of_a_run_raises_the_optimum(figures, study):
    curve = figures.Curve(study, bound=study.least * 1.01)
    assert figures.Panel("x", study, {"BMRM": [curve]}).optimum == study.least * 1.01


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


def test_another_program_trains_by_its_command(tool, study, tmp_path):
    program = tmp_path / "train"
    model = "solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\nlabel -1 1\nnr_feature 2\nbias -1\nw\n"
    (tmp_path / "model").write_text(model + "0.5 \n-2 \n")
    program.write_text(f'#!/bin/sh\nfor last; do :; done\ncp {tmp_path / "model"} "$last"\n')
    program.chmod(0o755)
    small = replace(study, X=np.eye(2), y=np.array([1.0, -1.0]), X_test=np.eye(2))
    small = replace(small, y_test=small.y)
    liblinear = tool("pragam_methods").liblinear
    table = liblinear("LIBLINEAR -s 3", str(program)).run(small).table
    w = np.array([-0.5, 2.0])  # the model's first label is −1
    expected = small.C * np.maximum(1 - small.y * w, 0).sum() + w @ w / 2
    assert table[0, 2] == pytest.approx(expected)


def test_bad_requests_are_one_sentence(figures, capsys):
    assert figures.main(["nowhere.libsvm"]) == 1
    assert "ERROR: nowhere.libsvm" in capsys.readouterr().err
    assert figures.main(["astro-ph", "--methods", "SMO"]) == 1
    assert "ERROR: SMO is no method; there are Pragam; " in capsys.readouterr().err
    assert figures.main(["x", "--png", "/nowhere/x.png"]) == 1
    assert "cannot be written" in capsys.readouterr().err
