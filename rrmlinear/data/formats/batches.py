"""Readers of examples by batches: pieces for a file that is written, a Problem for a solver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.records import replace
from rrmlinear.core.warned import warn_caller
from rrmlinear.data.array_rows import in_order
from rrmlinear.data.container.pieces import Piece, checked_pieces
from rrmlinear.data.formats.asked import BY_EXAMPLE, Asked
from rrmlinear.data.formats.beside import read_names, read_vector
from rrmlinear.data.formats.words import are_words, numbered_words
from rrmlinear.data.problem import Problem


@dataclass(frozen=True)
class Batch:
    """Some rows, a dense array or a CSR matrix, with what they have: numbers for each row."""

    matrix: Any
    labels: NDArray[np.float64] | None
    weights: NDArray[np.float64] | None = None
    query_ids: NDArray[np.int64] | None = None
    offset: NDArray[np.float64] | None = None
    exposure: NDArray[np.float64] | None = None
    entry: NDArray[np.float64] | None = None


class BatchExamples:
    """What readers of formats share. A reader offers `batches`, in order, again each time.

    Labels that are words come as their numbers, and ``label_names`` has the words.
    ``is_labelled`` is False for a file without labels; then all of them are 0.
    """

    most_bytes: int | None = None
    #: What rows are counted in, for errors.
    form = "file"
    #: Where labels may come from.
    labels_from = "name a file that has them, .npy or one on each line (--labels)"

    def __init__(self, name: str, asked: Asked):
        self.name, self.asked = name, asked
        self.done = 0
        self.total: int | None = None
        self.n_features: int | None = None
        self.feature_names: Sequence[str] | None = None
        self.label_names: Sequence[str] | None = None
        self.is_labelled = True

    def batches(self) -> Iterator[Batch]:
        """All rows, in order."""
        raise NotImplementedError

    def pieces(self) -> Iterator[Piece]:
        """All examples, in order, checked."""
        self.done, were_summed = 0, False
        for batch in self.batches():
            matrix, was = _ordered(batch.matrix)
            were_summed |= was
            n = matrix.shape[0]
            if not n:
                continue
            labels = self._labels(batch.labels, n)
            place = self.name, self.done, self.form
            for piece in checked_pieces(place, matrix, labels, batch.weights, batch.query_ids):
                self.done += len(piece.ends)
                yield piece
        self._say_summed(were_summed)

    def problem(self) -> Problem:
        """All examples in memory."""
        batches = [batch for batch in self.batches() if batch.matrix.shape[0]]
        if not batches:
            raise ValueError(f"{self.name} has no examples; at least one is needed")
        matrix, were_summed = _ordered(stacked([batch.matrix for batch in batches]))
        self._say_summed(were_summed)
        labels, weights, ids, offset, exposure, entry = (
            _end_to_end([getattr(batch, field) for batch in batches]) for field in BY_EXAMPLE
        )
        try:
            labels = self._labels(labels, matrix.shape[0])
            beside = {"offset": offset, "exposure": exposure}
            made = Problem.from_arrays(matrix, labels, weights, **beside)
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}{self._column_in(matrix)}") from None
        names = {"feature_names": self.feature_names, "label_names": self.label_names}
        return replace(made, query_ids=ids, entry=entry, **names)

    def _taken(self, found: dict[str, Any]) -> dict[str, Any]:
        """Vectors of all examples, checked; words become numbers. ValueError without labels."""
        columns = {
            field: None if values is None else self._column(field, np.asarray(values))
            for field, values in found.items()
        }
        self.is_labelled = columns["labels"] is not None
        if not self.is_labelled and not self.asked.unlabelled:
            raise ValueError(f"{self.name} has no labels: {self.labels_from}")
        return columns

    def _column(self, field: str, column: NDArray[Any]) -> NDArray[Any]:
        where = getattr(self.asked, field) or f"{field} of {self.name}"
        if column.shape != (self.total,):
            raise ValueError(
                f"{where} has shape {column.shape}, and there are {self.total} examples in "
                f"{self.name}"
            )
        if are_words(column) and field == "labels":
            column, self.label_names = numbered_words(column, where)
        return as_numbers(column, field, where)

    def _labels(self, labels: NDArray[np.float64] | None, n: int) -> NDArray[np.float64]:
        return np.zeros(n) if labels is None else labels

    def _check_names(self, where: str) -> None:
        if self.feature_names is not None and len(self.feature_names) != self.n_features:
            said = f"{where} has {len(self.feature_names)} names, and {self.name} {self.n_features}"
            raise ValueError(f"{said} features")

    def _say_summed(self, were_summed: bool) -> None:
        if were_summed:
            warn_caller(f"{self.name} has repeated column indices: repeated entries are summed")

    def _column_in(self, matrix: Any) -> str:
        """The name of the column whose value is not finite, where there are names."""
        if self.feature_names is None or not isinstance(matrix, np.ndarray):
            return ""
        wrong = np.flatnonzero(~np.isfinite(matrix).all(axis=0))
        return f"; column {wrong[0]} is {self.feature_names[wrong[0]]!r}" if wrong.size else ""


class MatrixExamples(BatchExamples):
    """A matrix that is in memory as a whole, with vectors in files beside it, or of its own.

    A reader offers `matrix` and, where the file has some, `own`.
    """

    #: Whether the file itself tells which way is up.
    is_upright = False

    def matrix(self) -> Any:
        """The rows, CSR or dense."""
        raise NotImplementedError

    def own(self, field: str, name: str | None) -> Any:
        """The labels, weights or query ids that the file has by this name; None: there are none."""
        return None if name is None else read_vector(name)

    def batches(self) -> Iterator[Batch]:
        matrix = self.matrix()
        found = {field: self.own(field, getattr(self.asked, field)) for field in BY_EXAMPLE}
        if self.asked.names is not None:
            self.feature_names = read_names(self.asked.names)
        matrix = self._upright(matrix, found["labels"])
        self.total, self.n_features = matrix.shape
        self._check_names(self.asked.names or self.name)
        columns = self._taken(found)
        matrix, were_summed = _ordered(matrix)
        self._say_summed(were_summed)
        yield Batch(matrix, **columns)

    def _upright(self, matrix: Any, labels: Any) -> Any:
        """The matrix with a row for each example, turned if it was asked for or sizes say so."""
        rows, columns = matrix.shape
        turn = self.asked.transpose
        if not turn and not self.is_upright and rows != columns:
            known = self.feature_names
            d = self.asked.n_features if known is None else len(known)
            n = None if labels is None else len(labels)
            turn = (n == columns or d == rows) and n != rows and d != columns
            if turn:
                warn_caller(
                    f"{self.name} is {rows} x {columns} and is turned: its columns are the "
                    f"examples, as {f'{n} labels' if n == columns else f'{d} features'} tell"
                )
        return (matrix.T.tocsr() if hasattr(matrix, "tocsr") else matrix.T) if turn else matrix


def as_numbers(column: NDArray[Any], field: str, where: str) -> NDArray[Any]:
    """Labels and weights as doubles, query ids as whole numbers. ValueError for others."""
    if column.dtype.kind not in "iufb":
        what = "words" if are_words(column) else str(column.dtype)
        raise ValueError(f"{where} holds {what}, not numbers")
    if field == "query_ids" and column.dtype.kind not in "iu":
        raise ValueError(f"{where} holds {column.dtype}, and must hold whole numbers")
    return np.ascontiguousarray(column, dtype="i8" if field == "query_ids" else "f8")


def _ordered(matrix: Any) -> tuple[Any, bool]:
    if not hasattr(matrix, "tocsr"):
        return matrix, False
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    return (matrix, False) if matrix.has_canonical_format else in_order(matrix)


def stacked(parts: list[Any]) -> Any:
    """Rows of parts, one behind the other; sparse ones may differ in width."""
    if len(parts) == 1:
        return parts[0]
    if not any(hasattr(part, "tocsr") for part in parts):
        return np.concatenate(parts)
    from scipy.sparse import csr_array, vstack

    width = max(part.shape[1] for part in parts)
    wide = [csr_array(part) for part in parts]
    for part in wide:
        part.resize((part.shape[0], width))
    return vstack(wide, format="csr")


def _end_to_end(parts: list[Any]) -> Any:
    return None if any(part is None for part in parts) else np.concatenate(parts)
