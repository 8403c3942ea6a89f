"""Generated data has the sizes, frequencies and labels it was asked for."""

from __future__ import annotations

import tracemalloc

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


@pytest.mark.parametrize(("features", "nonzeros"), [(50, 1), (400, 100), (100_000, 200)])
def test_the_mean_number_of_nonzeros_holds_at_the_edges(generate, features, nonzeros):
    X, _ = generate.text_data(2000, features, nonzeros, 3)
    # No document is empty, so a mean of one is overshot by the spread of the lengths.
    assert abs(X.nnz / 2000 / nonzeros - 1) < (0.03 if nonzeros > 1 else 0.25)


def test_word_frequencies_follow_zipf(generate):
    words = generate._Words(5000, 30, 4, seed=3)
    random = np.random.default_rng(0)
    found = words.counts(random, random.integers(4, size=20_000)).sum(axis=0)
    share = np.sort(found)[::-1] / found.sum()
    ranks = np.array([0, 1, 3, 7, 15, 63])
    expected = (1 - generate.TOPIC_SHARE) * np.log1p(1 / (ranks + 1)) / np.log1p(5000)
    # The classes' own words come on top of the common ones.
    assert np.all(share[ranks] > 0.9 * expected)
    assert np.all(share[ranks] < 1.6 * expected)


def test_text_classes_can_be_learned(generate):
    linear_model = pytest.importorskip("sklearn.linear_model")
    X, y = generate.text_data(4000, 3000, 40, 5, seed=1)
    model = linear_model.RidgeClassifier().fit(X[:2000], y[:2000])
    assert model.score(X[2000:], y[2000:]) > 0.8


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


@pytest.mark.parametrize("kind", ["text", "dense"])
def test_two_classes_are_minus_and_plus_one(generate, kind):
    sizes = {**(TEXT if kind == "text" else DENSE), "classes": 2}
    _, y = getattr(generate, f"{kind}_data")(**sizes)
    assert_array_equal(np.unique(y), [-1, 1])


@pytest.mark.parametrize("classes", [2, 7])
def test_noise_replaces_that_fraction_of_labels(generate, classes):
    sizes = {**DENSE, "rows": 20_000, "classes": classes}
    X, clean = generate.dense_data(**sizes)
    noisy_X, noisy = generate.dense_data(**sizes, noise=0.25)
    assert_array_equal(X, noisy_X)
    assert abs((clean != noisy).mean() - 0.25) < 0.02
    _, all_wrong = generate.dense_data(**sizes, noise=1)
    assert not np.any(clean == all_wrong)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(("kind", "sizes"), [("text", TEXT), ("dense", DENSE)])
def test_the_same_seed_writes_the_same_bytes(generate, kind, sizes, tmp_path, capsys):
    first, second, other, single = (tmp_path / name for name in "abcd")
    for path, extra in ((first, {}), (second, {}), (other, {"seed": 1})):
        assert generate.main(command(kind, {**sizes, **extra}, path)) == 0
    assert generate.main(command(kind, {**sizes, "dtype": "float32"}, single)) == 0
    assert first.read_bytes() == second.read_bytes() == single.read_bytes()
    assert first.read_bytes() != other.read_bytes()
    assert capsys.readouterr().out.splitlines() == [str(tmp_path / name) for name in "abcd"]


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


@pytest.mark.usefixtures("small_blocks")
def test_memory_does_not_grow_with_the_rows(generate, tmp_path):
    peaks = []
    for rows in (1500, 9000):
        tracemalloc.start()
        generate.main(command("text", {**TEXT, "rows": rows}, tmp_path / "file"))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


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


def test_a_file_that_cannot_be_written_is_one_sentence(generate, tmp_path, capsys):
    assert generate.main(command("dense", DENSE, tmp_path)) == 1
    assert capsys.readouterr().err.startswith(f"generate.py cannot write {tmp_path}: ")
