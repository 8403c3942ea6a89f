"""Scores, ranks and predictions of many labels, and the files of their models."""

import gc
import weakref

import numpy as np
import pytest
import scipy.sparse as sp

from rrmlinear import LabelModel, MultilabelProblem, Parameter, fit_labels
from rrmlinear.solvers.loop.label_ends import Column
from rrmlinear.training.labels.problems import CHUNK, Chunks
from rrmlinear.training.model_files.header import ModelFileError


@pytest.fixture(scope="module", params=[1e-2, 1e-6])
def trained(request):
    chance = np.random.default_rng(3)
    X = sp.random_array((90, 50), density=0.2, rng=chance, format="csr")
    Y = X @ chance.normal(size=(50, 37)) > 0.5
    problem = MultilabelProblem.from_arrays(X, Y, bias=1.0, names=[f"l{j:02}" for j in range(37)])
    return fit_labels(problem, Parameter(gap_tol=request.param)), X


def expected(model, X):
    return X @ model.weights.toarray().astype(np.float64) + model.intercepts


@pytest.mark.parametrize("kind", ["csr", "dense", "float32", "problem"])
def test_scores(trained, kind):
    model, X = trained
    given = {
        "csr": X,
        "dense": X.toarray(),
        "float32": X.astype(np.float32),
        "problem": MultilabelProblem.from_arrays(X, np.ones((90, 1))),
    }[kind]
    np.testing.assert_allclose(model.decision_function(given), expected(model, X), atol=2e-6)


def test_fewer_and_more_features(trained):
    model, X = trained
    wide = sp.hstack([X, np.ones((90, 3))], format="csr")
    np.testing.assert_allclose(model.decision_function(wide), expected(model, X), atol=2e-6)
    narrow = sp.csr_array(X[:, :20])
    padded = sp.hstack([narrow, sp.csr_array((90, 30))], format="csr")
    np.testing.assert_allclose(model.decision_function(narrow), expected(model, padded), atol=2e-6)


@pytest.mark.parametrize("k", [1, 5, 16, 37])
def test_the_largest_scores(trained, k):
    model, X = trained
    places, scores = model.predict_top_k(X, k)
    every = model.decision_function(X)
    order = np.argsort(-every, axis=1, kind="stable")[:, :k]
    assert (places == order).all()
    assert (scores == np.take_along_axis(every, order, axis=1)).all()
    found = model.predict(X, top_k=k)
    assert (found.sum(axis=1) == k).all()
    assert all(set(found[[i]].indices) == set(places[i]) for i in range(90))


def test_ties_go_to_the_first_label(trained):
    model, _ = trained
    places, _ = model.predict_top_k(np.zeros((1, 50)), 37)
    scores = model.intercepts[places[0]]
    assert all(
        a > b or i < j
        for a, b, i, j in zip(scores, scores[1:], places[0], places[0][1:], strict=False)
    )


def test_thresholds(trained):
    model, X = trained
    assert (model.predict(X).toarray() == (model.decision_function(X) > 0)).all()
    limits = np.linspace(-1, 1, 37)
    moved = model.with_thresholds(limits)
    assert (moved.predict(X).toarray() == (model.decision_function(X) > limits)).all()
    words = moved.predict_labels(X)
    assert [set(row) for row in words] == [
        set(model.names[score > limits].tolist()) for score in model.decision_function(X)
    ]


@pytest.mark.parametrize("with_thresholds", [False, True])
def test_a_file_keeps_the_model(trained, with_thresholds, tmp_path):
    model, X = trained
    if with_thresholds:
        model = model.with_thresholds(np.linspace(-1, 1, 37))
    model.save(tmp_path / "m")
    read = LabelModel.load(tmp_path / "m")
    assert read.names.tolist() == model.names.tolist()
    assert (read.weights != model.weights).nnz == 0
    assert read.weights.dtype == model.weights.dtype
    assert (read.decision_function(X) == model.decision_function(X)).all()
    assert (read.predict(X) != model.predict(X)).nnz == 0
    assert (read.counts == model.counts).all()
    assert (read.loss, read.bias, read.solver_name) == (model.loss, model.bias, model.solver_name)
    read.save(tmp_path / "again")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()


@pytest.mark.parametrize("names", [[3, 1], [0.5, 1.5], ["a", "ß"], [True, False]])
def test_labels_of_any_plain_kind_come_back(names, tmp_path):
    problem = MultilabelProblem.from_arrays(np.eye(2), np.eye(2, dtype=int), names=names)
    fit_labels(problem, Parameter()).save(tmp_path / "m")
    assert LabelModel.load(tmp_path / "m").names.tolist() == names


def test_labels_that_are_tuples_are_not_saved(tmp_path):
    problem = MultilabelProblem.from_lists(np.eye(2), [[(1, 2)], [(3, 4)]])
    with pytest.raises(ValueError, match="labels that are tuple cannot be saved"):
        fit_labels(problem, Parameter()).save(tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_each_damaged_byte_is_found(trained, tmp_path):
    model, _ = trained
    path = tmp_path / "m"
    model.save(path)
    whole = path.read_bytes()
    chance = np.random.default_rng(0)
    described = {*range(whole.index(b'"arrays"'))}
    found = 0
    for at in chance.integers(0, len(whole), 150).tolist():
        changed = bytearray(whole)
        changed[at] ^= 1 << int(chance.integers(8))
        path.write_bytes(changed)
        try:
            read = LabelModel.load(path)
        except ModelFileError:
            found += 1
            continue
        # no checksum covers the facts in the header, blanks and the padding between arrays
        assert (read.weights != model.weights).nnz == 0 or at in described
    assert found > 100


@pytest.mark.parametrize("length", [0, 5, 30, 400, -1])
def test_a_file_that_is_cut_off_is_refused(trained, length, tmp_path):
    path = tmp_path / "m"
    trained[0].save(path)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(ModelFileError):
        LabelModel.load(path)


def _column(size, kind):
    return Column(np.arange(size, dtype=np.int32), np.arange(size).astype(kind))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_columns_share_chunks_that_go_with_the_last_of_them(kind):
    chunks, given = Chunks(), [_column(size, kind) for size in (3, 0, 5, 70_000, 1)]
    kept = [chunks.kept(each) for each in given]
    for mine, column in zip(kept, given, strict=True):
        assert (mine.places.dtype, mine.values.dtype) == (np.int32, kind)
        assert all(array.flags.aligned for array in mine)
        np.testing.assert_array_equal(mine.places, column.places)
        np.testing.assert_array_equal(mine.values, column.values)
    piece = weakref.ref(kept[0].places.base.obj)
    assert kept[-1].values.base.obj is piece()
    larger = chunks.kept(_column(CHUNK, kind))  # more than a chunk is one of its own
    assert larger.values.base.obj is not piece()
    del kept, mine
    gc.collect()
    assert piece() is None
