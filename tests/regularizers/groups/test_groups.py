"""Groups of columns: their partitions of weights, and errors."""

import numpy as np
import pytest

from rrmlinear.regularizers.groups.columns import partition_of
from rrmlinear.regularizers.groups.group_norms import L2Groups, LinfGroups, SparseGroups


def groups_in(partition):
    indices = np.arange(partition.length) if partition.indices is None else partition.indices
    return [group.tolist() for group in np.split(indices, partition.starts[1:-1])]


def test_numbers_and_lists_make_the_same_groups():
    assert groups_in(partition_of([5, -1, 5, 3])) == [[1], [3], [0, 2]]
    assert groups_in(partition_of(np.array([2.0, 2.0, 7.0]))) == [[0, 1], [2]]
    assert groups_in(partition_of([[3, 0], [1], [2]])) == [[0, 3], [1], [2]]
    assert partition_of([0, 0, 1]).indices is None
    assert partition_of([[1, 0], [2]]).indices is None


def test_a_column_has_all_its_weights():
    assert groups_in(partition_of([0, 1, 0], (3, 2))) == [[0, 1, 4, 5], [2, 3]]


def test_an_appended_column_is_a_group_of_its_own():
    assert groups_in(partition_of([0, 1, 0], (4,), intercept=True)) == [[0, 2], [1], [3]]
    assert groups_in(partition_of([0, 0], (3, 2), intercept=True)) == [[0, 1, 2, 3], [4, 5]]
    omega = L2Groups([0, 0], 3.0).over((3,), intercept=True)
    assert omega.value_of([3.0, 4.0, 2.0]) == 21
    omega = L2Groups([0, 0], [3.0]).over((3,), intercept=True)
    assert omega.value_of([3.0, 4.0, 2.0]) == 21
    omega = L2Groups([0, 1], [3.0, 5.0]).over((3,), intercept=True)
    assert omega.value_of([1.0, 1.0, 2.0]) == 10


def test_factors_are_roots_of_the_number_of_weights():
    omega = L2Groups([0, 0, 1]).over((3, 2))
    np.testing.assert_allclose(omega.value_of([1, 0, 0, 0, 0, 1]), 2 + np.sqrt(2), rtol=1e-15)
    assert L2Groups([0, 0, 1], 1.0).over((3, 2)).value_of([1, 0, 0, 0, 0, 1]) == 2


def test_a_regularizer_can_be_told_another_shape():
    for omega in (L2Groups([0, 1, 0]), LinfGroups("rows"), SparseGroups([0, 1, 0], l1=0.25)):
        told = omega.over((3, 2)).over((3, 4))
        assert told.length == 12
        assert told.value_of(np.ones(12)) == omega.over((3, 4)).value_of(np.ones(12))
        assert getattr(told, "l1", None) == getattr(omega, "l1", None)


def test_vectors_of_other_lengths_are_refused():
    with pytest.raises(ValueError, match="L2Groups is over 3 weights, got 4"):
        L2Groups([0, 1, 0]).prox_of(np.ones(4), 1.0)
    with pytest.raises(ValueError, match="LinfGroups must be told the shape first"):
        LinfGroups("rows").value_of(np.ones(4))


@pytest.mark.parametrize(
    ("groups", "shape", "message"),
    [
        ([0, 1], (3,), "groups has 2 numbers for 3 columns: column 2 has none"),
        ([0, 1, 1, 0], (3,), "groups has 4 numbers for 3 columns: that of column 3 is beyond"),
        ([0, 1.5, 1], (3,), "groups has 1.5; groups of columns are whole numbers"),
        ([0, np.nan, 1], (3,), "groups has nan; groups of columns are whole numbers"),
        ([0, "b", 1], (3,), "groups has b; groups of columns are whole numbers"),
        (1j, (3,), "groups must be a list, got 1j"),
        ([], (3,), "groups is empty; it must name each column"),
        ([[0], [2]], (3,), "column 1 is in no group; each column must be in one group, once"),
        ([[0], [1]], (3,), "column 2 is in no group"),
        ([[0], [2]], None, "column 1 is in no group"),
        ([[0, 1], [2, 1]], (3,), r"column 1 is 2 times in the groups \(\[0, 1\]\); each column"),
        ([[0, 0, 1], [2]], (3,), r"column 0 is 2 times in the groups \(\[0\]\); each column"),
        ([[0, 1], [2, 5]], (3,), "column 5 of the groups is beyond the 3 columns of the data"),
        ([[0, 1], [2, -1]], (3,), "group 1 has column -1; columns count from 0"),
        ([[0, 1], []], (2,), "group 1 must be a list of columns, at least one"),
        ([[0, 1.5], [2]], (3,), "group 0 must be a list of columns"),
        ("columns", (3,), "groups is 'columns'; it must be 'rows', a number for each column"),
        ("rows", (3,), "a norm over rows of weights needs several columns of them, and has one"),
    ],
)
def test_wrong_groups_are_named(groups, shape, message):
    with pytest.raises(ValueError, match=message):
        partition_of(groups, shape)


@pytest.mark.parametrize(
    ("factors", "message"),
    [
        ([1.0, 0.0], "factors of groups must be positive and finite"),
        (-1.0, "factors of groups must be positive and finite"),
        ([1.0, np.inf], "factors of groups must be positive and finite"),
        ([1.0, 1.0, 1.0], "there are 3 factors for 2 groups"),
    ],
)
def test_wrong_factors_are_named(factors, message):
    with pytest.raises(ValueError, match=message):
        L2Groups([0, 1, 0], factors)


def test_a_negative_l1_is_refused():
    with pytest.raises(ValueError, match="l1 must be at least 0 and finite, got -1"):
        SparseGroups([0, 1], l1=-1)
