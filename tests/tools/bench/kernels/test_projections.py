"""The benchmark's references project, and its tables have a row for each size and each input."""

from __future__ import annotations

import numpy as np
import pytest

from rrmlinear.projections import knapsack, simplex


@pytest.fixture
def bench(tool):
    return tool("projections")


def test_references_project(bench):
    rng = np.random.default_rng(0)
    columns = bench.general(rng, 500)
    np.testing.assert_allclose(
        bench.knapsack_by_sorting(*columns, 0.5), knapsack(*columns, 0.5), atol=1e-10
    )
    np.testing.assert_allclose(
        bench.simplex_by_sorting(columns[0]), simplex(columns[0]), atol=1e-12
    )


def test_tables(bench, monkeypatch, capsys):
    monkeypatch.setattr(
        "sys.argv", ["bench", "--size", "2000", "--sizes", "1e2,2e3", "--runs", "1"]
    )
    bench.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line[:21].strip().isdigit()] == ["100", "2000"]
    for name in bench.HARD:
        row = next(line for line in lines if line.lstrip().startswith(name))
        assert len(row[21:].split()) == 4
    for name in ("capped_simplex", "entropy_capped", "box_halfspace", "l1_ball", "elastic_ball"):
        row = next(line for line in lines if line.lstrip().startswith(name))
        assert all(float(cost) > 0 for cost in row[21:].split())
