"""The benchmark of matrix completion on a few ratings, and on all where the file exists."""

import lzma

import numpy as np
import pytest


@pytest.fixture(scope="module")
def movielens(tool):
    return tool("movielens")


@pytest.mark.parametrize("packed", [False, True])
def test_a_table_has_a_line_for_each_loss_and_penalty(movielens, tmp_path, capsys, packed):
    rng = np.random.default_rng(0)
    lines = [
        f"{u}\t{i}\t{rng.integers(1, 6)}\t8{i}\n"
        for u in range(1, 21)
        for i in range(1, 13)
        if (u + i) % 3
    ]
    path = tmp_path / ("u.data.xz" if packed else "u.data")
    path.write_bytes(lzma.compress("".join(lines).encode()) if packed else "".join(lines).encode())
    choices = ["--penalties", "0.05", "0.01", "--held-out", "--center"]
    movielens.main([str(path), *choices])
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("20 × 12, ")
    rows = [line.split("|") for line in out[3:]]
    assert len(rows) == 6
    assert all(float(row[4]) <= 1e-3 for row in rows)


@pytest.mark.parametrize("loss", ["absolute", "hinge", "squared"])
def test_the_gap_on_movielens_is_certified(movielens, shared_data, capsys, loss):
    path = shared_data("ml-100k.u.data")
    movielens.main([str(path), "--losses", loss, "--penalties", "1e-3"])
    row = capsys.readouterr().out.splitlines()[-1].split("|")
    assert 0 <= float(row[4]) <= 1e-3
    assert int(row[8]) == 1
