"""Generated data has the sizes, frequencies and labels it was asked for."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

TEXT = {"rows": 1500, "features": 3000, "nonzeros": 20, "classes": 5}
DENSE = {"rows": 1500, "features": 12, "classes": 7}


@pytest.fixture
def generate(script):
    return script("generate")


@pytest.fixture
def small_blocks(generate, monkeypatch):
    """Blocks of 200 documents or 333 dense rows, so that a few thousand rows need several."""
    monkeypatch.setattr(generate, "BLOCK_VALUES", 4000)


def command(kind, sizes, out):
    return [kind, *(f"--{name}={value}" for name, value in sizes.items()), str(out)]


@pytest.mark.usefixtures("small_blocks")
def test_text_rows_have_length_one_and_the_nonzeros_asked_for(generate):
    X, y = generate.text_data(**TEXT)
    assert X.shape == (1500, 3000)
    assert X.indices.dtype == np.int32
    assert X.has_canonical_format
    assert np.diff(X.indptr).min() >= 1
    assert_allclose(np.sqrt((X**2).sum(axis=1)), 1, atol=2e-5)
    assert abs(X.nnz / 1500 / 20 - 1) < 0.03
    assert_array_equal(np.unique(y), [1, 2, 3, 4, 5])
    assert_array_equal(X.data, np.round(X.data, 6))


@pytest.mark.usefixtures("small_blocks")
def test_dense_rows_stand_around_their_centres(generate):
    X, y = generate.dense_data(**DENSE)
    assert X.shape == (1500, 12)
    assert X.dtype == np.float64
    assert_array_equal(np.unique(y), np.arange(1, 8))
    assert_array_equal(X, np.round(X, 6))
    assert 0.15 < X.std() < 0.35
    centres = np.array([X[y == label].mean(axis=0) for label in range(1, 8)])
    nearest = ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1) + 1
    assert (nearest == y).mean() > 0.98


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("kind", "sizes"), [("text", TEXT), ("dense", DENSE)])
def test_the_file_holds_the_arrays(generate, kind, sizes, dtype, tmp_path):
    datasets = pytest.importorskip("sklearn.datasets")
    generate.main(command(kind, sizes, tmp_path / "file"))
    X, y = getattr(generate, f"{kind}_data")(**sizes, dtype=dtype)
    rows, labels = datasets.load_svmlight_file(
        str(tmp_path / "file"), n_features=sizes["features"], dtype=dtype
    )
    assert X.dtype == dtype
    assert_array_equal(rows.toarray(), X if kind == "dense" else X.toarray())
    assert_array_equal(labels, y)


@pytest.mark.parametrize(
    ("kind", "wrong", "message"),
    [
        ("text", {"rows": 0}, "rows must be 1 or more, got 0"),
        ("text", {"features": -1}, "features must be 1 or more, got -1"),
        ("dense", {"features": 2**31}, "features must be 2147483647 or fewer, got 2147483648"),
        ("text", {"nonzeros": 0}, "nonzeros must be between 1 and a quarter of the 3000 features"),
        ("text", {"nonzeros": 751}, "nonzeros must be between 1 and a quarter"),
        ("text", {"nonzeros": "nan"}, "nonzeros must be between 1 and a quarter"),
        ("dense", {"classes": 1}, "classes must be 2 or more, got 1"),
        ("dense", {"noise": 1.5}, "noise must be between 0 and 1, got 1.5"),
        ("dense", {"noise": "nan"}, "noise must be between 0 and 1, got nan"),
        ("dense", {"seed": -1}, "seed must be 0 or more, got -1"),
    ],
)
def test_impossible_sizes_are_refused_in_a_sentence(
    generate, kind, wrong, message, tmp_path, capsys
):
    sizes = {**(TEXT if kind == "text" else DENSE), **wrong}
    with pytest.raises(SystemExit) as stopped:
        generate.main(command(kind, sizes, tmp_path / "file"))
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
