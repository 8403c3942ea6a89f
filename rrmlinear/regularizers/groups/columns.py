"""Partitions of the coordinates of w from the groups of columns that callers give."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.groups.partition import Partition

#: Each row of a matrix of weights is a group: the weights of one column of the data.
ROWS = "rows"

Numbers = NDArray[np.int64]


def partition_of(
    groups: Any, shape: tuple[int, ...] | None = None, intercept: bool = False
) -> Partition:
    """The partition by ``groups`` of weights of a shape, (d,) or (d, k).

    ``groups`` is None for a single group of all weights, "rows" for the rows of W, one whole number
    for each of the d columns, or lists of columns that name each once. A group of columns has all
    their weights, k for each column. With ``intercept`` the last row of W belongs to an appended
    column; it is a group of its own where groups are given. Without a shape the columns are those
    that ``groups`` names.

    Raises ValueError with the number of a column, from 0, that is missing, repeated or beyond.
    """
    if groups is None:
        return Partition()
    if isinstance(groups, str):
        return _rows(groups, shape)
    features = None if shape is None else shape[0] - intercept
    number = _numbers(groups, features)
    n_groups = int(number.max(initial=-1)) + 1
    if intercept:
        number = np.append(number, n_groups)
    if shape is not None and len(shape) > 1:
        number = np.repeat(number, shape[1])
    sizes = np.bincount(number)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    ordered = bool((np.diff(number) >= 0).all())
    indices = None if ordered else np.argsort(number, kind="stable")
    return Partition(starts, indices, given=n_groups)


def factors_of(factors: Any, partition: Partition) -> NDArray[np.float64]:
    """An f for each group, or one for all, as an array.

    By default the root of the group's size. Raises ValueError for numbers that are not positive and
    finite, and for another count.
    """
    sizes = partition.sizes
    if factors is None:
        return np.ones(1) if sizes is None else np.sqrt(sizes, dtype=np.float64)
    given = np.array(factors, dtype=np.float64, ndmin=1)
    if given.ndim != 1:
        raise ValueError(f"factors of groups have shape {given.shape}; they must be a list")
    wrong = given[~(np.isfinite(given) & (given > 0))]
    if wrong.size:
        raise ValueError(f"factors of groups must be positive and finite, and one is {wrong[0]}")
    if np.ndim(factors) == 0 or (given.size == 1 and (sizes is None or partition.given == 1)):
        return given
    if sizes is None or given.size != partition.given:
        count = 1 if sizes is None else partition.given
        raise ValueError(f"there are {given.size} factors for {count} groups")
    return np.append(given, np.ones(len(sizes) - partition.given))


def _rows(groups: str, shape: tuple[int, ...] | None) -> Partition:
    if groups != ROWS:
        raise ValueError(
            f"groups is {groups!r}; it must be {ROWS!r}, a number for each column, or lists of "
            "columns"
        )
    if shape is None:
        return Partition(length=-1)
    if len(shape) < 2:
        raise ValueError("a norm over rows of weights needs several columns of them, and has one")
    return Partition(size=shape[1], length=shape[0] * shape[1])


def _numbers(groups: Any, features: int | None) -> Numbers:
    """The group of each column, 0, 1, … in the order of the caller's numbers or lists."""
    if not hasattr(groups, "__len__"):
        raise ValueError(f"groups must be a list, got {groups!r}")
    if len(groups) == 0:
        raise ValueError("groups is empty; it must name each column")
    if np.ndim(groups[0]) > 0:
        return _numbers_of_lists(groups, features)
    numbers = np.asarray(groups)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        for number in groups:
            if not _is_whole(number):
                raise ValueError(f"groups has {number}; groups of columns are whole numbers")
    if features is not None and len(numbers) != features:
        which = f"that of column {features} is beyond"
        if len(numbers) < features:
            which = f"column {len(numbers)} has none"
        raise ValueError(f"groups has {len(numbers)} numbers for {features} columns: {which}")
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)


def _is_whole(number: Any) -> bool:
    return isinstance(number, int | float | np.number) and float(number).is_integer()


def _numbers_of_lists(groups: Any, features: int | None) -> Numbers:
    lists = [np.asarray(columns) for columns in groups]
    for at, columns in enumerate(lists):
        if columns.ndim != 1 or columns.size == 0 or columns.dtype.kind not in "iu":
            raise ValueError(f"group {at} must be a list of columns, at least one")
        if columns.min() < 0:
            raise ValueError(f"group {at} has column {columns.min()}; columns count from 0")
    named = np.concatenate(lists)
    n = int(named.max()) + 1 if features is None else features
    if named.max() >= n:
        beyond = int(named[named >= n][0])
        raise ValueError(f"column {beyond} of the groups is beyond the {n} columns of the data")
    times = np.bincount(named, minlength=n)
    if (times != 1).any():
        column = int(np.flatnonzero(times != 1)[0])
        inside = [at for at, columns in enumerate(lists) if column in columns]
        told = f"{times[column]} times in the groups ({inside})" if inside else "in no group"
        raise ValueError(f"column {column} is {told}; each column must be in one group, once")
    number = np.empty(n, dtype=np.int64)
    number[named] = np.repeat(np.arange(len(lists)), [len(columns) for columns in lists])
    return number
