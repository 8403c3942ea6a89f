"""Facts of a data set: its size, lengths of rows and columns, and labels, in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.problem import Problem
from rrmlinear.data.rows import Rows
from rrmlinear.data.sequences import SequenceProblem

#: Stored values of a step: memory does not grow with the examples.
AT_ONCE = 1 << 22
#: Labels are numbers to predict, not classes, where more of them than this are distinct.
MOST_CLASSES = 1000


@dataclass(frozen=True)
class Spread:
    """The least, the median and the largest of some numbers."""

    least: float
    median: float
    largest: float

    @classmethod
    def of(cls, numbers: NDArray[Any]) -> Spread | None:
        """Of an array; None where it is empty."""
        if not numbers.size:
            return None
        return cls(float(numbers.min()), float(np.median(numbers)), float(numbers.max()))

    @property
    def ratio(self) -> float:
        """The largest over the least."""
        return self.largest / self.least


@dataclass(frozen=True, eq=False)
class DataFacts:
    """n examples of d features.

    ``row_norms`` and ``column_norms`` are of rows and columns that are not all zero; ``unused``
    counts columns that are, ``empty`` such rows. ``sequences`` counts sequences and ``queries``
    queries, or what ``groups_are``, None without them. ``labels`` with their ``counts`` are
    classes, both None where labels are numbers, of the spread ``numbers``. ``weighted`` says
    whether examples have weights; ``names`` are those of the features.
    """

    n: int
    d: int
    stored: int
    is_dense: bool
    memory: int
    empty: int
    unused: int
    row_norms: Spread | None
    column_norms: Spread | None
    labels: NDArray[Any] | None
    counts: NDArray[np.int64] | None
    numbers: Spread | None
    weighted: bool
    sequences: int | None = None
    names: Sequence[str] | None = None
    queries: int | None = None
    groups_are: str = "queries"

    @property
    def density(self) -> float:
        """Stored values per place of the matrix."""
        return self.stored / (self.n * self.d) if self.n and self.d else 0.0

    @property
    def rarest(self) -> float:
        """The part of the examples that the smallest class has."""
        assert self.counts is not None
        return float(self.counts.min()) / self.n


def facts_of(problem: Problem | SequenceProblem, as_numbers: bool | None = None) -> DataFacts:
    """The facts of a problem, but for an appended column.

    ``as_numbers`` says whether labels are numbers to predict; None: as they look.
    """
    rows = problem.rows.with_bias(-1.0)
    n, d = rows.shape
    row_norms = np.sqrt(rows.squared_norms())
    column_norms = np.sqrt(column_squares(rows))
    labels: NDArray[Any] | None
    counts: NDArray[np.int64] | None
    if isinstance(problem, SequenceProblem):
        labels, counts = problem.labels, np.bincount(problem.label, minlength=problem.n_labels)
        numbers, sequences, queries = None, problem.n_sequences, None
    else:
        sequences, ids = None, problem.query_ids
        queries = None if ids is None else len(np.unique(ids))
        words = problem.label_names
        labels, counts, numbers = _labels_of(problem.labels, as_numbers and words is None)
        if words is not None and labels is not None:
            labels = np.array([words[label - 1] for label in labels.tolist()])
    return DataFacts(
        n,
        d,
        rows.n_stored,
        rows.is_dense,
        rows.n_bytes,
        int((row_norms == 0).sum()),
        int((column_norms == 0).sum()),
        Spread.of(row_norms[row_norms > 0]),
        Spread.of(column_norms[column_norms > 0]),
        labels,
        counts,
        numbers,
        problem.weights is not None,
        sequences,
        getattr(problem, "feature_names", None),
        queries,
    )


def _labels_of(
    labels: NDArray[np.float64], as_numbers: bool | None
) -> tuple[NDArray[Any] | None, NDArray[np.int64] | None, Spread | None]:
    values, counts = np.unique(labels, return_counts=True)
    whole = bool((values == np.rint(values)).all())
    if as_numbers is None:
        as_numbers = not whole or len(values) > MOST_CLASSES
    if as_numbers:
        return None, None, Spread.of(labels)
    return (values.astype(np.int64) if whole else values), counts, None


def column_squares(rows: Rows) -> NDArray[np.float64]:
    """The squared length of each column."""
    squares = np.zeros(rows.shape[1])
    for part in _parts(rows):
        if part.indices is None or part.indptr is None:
            squares += np.einsum("ij,ij->j", part.values, part.values, dtype=np.float64)
            continue
        inside = slice(int(part.indptr[0]), int(part.indptr[-1]))
        values = part.values[inside].astype(np.float64, copy=False)
        np.add.at(squares, part.indices[inside], values * values)
    return squares


def _parts(rows: Rows) -> Iterator[Rows]:
    n = rows.shape[0]
    step = max(1, AT_ONCE * n // max(rows.n_stored, 1))
    for begin in range(0, n, step):
        yield rows.between(begin, begin + step)
