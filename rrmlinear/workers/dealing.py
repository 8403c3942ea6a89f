"""The examples of a data set in blocks, and how they are dealt to parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.container.signature import is_container
from rrmlinear.data.problem import Problem
from rrmlinear.data.rows import Rows
from rrmlinear.data.text.libsvm_format import read_and_tell


class Shape(NamedTuple):
    """Examples and features of a block, whether its rows are dense, and its labels by first
    appearance, with the sum of the weights of each; ``told`` is the warning of the reader. If there
    are more labels than a classification can have, only some are listed.
    """

    n: int
    d: int
    is_dense: bool
    labels: NDArray[np.float64]
    sums: NDArray[np.float64]
    #: The sum of all weights.
    total: float
    told: str = ""
    #: The ends of the labels.
    ends: tuple[float, float] | None = None
    names: tuple[Sequence[str] | None, Sequence[str] | None] = (None, None)


#: Labels of a block that are told to the client.
MAX_LABELS = 100_000


def read(path: str, strict: bool = False) -> tuple[Problem, str]:
    """The examples of a container or of LIBSVM text, and the warning of the reader or "".

    A container is opened alone: `shape_of` verifies its labels, `between` the blocks that it takes
    rows of. Query ids are refused, as all losses of workers know no sequences.
    """
    if not is_container(path):
        return read_and_tell(path, strict)
    problem = Problem.open(path)
    if problem.query_ids is not None:
        raise ValueError(f"{path} has query ids, which only losses of sequences take")
    return problem, ""


def shape_of(problem: Problem | None, told: str = "") -> Shape:
    """The shape of a block; None has no examples."""
    if problem is None or not problem.n_examples:
        return Shape(0, 0, False, np.zeros(0), np.zeros(0), 0.0, told)
    if problem.container is not None:
        problem.container.verify_labels()
    found, first, index = np.unique(problem.labels, return_index=True, return_inverse=True)
    order = np.argsort(first)[:MAX_LABELS]
    sums = np.bincount(index, problem.weights, len(found)).astype(np.float64)[order]
    n = problem.n_examples
    total = float(n if problem.weights is None else problem.weights.sum())
    is_dense = problem.rows.is_dense
    ends = float(found[0]), float(found[-1])
    names = problem.feature_names, problem.label_names
    return Shape(n, problem.n_features, is_dense, found[order], sums, total, told, ends, names)


@dataclass(frozen=True)
class Slice:
    """Examples ``begin`` … ``end`` − 1 of a block."""

    block: int
    begin: int
    end: int


def dealt(lengths: list[int], parts: int) -> list[list[Slice]]:
    """The examples of all blocks in their order, in runs of equal length; fewer where there are
    fewer examples than ``parts``.
    """
    total = sum(lengths)
    parts = max(1, min(parts, total))
    cuts = [total * k // parts for k in range(parts + 1)]
    dealt_out: list[list[Slice]] = [[] for _ in range(parts)]
    begin = 0
    for block, n in enumerate(lengths):
        for k in range(parts):
            first, last = max(cuts[k], begin), min(cuts[k + 1], begin + n)
            if first < last:
                dealt_out[k].append(Slice(block, first - begin, last - begin))
        begin += n
    return dealt_out


def between(problem: Problem, begin: int, end: int) -> Problem:
    """Examples ``begin`` … ``end`` − 1 of a block; those of a container are verified."""
    if problem.container is not None:
        problem.container.verify(begin, end)
    if begin == 0 and end == problem.n_examples:
        return problem
    weights = None if problem.weights is None else problem.weights[begin:end]
    return Problem(problem.rows.between(begin, end), problem.labels[begin:end], weights)


def joined(problems: list[Problem], n_features: int) -> Problem:
    """One problem of several in order, with this number of features."""
    rows = [each.rows for each in problems]
    if len(rows) > 1 or rows[0].shape[1] != n_features:
        rows = [_stacked(rows, n_features)]
    labels = [each.labels for each in problems]
    weights = None
    if any(each.weights is not None for each in problems):
        weights = np.concatenate(
            [np.ones(p.n_examples) if p.weights is None else p.weights for p in problems]
        )
    return Problem(rows[0], np.concatenate(labels), weights)


def _stacked(rows: list[Rows], n_features: int) -> Rows:
    if all(each.is_dense and each.shape[1] == n_features for each in rows):
        return Rows(np.concatenate([each.values for each in rows]), None, None, n_features)
    stored = [_stored(each) for each in rows]
    values = np.concatenate([each[0] for each in stored])
    indices = np.concatenate([each[1] for each in stored])
    lengths = np.concatenate(
        [
            each.lengths() if each.indptr is not None else np.count_nonzero(each.values, axis=1)
            for each in rows
        ]
    )
    indptr = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    return Rows(values, indices, indptr, n_features)


def _stored(rows: Rows) -> tuple[NDArray[Any], NDArray[Any]]:
    """The values of rows and their indices, one row after another; zeros of dense rows left out."""
    if rows.indptr is None or rows.indices is None:
        examples, features = np.nonzero(rows.values)
        return rows.values[examples, features], features.astype(np.int32)
    begin, end = int(rows.indptr[0]), int(rows.indptr[-1])
    return rows.values[begin:end], rows.indices[begin:end]
