"""Labels to classes: LIBLINEAR's order of first appearance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rrmlinear.data.labels import group_labels


def group(labels):
    classes, index = group_labels(np.array(labels, dtype=np.float64))
    assert classes.dtype == np.int64
    assert index.dtype == np.int32
    return classes.tolist(), index.tolist()


def group_as_liblinear(labels):
    """The loop of LIBLINEAR's group_classes, with its exchange of −1 and +1."""
    seen, index = [], []
    for label in labels:
        if label not in seen:
            seen.append(label)
        index.append(seen.index(label))
    if seen == [-1, 1]:
        seen, index = [1, -1], [1 - i for i in index]
    return seen, index


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=40))
def test_groups_as_liblinear(labels):
    assert group(labels) == group_as_liblinear(labels)


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([3, 1, 2, 1], [3, 1, 2]),
        ([-1, 1, -1], [1, -1]),
        ([1, -1, -1], [1, -1]),
        ([-1, 1, 2], [-1, 1, 2]),
        ([2, -1, 1], [2, -1, 1]),
        ([-1, -1], [-1]),
        ([0.0, -0.0], [0]),
        ([2**31 - 1, -(2**31 - 1)], [2**31 - 1, -(2**31 - 1)]),
    ],
)
def test_order_of_classes(labels, classes):
    assert group(labels)[0] == classes


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1, 2, 2.5], r"label 2\.5 of example 3 is not a whole number of 32 bits"),
        ([2**31, 1], "of example 1 is not a whole number of 32 bits"),
        ([1, -1e300], "label -1e.300 of example 2 is not a whole number"),
    ],
)
def test_labels_that_are_no_classes_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        group(labels)


@pytest.mark.parametrize(("most", "count"), [(500, 5000), (2**31 - 1, 3000)])
def test_many_labels(most, count):
    rng = np.random.default_rng(0)
    labels = rng.integers(-most, most, count)
    assert group(labels) == group_as_liblinear(labels.tolist())
