"""`LabelTreeClassifier`: the tree of `fit_label_tree` by scikit-learn's conventions."""

import io

import joblib
import numpy as np
import pytest
from labelled_words import drawn
from scipy.sparse import csr_array
from sklearn.base import clone

from rrmlinear import (
    LabelTree,
    LabelTreeClassifier,
    MultilabelClassifier,
    MultilabelProblem,
    Parameter,
    fit_label_tree,
)

K = 300


@pytest.fixture(scope="module")
def halves():
    """Rows of words, some of them those of their five labels; the frequent labels come first."""
    random = np.random.default_rng(0)
    own = random.integers(500, size=(K, 8))

    parts = [drawn(random, n, own, K, 500, 0.02, 5, 0.01) for n in (900, 200)]
    return [(X, Y.toarray()) for X, Y in parts]


@pytest.fixture(scope="module")
def model(halves):
    return LabelTreeClassifier(tol=1e-2, branching=16).fit(*halves[0])


def test_it_is_the_tree_of_fit_label_tree(model, halves):
    (X, Y), (X_test, _) = halves
    problem = MultilabelProblem.from_arrays(X, csr_array(Y), bias=1.0)
    parameter = Parameter(loss="squared-hinge", gap_tol=1e-2)
    tree = fit_label_tree(problem, parameter, branching=16)
    assert np.array_equal(model.tree_.parents, tree.parents)
    assert (model.tree_.edges.weights != tree.edges.weights).nnz == 0
    places, scores = tree.predict_top_k(X_test, 4)
    labels, own = model.predict_top_k(X_test, 4)
    assert np.array_equal(labels, tree.names[places])
    assert np.allclose(own, scores + 1)  # the squared hinge at 0
    assert model.status_.name == "SOLVED"
    assert (model.duality_gaps_ <= 1e-2 * model.objectives_).all()
    assert model.objective_ == pytest.approx(model.objectives_.sum())


def test_one_node_predicts_what_no_tree_does(halves):
    X = halves[1][0]
    known = np.flatnonzero(halves[0][1].any(axis=0))
    for loss in ("squared-hinge", "logistic"):
        flat = MultilabelClassifier(loss, C=10.0).fit(*halves[0])
        tree = LabelTreeClassifier(loss, C=10.0, branching=K).fit(*halves[0])
        scores = flat.decision_function(X)
        near = np.abs(scores) < 1e-5
        assert ((tree.predict(X) == flat.predict(X)) | near).all()
        own = tree.decision_function(X)
        assert ((np.sign(own) == np.sign(scores)) | near)[:, known].all()
        assert np.isneginf(np.delete(own, known, axis=1)).all()
        assert tree.objective_ == pytest.approx(flat.model_.result.primal[known].sum())


def test_each_row_has_the_labels_asked_for(halves):
    narrow = LabelTreeClassifier(tol=1e-1, branching=3, beam=1, top_k=7).fit(*halves[0])
    X = halves[1][0]
    assert (narrow.predict(X).sum(axis=1) == 7).all()
    labels, scores = narrow.predict_top_k(X)
    assert labels.shape == (200, 7)
    assert np.isfinite(scores).all()
    assert narrow.predict_top_k(X, 40)[0].shape == (200, 40)


def test_one_label_a_row_is_the_best_of_the_tree():
    chance = np.random.default_rng(0)
    centres = chance.normal(size=(40, 8))
    index = np.arange(400) % 40
    X, y = centres[index] + 0.2 * chance.normal(size=(400, 8)), np.array(list("abcdefgh") * 5)
    y = np.char.add(y, np.repeat(list("12345"), 8))[index]
    model = LabelTreeClassifier("logistic", branching=6, C=10.0).fit(X, y)
    assert len(model.tree_.parents) > 40
    assert model.score(X, y) > 0.9
    assert model.decision_function(X).shape == (400, 40)
    two = LabelTreeClassifier(branching=6).fit(X, y == "a1")
    assert two.decision_function(X).shape == (400,)
    assert (two.predict(X) == (two.decision_function(X) > 0)).all()


def test_seeds_and_threads(halves):
    X, Y = halves[0]
    trees = [
        LabelTreeClassifier(tol=1e-1, branching=16, random_state=seed, n_jobs=threads).fit(X, Y)
        for seed, threads in ((3, 1), (3, 2), (4, 1))
    ]
    assert (trees[0].tree_.edges.weights != trees[1].tree_.edges.weights).nnz == 0
    same = [np.array_equal(trees[0].tree_.names, other.tree_.names) for other in trees[1:]]
    assert same == [True, False]


def test_weights_of_examples_are_repetitions(halves):
    X, Y = halves[0][0][:300], halves[0][1][:300]
    asked = LabelTreeClassifier(tol=1e-7, branching=K)
    weights = np.random.default_rng(1).integers(1, 3, size=300)
    rows = np.repeat(np.arange(300), weights)
    weighted, repeated = clone(asked).fit(X, Y, weights), clone(asked).fit(X[rows], Y[rows])
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-5)


def test_files(model, halves, tmp_path):
    X = halves[1][0]
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    model.save(tmp_path / "model")
    for again in (joblib.load(file), LabelTreeClassifier.load(tmp_path / "model")):
        assert again.get_params() == model.get_params()
        assert np.array_equal(again.predict(X), model.predict(X))
        assert np.array_equal(again.decision_function(X), model.decision_function(X))
    model.tree_.save(tmp_path / "tree")
    assert np.array_equal(LabelTree.load(tmp_path / "tree").names, model.tree_.names)


@pytest.mark.parametrize(
    "name", ["thresholds", "positive_weight", "folds", "warm_start", "journal", "callback"]
)
def test_parameters_without_effect_are_refused(name):
    with pytest.raises(TypeError, match=f"LabelTreeClassifier has no {name}: a tree has none"):
        LabelTreeClassifier(**{name: None})
