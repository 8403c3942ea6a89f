"""Forms in which labels of rows are given: matrices, lists, one label a row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import assert_all_finite, column_or_1d

from rrmlinear.data.label_sets import LabelSets, begins_of
from rrmlinear.estimators.arguments import check_several_classes, classes_of

#: Forms of y: a matrix, lists, one label a row of several, or of two.
SPARSE, DENSE, LISTS, ONE, TWO = "sparse", "dense", "lists", "one", "two"


def labels_of(estimator: Any, y: Any) -> tuple[LabelSets, NDArray[Any], str]:
    """Labels as users give them, the classes, and the form.

    Raises ValueError for what is no matrix of zeros and ones, no lists, and no one label a row.
    """
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None"
        )
    if not issparse(y) and hasattr(y, "__array__"):  # pandas, polars, …
        y = np.asarray(y)
    if issparse(y) or getattr(y, "ndim", 1) == 2:
        is_sparse = issparse(y)
        matrix = y if is_sparse else np.asarray(y)
        if is_sparse or matrix.shape[1] != 1 or np.isin(matrix, (0, 1)).all():
            sets = LabelSets.from_matrix(matrix)
            return sets, sets.names, SPARSE if is_sparse else DENSE
        y = matrix[:, 0]
    if isinstance(y, np.ndarray) and y.dtype.kind != "O":
        return _one_a_row(estimator, y)
    rows = list(y)
    if not rows:
        raise ValueError("y is empty; it must have the labels of each row of X")
    single = [isinstance(row, str | bytes) or not hasattr(row, "__len__") for row in rows]
    if all(single):
        return _one_a_row(estimator, y)
    if any(single):
        raise ValueError(
            f"y[{single.index(True)}] is one label, and y[{single.index(False)}] a list of labels; "
            "all rows must have one form"
        )
    if _is_matrix(rows):
        sets = LabelSets.from_matrix(np.array([list(row) for row in rows]))
        return sets, sets.names, DENSE
    sets = LabelSets.from_lists(rows)
    return sets, sets.names, LISTS


def _one_a_row(estimator: Any, y: Any) -> tuple[LabelSets, NDArray[Any], str]:
    y = column_or_1d(y)
    if y.dtype.kind == "f":
        assert_all_finite(y, input_name="y")
    classes = classes_of(y)
    check_several_classes(estimator, classes)
    index = np.searchsorted(classes, y)
    asked, kind = (classes[1:], TWO) if len(classes) == 2 else (classes, ONE)
    own = [np.flatnonzero(index == j) for j in range(len(classes) - len(asked), len(classes))]
    begins = begins_of(map(len, own))
    return LabelSets(asked, begins, np.concatenate(own).astype(np.int32), len(y)), classes, kind


def _is_matrix(rows: list[Any]) -> bool:
    """Whether lists of labels are rows of zeros and ones that all have one length."""
    if len({len(row) for row in rows}) != 1 or not len(rows[0]):
        return False
    if any(isinstance(row, set | frozenset) for row in rows):
        return False
    return all(not isinstance(each, str) and each in (0, 1) for row in rows for each in row)
