"""Label matrices and lists become sets of rows; wrong ones are named."""

import numpy as np
import pytest
import scipy.sparse as sp

from rrmlinear import MultilabelProblem
from rrmlinear.data.label_sets import LabelSets

Y = np.array([[1, 0, 1], [0, 0, 0], [1, 1, 0]])


@pytest.mark.parametrize("kind", [np.int8, np.uint8, bool, np.float32, np.float64, np.int64])
@pytest.mark.parametrize("k", [3, 130, 300])
def test_matrices_of_any_type_are_the_same_sets(kind, k):
    matrix = (np.random.default_rng(k).random((40, k)) < 0.1).astype(kind)
    places = [np.flatnonzero(column).tolist() for column in matrix.T]
    for given in (matrix, sp.csr_matrix(matrix), sp.csc_array(matrix), sp.coo_array(matrix)):
        sets = LabelSets.from_matrix(given)
        assert [sets.of(j).tolist() for j in range(k)] == places
        assert (sets.matrix().toarray() == matrix).all()


def test_a_pair_stored_twice_counts_once():
    twice = sp.coo_array(([1, 1, 1], ([0, 0, 1], [1, 1, 2])), shape=(3, 3))
    found = LabelSets.from_matrix(twice).matrix().toarray()
    assert found.tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]


def test_stored_zeros_are_no_labels():
    stored = sp.csr_array(([0.0, 1.0], ([0, 1], [1, 1])), shape=(2, 2))
    assert LabelSets.from_matrix(stored).counts.tolist() == [0, 1]


def test_lists_of_words_are_sorted_labels():
    sets = LabelSets.from_lists([["b", "a"], [], {"b"}, ("c", "a", "a"), np.array(["c"])])
    assert sets.names.tolist() == ["a", "b", "c"]
    assert [sets.of(j).tolist() for j in range(3)] == [[0, 3], [0, 2], [3, 4]]


@pytest.mark.parametrize(
    "labels",
    [[1, 2**63], [1, 2**63 + 1, 2**63 + 2], [0.5, 2**53 + 1], [("a",), ("b", 1)], ["a", "a\0"]],
)
def test_labels_come_back_as_they_are(labels):
    found = LabelSets.from_lists([[label] for label in labels])
    assert found.names.tolist() == labels
    assert list(map(type, found.names.tolist())) == list(map(type, labels))
    assert found.counts.tolist() == [1] * len(labels)


def test_lists_take_the_order_of_given_names():
    assert LabelSets.from_lists([[7], [3, 7]], names=[7, 3, 5]).counts.tolist() == [2, 1, 0]
    with pytest.raises(ValueError, match="label 4 is not among the 3 labels known"):
        LabelSets.from_lists([[4]], names=[7, 3, 5])


def test_chosen_rows_keep_their_labels():
    sets = LabelSets.from_matrix(Y).take(np.array([2, 0, 2]))
    assert sets.matrix().toarray().tolist() == Y[[2, 0, 2]].tolist()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (Y * 2, r"Y\[0, 0\] is 2; a label matrix has 0 and 1 alone"),
        (np.where(Y, np.nan, 0), r"Y\[0, 0\] is nan"),
        (sp.csr_array(-Y), r"Y\[0, 0\] is -1"),
        (Y[0], "has 1 axes"),
        (np.ma.masked_array(Y, Y == 1), "masked entries are not allowed"),
        (np.array([["a"]]), "holds <U1"),
        (np.where(Y, None, 0), r"Y\[0, 0\] is None; it must be 0 or 1"),
    ],
)
def test_other_matrices_are_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        LabelSets.from_matrix(wrong)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["ab"], "row 0 of the labels is 'ab'; it must be a list"),
        ([["a"], 3], "row 1 of the labels is 3"),
        ([[1, "a"]], "of one kind, and are of int and str"),
        ([[None]], "row 0 has the label None, which is missing"),
        ([[1.0], [float("nan")]], "row 1 has the label nan"),
        ([[np.datetime64("NaT")]], "which is missing"),
        ([[["a"]]], r"row 0 has the label \['a'\]; it must be a number, text or tuple"),
    ],
)
def test_other_lists_are_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        LabelSets.from_lists(wrong)


def test_rows_and_labels_must_fit():
    with pytest.raises(ValueError, match="Y has 3 rows, but X has 2"):
        MultilabelProblem.from_arrays(np.eye(2), Y)
    with pytest.raises(ValueError, match="weights must be at least 0"):
        MultilabelProblem.from_arrays(np.eye(3), Y, [1, -1, 1])
    with pytest.raises(ValueError, match="there must be 3 names, one for each column of Y, not 2"):
        MultilabelProblem.from_arrays(np.eye(3), Y, names=["a", "b"])
