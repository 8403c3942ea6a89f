"""Trees of labels: clusters, a problem at each node, and the search for the best labels."""

import numpy as np
import pytest
from labelled_words import drawn
from scipy.sparse import csr_array, vstack

from rrmlinear import (
    LabelModel,
    LabelTree,
    MultilabelProblem,
    Parameter,
    fit_label_tree,
    fit_labels,
)
from rrmlinear.solvers.loop.result import Status
from rrmlinear.training.fit import NotSolvedWarning
from rrmlinear.training.labels.label_tree import ROWS_AT_ONCE
from rrmlinear.training.model_files.header import ModelFileError

PARAMETER = Parameter(loss="squared-hinge", gap_tol=1e-2)


@pytest.fixture(scope="module")
def halves():
    random = np.random.default_rng(0)
    own = random.integers(300, size=(120, 6))
    return drawn(random, 600, own, 120, 300), drawn(random, 200, own, 120, 300)


@pytest.fixture(scope="module")
def problem(halves):
    return MultilabelProblem.from_arrays(*halves[0], bias=1.0)


@pytest.fixture(scope="module")
def tree(problem):
    return fit_label_tree(problem, PARAMETER, branching=12)


def test_rows_of_several_batches_are_predicted_as_each_alone(tree, halves):
    X = halves[1][0]
    often = csr_array(vstack([X] * (ROWS_AT_ONCE // X.shape[0] + 2)))
    own, labels = tree.predict(X, top_k=3).toarray(), tree.predict(often, top_k=3).toarray()
    np.testing.assert_array_equal(labels, np.resize(own, labels.shape))


def path_scores(tree, X):
    """The scores of all labels by their paths, one after another."""
    z = tree.edges.decision_function(X)
    gains = -(np.maximum(0, 1 - z) ** 2)
    inner = set(tree.parents.tolist())
    sums = []
    for column in range(len(tree.parents)):
        if column in inner:
            continue
        total, at = np.zeros(len(z)), column
        while at >= 0:
            total += gains[:, at]
            at = tree.parents[at]
        sums.append(total)
    return np.array(sums).T


def test_one_node_is_the_model_of_all_labels(problem, halves):
    X = halves[1][0]
    tree = fit_label_tree(problem, PARAMETER, branching=200)
    model = fit_labels(problem, PARAMETER)
    known = np.flatnonzero(problem.labels.counts)
    assert tree.names.tolist() == model.names[known].tolist()
    assert np.array_equal(tree.edges.decision_function(X), model.decision_function(X)[:, known])
    assert (tree.parents == -1).all()


def test_each_node_is_proved(tree):
    result = tree.result
    assert result.solved
    assert (result.gap <= 1e-2 * np.abs(result.primal)).all()
    assert len(result.primal) == len(tree.parents)


def test_leaves_are_the_labels_that_examples_have(tree, problem):
    counts = problem.labels.counts
    assert sorted(tree.names.tolist()) == np.flatnonzero(counts).tolist()
    children = np.bincount(tree.parents + 1)
    assert children[0] == np.ceil(np.sqrt(np.count_nonzero(counts)))  # of depth 2
    assert len(tree.parents) == children[0] + np.count_nonzero(counts)


def test_a_wide_beam_finds_the_best_of_all_paths(tree, halves):
    X = halves[1][0]
    every = path_scores(tree, X)
    places, scores = tree.predict_top_k(X, 4, beam=1000)
    best = -np.sort(-every, axis=1)[:, :4]
    assert np.allclose(scores, best, atol=1e-6)
    assert np.allclose(np.take_along_axis(every, places, axis=1), scores, atol=1e-6)


def test_a_narrow_beam_keeps_part_of_them(tree, halves):
    X = halves[1][0]
    places, scores = tree.predict_top_k(X, 12, beam=1)
    assert (np.diff(np.where(places >= 0, scores, -1e300), axis=1) <= 0).all()
    assert np.isneginf(scores[places < 0]).all()
    wide = tree.predict_top_k(X, 12, beam=50)[1]
    assert (scores <= wide + 1e-9).all()


def test_files_hold_a_tree(tree, halves, tmp_path):
    X = halves[1][0]
    tree.save(tmp_path / "tree")
    again = LabelTree.load(tmp_path / "tree")
    assert np.array_equal(again.names, tree.names)
    assert np.array_equal(again.predict_top_k(X, 3)[0], tree.predict_top_k(X, 3)[0])
    assert np.array_equal(again.result.primal, tree.result.primal)
    with pytest.raises(ModelFileError, match="is a tree of labels"):
        LabelModel.load(tmp_path / "tree")


def test_all_scores_are_those_of_the_paths(tree, halves):
    X = halves[1][0]
    scores = tree.decision_function(X)
    assert np.allclose(scores, path_scores(tree, X), atol=1e-6)
    found = tree.predict(X, None, beam=1000).toarray()
    assert ((found == (scores > tree.limit)) | (np.abs(scores - tree.limit) < 1e-5)).all()
    assert tree.limit == -1.0  # that of the squared hinge at 0


def test_a_file_of_another_kind_is_no_tree(problem, tmp_path):
    fit_labels(problem, PARAMETER).save(tmp_path / "model")
    with pytest.raises(ModelFileError, match="is no tree of labels"):
        LabelTree.load(tmp_path / "model")


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"k": 0}, "k is 0; it must be from 1 to the number of labels"),
        ({"k": 1, "beam": 0}, "beam is 0; it must be at least 1"),
    ],
)
def test_wrong_searches(tree, halves, how, sentence):
    with pytest.raises(ValueError, match=sentence):
        tree.predict_top_k(halves[1][0], **how)


def test_wrong_problems(problem):
    with pytest.raises(ValueError, match="branching is 1; it must be at least 2"):
        fit_label_tree(problem, PARAMETER, branching=1)
    without = MultilabelProblem.from_arrays(np.eye(3), np.zeros((3, 2)))
    with pytest.raises(ValueError, match="has no example with a label"):
        fit_label_tree(without, PARAMETER)


def test_one_limit_of_time_is_for_all_nodes(problem):
    with pytest.warns(NotSolvedWarning, match="time limit"):
        tree = fit_label_tree(
            problem, Parameter(loss="squared-hinge", gap_tol=1e-12, time_limit=1e-3), branching=3
        )
    assert tree.result.status is Status.TIME_LIMIT
    assert tree.edges.weights.nnz == 0
    assert sorted(tree.names.tolist()) == np.flatnonzero(problem.labels.counts).tolist()
