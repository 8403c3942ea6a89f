"""The benchmark of products counts the bytes, measures the right products and prints its table."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear.data.rows import Rows

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def bench(tool):
    return tool("products")


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = csr_array(rng.standard_normal((50, 9)) * (rng.random((50, 9)) < 0.5))
    return Rows(X.data, X.indices, X.indptr, 9), X.toarray()


def test_forms_hold_the_same_numbers(bench, rows):
    given, X = rows
    stored = given.n_stored
    assert bench.in_form(given, "sparse") is given
    np.testing.assert_array_equal(bench.in_form(given, "dense64").values, X)
    single = bench.in_form(given, "dense32")
    assert (single.values.dtype, single.shape) == (np.float32, (50, 9))
    assert bench.product_bytes(given) == 12 * stored + 4 * 51 + 8 * 50
    assert bench.product_bytes(single) == 4 * 450 + 8 * 50
    assert bench.transposed(single) is None


def test_the_transposed_copy_has_the_same_product(bench, rows):
    given, X = rows
    a = np.arange(50.0)
    copy = bench.risk_of(bench.transposed(given), 2)
    np.testing.assert_allclose(copy.scores(a), X.T @ a, atol=1e-12)
    np.testing.assert_allclose(bench.risk_of(given, 2).gradient(a), X.T @ a, atol=1e-12)


def test_the_table_has_a_row_for_each_form(bench, monkeypatch, capsys):
    monkeypatch.setattr(bench, "SHORTEST", 0.0)
    monkeypatch.setattr(bench, "STREAM", 1 << 16)
    path = ROOT / "datasets" / "digits.libsvm"
    arguments = ["bench", str(path), "--form", "sparse,dense64,dense32", "--runs", "2", "--two"]
    monkeypatch.setattr("sys.argv", arguments)
    bench.main()
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()]
    table = {cells[1]: cells for cells in rows[2:]}
    assert list(table) == ["sparse", "dense64", "dense32"]
    for form, cells in table.items():
        assert (cells[0], len(cells)) == ("digits.libsvm", len(rows[0]))
        assert (cells[-1] == "–") == (form != "sparse")
        numbers = re.findall(r"[\d.]+", " ".join(cells[2:]))
        assert len(numbers) == (10 if form == "sparse" else 9)
        assert min(float(number) for number in numbers) >= 0
