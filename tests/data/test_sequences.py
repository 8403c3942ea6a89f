"""SequenceProblem: from lists and from query ids, parts of it, and errors."""

import numpy as np
import pytest
from scipy import sparse

from rrmlinear import Problem
from rrmlinear.core.records import replace
from rrmlinear.data.sequences import SequenceProblem

X = [np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[3.0, 1.0]]), np.array([[0.0, 0.0]])]
Y = [["b", "a"], ["c"], ["a"]]
MASKED = np.ma.masked_array(X[0], mask=[[0, 0], [0, 1]])


def dense(problem):
    return Problem(problem.rows, np.zeros(problem.n_positions)).to_scipy().toarray()


@pytest.mark.parametrize(
    "form", [np.asarray, sparse.csr_array, sparse.coo_matrix, np.ndarray.tolist]
)
def test_lists_of_matrices(form):
    problem = SequenceProblem.from_lists([form(part) for part in X], Y, [1, 2, 0])
    np.testing.assert_array_equal(dense(problem), np.concatenate(X))
    assert problem.label.tolist() == [1, 0, 2, 0]
    assert (problem.label.dtype, problem.starts.dtype) == (np.int32, np.int64)
    assert problem.starts.tolist() == [0, 2, 3, 4]
    assert problem.labels.tolist() == ["a", "b", "c"]
    assert problem.weights.tolist() == [1, 2, 0]
    shape = problem.n_sequences, problem.n_positions, problem.n_features, problem.n_labels
    assert shape == (3, 4, 2, 3)


def test_dense_and_sparse_sequences_may_be_mixed():
    problem = SequenceProblem.from_lists([X[0], sparse.csr_array(X[1]), X[2]], Y)
    assert not problem.rows.is_dense
    np.testing.assert_array_equal(dense(problem), np.concatenate(X))


def test_all_labels_may_be_given():
    problem = SequenceProblem.from_lists(X, Y, labels=["d", "c", "b", "a"])
    assert problem.labels.tolist() == ["a", "b", "c", "d"]
    assert problem.label.tolist() == [1, 0, 2, 0]
    with pytest.raises(ValueError, match=r"y has the label .*'c'.*, which is not among labels"):
        SequenceProblem.from_lists(X, Y, labels=["a", "b"])


def test_a_column_is_appended():
    problem = SequenceProblem.from_lists(X, Y, bias=1.0)
    assert problem.bias == 1
    assert problem.rows.width == 3
    assert problem.with_bias(-1).rows.width == 2


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_chosen_sequences(form):
    problem = SequenceProblem.from_lists([form(part) for part in X], Y, [1, 2, 0], bias=1.0)
    part = problem.take(np.array([2, 0]))
    np.testing.assert_array_equal(dense(part), np.concatenate([X[2], X[0]]))
    assert part.label.tolist() == [0, 1, 0]
    assert part.starts.tolist() == [0, 1, 3]
    assert part.weights.tolist() == [0, 1]
    assert part.labels is problem.labels
    assert part.bias == 1
    assert [each.tolist() for each in problem.split(problem.label)] == [[1, 0], [2], [0]]


def with_ids(ids, labels=(3, 1, 3)):
    problem = Problem.from_arrays(np.eye(3), np.array(labels, dtype=float))
    return Problem(problem.rows, problem.labels, None, np.array(ids, dtype=np.int64))


def test_query_ids_tell_the_sequences():
    problem = SequenceProblem.from_problem(with_ids([7, 7, 2]))
    assert problem.starts.tolist() == [0, 2, 3]
    assert problem.labels.tolist() == [3, 1]
    assert problem.label.tolist() == [0, 1, 0]
    assert problem.rows.shape == (3, 3)
    named = replace(with_ids([7, 7, 2]), feature_names=("a", "b", "c"))
    assert SequenceProblem.from_problem(named).feature_names == ("a", "b", "c")


def test_a_query_id_that_comes_back():
    with pytest.raises(ValueError, match="query id 7 comes back at example 3 after another"):
        SequenceProblem.from_problem(with_ids([7, 2, 7]))


@pytest.mark.parametrize(
    ("X", "y", "weights", "sentence"),
    [
        ([], [], None, "X has 0 sequences"),
        (sparse.eye_array(3), [[1]], None, "X is one matrix; it must be a list"),
        ([[1.0, 2.0]], [[1]], None, r"X\[0\] must be a matrix .* has shape \(2,\)"),
        ([X[0], np.ones((1, 3))], Y[:2], None, r"X\[1\] has 3 columns and X\[0\] has 2"),
        ([X[0], [[np.nan, 1]]], Y[:2], None, r"sequence 1: X\[0, 0\] is nan"),
        (X, Y[:2], None, "y has 2 sequences and X has 3"),
        (X, [["a"], ["b"], ["c"]], None, r"y\[0\] must be a list of 2 labels"),
        (X, [[1.0, np.nan], [2], [3]], None, "the label of position 1 is nan"),
        (X, [[1, None], [2], [3]], None, "labels must be all numbers or all strings"),
        (X, [["a", 1], ["a"], ["b"]], None, "labels must be all numbers or all strings"),
        (X, [["a", "b"], [1], ["b"]], None, "labels must be all numbers or all strings"),
        (X, Y, [1, 2], r"weights has shape \(2,\), but there are 3"),
        (X, Y, [1, -2, 1], r"weights\[1\] is -2.0; it must be finite and at least 0"),
        ([MASKED, X[1]], Y[:2], None, r"X\[0\] must hold numbers: masked entries are not allowed"),
        (X, [MASKED[1], Y[1], Y[2]], None, r"y\[0\] must hold labels: masked entries are not"),
        (X, Y, np.ma.masked_array([1, 2, 3], [0, 1, 0]), "weights must hold numbers: masked"),
    ],
)
def test_what_is_refused(X, y, weights, sentence):
    with pytest.raises(ValueError, match=sentence):
        SequenceProblem.from_lists(X, y, weights)


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (Problem.from_arrays(np.eye(2), [1, 2]), "the examples have no query ids"),
        (with_ids([1, 1, 2], [1, 2.5, 1]), "label 2.5 of example 2 is not a whole number"),
    ],
)
def test_problems_that_are_no_sequences(problem, sentence):
    with pytest.raises(ValueError, match=sentence):
        SequenceProblem.from_problem(problem)
