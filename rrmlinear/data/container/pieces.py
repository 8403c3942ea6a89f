"""Pieces of examples on their way to a file, and pieces of the arrays of a Problem."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.container.set_names import KnownNames, Names
from rrmlinear.data.label_sets import MultilabelProblem
from rrmlinear.data.problem import Problem

#: Stored values, and rows, of a piece of arrays.
STORED_AT_ONCE = 1 << 17
ROWS_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class Sets:
    """Labels of some examples: example i has the numbers from ends[i − 1] to ends[i] − 1."""

    numbers: NDArray[np.int32]
    ends: NDArray[np.int64]
    names: Names

    def between(self, begin: int, end: int) -> Sets:
        """Those of examples begin … end − 1."""
        first = int(self.ends[begin - 1]) if begin else 0
        last = int(self.ends[end - 1])
        return Sets(self.numbers[first:last], self.ends[begin:end] - first, self.names)


@dataclass(frozen=True)
class Piece:
    """Some examples: row i has the values and indices from ends[i − 1] to ends[i] − 1.

    There are labels, or sets of them. The arrays may lie in memory that the next piece takes; a
    writer uses them at once.
    """

    values: NDArray[Any]
    indices: NDArray[Any]
    ends: NDArray[np.int64]
    labels: NDArray[np.float64] | None
    weights: NDArray[np.float64] | None = None
    query_ids: NDArray[np.int64] | None = None
    sets: Sets | None = None

    def between(self, begin: int, end: int) -> Piece:
        """Examples begin … end − 1 of these."""
        first = int(self.ends[begin - 1]) if begin else 0
        last = int(self.ends[end - 1])
        return Piece(
            self.values[first:last],
            self.indices[first:last],
            self.ends[begin:end] - first,
            None if self.labels is None else self.labels[begin:end],
            None if self.weights is None else self.weights[begin:end],
            None if self.query_ids is None else self.query_ids[begin:end],
            None if self.sets is None else self.sets.between(begin, end),
        )


def cuts(ends: NDArray[np.int64], stored: int = STORED_AT_ONCE) -> Iterator[tuple[int, int]]:
    """(begin, end) of rows that make pieces of about ``stored`` values; ``ends`` as in `Piece`."""
    begin, n_rows = 0, len(ends)
    while begin < n_rows:
        before = int(ends[begin - 1]) if begin else 0
        end = int(np.searchsorted(ends, before + stored, side="right"))
        end = min(max(end, begin + 1), begin + ROWS_AT_ONCE, n_rows)
        yield begin, end
        begin = end


def pieces_of(problem: Problem | MultilabelProblem) -> Iterator[Piece]:
    """The examples of a problem, without zeros of dense rows and without an appended column."""
    rows, sets = problem.rows, None
    labels, query_ids = None, None
    if isinstance(problem, MultilabelProblem):
        matrix, known = problem.labels.matrix(), problem.labels
        names = KnownNames(known.names, np.arange(known.n_labels))
        sets = Sets(matrix.indices, matrix.indptr[1:].astype(np.int64), names)
    else:
        labels, query_ids = problem.labels, problem.query_ids
    lengths = rows.lengths()
    for begin, end in cuts(np.cumsum(lengths)):
        if rows.indptr is None or rows.indices is None:
            at, indices = np.nonzero(rows.values[begin:end])
            values = rows.values[begin:end][at, indices]
            ends = np.cumsum(np.bincount(at, minlength=end - begin))
            indices = indices.astype(np.int64)
        else:
            first, last = int(rows.indptr[begin]), int(rows.indptr[end])
            values, indices = rows.values[first:last], rows.indices[first:last]
            ends = rows.indptr[begin + 1 : end + 1].astype(np.int64) - first
        yield Piece(
            values,
            indices,
            ends,
            None if labels is None else labels[begin:end],
            None if problem.weights is None else problem.weights[begin:end],
            None if query_ids is None else query_ids[begin:end],
            None if sets is None else sets.between(begin, end),
        )


def checked_pieces(
    place: tuple[str, int, str],
    matrix: Any,
    labels: Any,
    weights: Any = None,
    query_ids: NDArray[np.int64] | None = None,
) -> Iterator[Piece]:
    """The pieces of some rows of a file, checked and in order as `Problem.from_arrays` has them.

    ``place`` has the name of the file, the number of the first of these rows and a word for what
    the file is, for errors.
    """
    name, first, form = place
    try:
        problem = Problem.from_arrays(matrix, labels, weights)
    except ValueError as error:
        told = f"{name}: {error}, where rows count from row {first} of the {form}"
        raise ValueError(told) from None
    yield from pieces_of(replace(problem, query_ids=query_ids))
