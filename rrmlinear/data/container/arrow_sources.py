"""Tables of Parquet and Arrow as examples, through the package pyarrow, some rows at a time."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.array_rows import in_order
from rrmlinear.data.container.array_sources import (
    LABELS,
    QUERY_IDS,
    WEIGHTS,
    say_summed,
)
from rrmlinear.data.container.pieces import ROWS_AT_ONCE, STORED_AT_ONCE, Piece, checked_pieces

PARQUET, ARROW_FILE, ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
#: The columns of lists that make sparse rows.
INDICES, VALUES = "indices", "values"
NAMES = {"labels": ("label", *LABELS, "target"), "weights": WEIGHTS, "query_ids": QUERY_IDS}


class ArrowExamples:
    """A table: a column of labels, and the features.

    The features are the two columns of lists ``indices`` (from 0) and ``values``, or else all other
    columns, in their order. Labels stand in ``label``, ``labels``, ``y`` or ``target``, weights in
    ``weights`` or ``sample_weight``, query ids in ``qid`` or ``query_ids``, unless ``columns``
    names others. Raises ValueError for nulls and columns that hold no numbers.
    """

    most_bytes: int | None = None

    def __init__(self, path: Any, columns: dict[str, str] | None = None):
        try:
            import pyarrow
        except ImportError:
            raise ValueError(
                f"{os.fsdecode(path)} is a table of Parquet or Arrow, which needs the package "
                "pyarrow: pip install 'rrmlinear[arrow]'"
            ) from None
        self.types = pyarrow.types
        self.path = path
        self.name = os.fsdecode(path)
        self.done, self.were_summed = 0, False
        with self._batches(1) as (schema, rows, _):
            self.total: int | None = rows
            self.columns = self._columns(schema, columns or {})
        others = [name for name in schema.names if name not in self.columns.values()]
        self.sparse = set(others) == {INDICES, VALUES}
        self.features = [] if self.sparse else others
        self.n_features: int | None = None if self.sparse else len(others)
        for name in others if not self.sparse else ():
            self._check_number(schema, name)

    def _columns(self, schema: Any, chosen: dict[str, str]) -> dict[str, str]:
        found = {}
        name, count = Counter(schema.names).most_common(1)[0] if schema.names else ("", 0)
        if count > 1:
            raise ValueError(
                f"{self.name} has {count} columns {name!r}; give each column a name of its own"
            )
        for field, names in NAMES.items():
            name = chosen.get(field, next((name for name in names if name in schema.names), None))
            if name is not None:
                if name not in schema.names:
                    raise ValueError(f"{self.name} has no column {name!r}; it has {schema.names}")
                self._check_number(schema, name)
                found[field] = name
        if "labels" not in found:
            raise ValueError(
                f"{self.name} has no column {' or '.join(map(repr, NAMES['labels']))}: name the "
                "one that has the labels (--labels)"
            )
        return found

    def _check_number(self, schema: Any, name: str) -> None:
        kind, types = schema.field(name).type, self.types
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
            what = "a dictionary" if types.is_dictionary(kind) else kind
            raise ValueError(
                f"column {name!r} of {self.name} holds {what}, not numbers; write its entries as "
                "numbers, in pandas by .astype or .cat.codes"
            )

    @contextmanager
    def _batches(self, rows_at_once: int) -> Iterator[tuple[Any, int | None, Iterator[Any]]]:
        """(schema, rows where they are known, batches of at most this many rows)."""
        import pyarrow

        with open(self.path, "rb") as file:
            head = file.read(len(ARROW_FILE))
        try:
            if head.startswith(PARQUET):
                from pyarrow.parquet import ParquetFile

                with ParquetFile(self.name) as table:
                    batches = table.iter_batches(rows_at_once)
                    yield table.schema_arrow, table.metadata.num_rows, batches
                return
            with pyarrow.OSFile(self.name) as file:
                if head.startswith(ARROW_FILE):
                    table = pyarrow.ipc.open_file(file)
                    batches = (table.get_batch(k) for k in range(table.num_record_batches))
                else:
                    table = batches = pyarrow.ipc.open_stream(file)
                yield table.schema, None, _cut(batches, rows_at_once)
        except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as error:
            raise ValueError(f"{self.name} cannot be read: {error}") from None
        except OSError as error:
            if error.errno is not None:
                raise
            raise ValueError(f"{self.name} cannot be read: {error}") from None

    def pieces(self) -> Iterator[Piece]:
        d = len(self.features)
        rows = max(1, min(ROWS_AT_ONCE, STORED_AT_ONCE // max(d, 1))) if not self.sparse else 4096
        with self._batches(rows) as (_, _, batches):
            for batch in batches:
                if batch.num_rows:
                    yield from self._of_batch(batch)
        if self.were_summed:
            say_summed(self.name)

    def _of_batch(self, batch: Any) -> Iterator[Piece]:
        if self.sparse:
            matrix = self._sparse(batch)
            if not matrix.has_canonical_format:
                matrix, was = in_order(matrix)
                self.were_summed |= was
        else:
            matrix = self._dense(batch)
        labels, weights = (self._column(batch, field, "f8") for field in ("labels", "weights"))
        ids = self._column(batch, "query_ids", "i8")
        place = self.name, self.done, "table"
        for piece in checked_pieces(place, matrix, labels, weights, ids):
            self.done += len(piece.ends)
            yield piece

    def _column(self, batch: Any, field: str, dtype: str) -> NDArray[Any] | None:
        if field not in self.columns:
            return None
        values = self._numbers(batch.column(self.columns[field]), self.columns[field])
        if dtype == "i8" and values.dtype.kind not in "iu":
            raise ValueError(
                f"column {self.columns[field]!r} of {self.name} must hold whole numbers"
            )
        return values.astype(dtype)

    def _numbers(self, column: Any, name: str) -> NDArray[Any]:
        if column.null_count:
            raise ValueError(f"column {name!r} of {self.name} has nulls, which are no numbers")
        values: NDArray[Any] = column.to_numpy(zero_copy_only=False)
        return values

    def _dense(self, batch: Any) -> NDArray[Any]:
        columns = [self._numbers(batch.column(name), name) for name in self.features]
        floats = all(column.dtype == np.float32 for column in columns) and columns
        shape = batch.num_rows, len(columns)
        matrix = np.empty(shape, dtype=np.float32 if floats else np.float64)
        for k, column in enumerate(columns):
            matrix[:, k] = column
        return matrix

    def _sparse(self, batch: Any) -> Any:
        """Rows of lists as a CSR matrix, up to their largest index."""
        from scipy.sparse import csr_array

        parts = {}
        for name in (INDICES, VALUES):
            column = batch.column(name)
            if not (self.types.is_list(column.type) or self.types.is_large_list(column.type)):
                raise ValueError(f"column {name!r} of {self.name} holds {column.type}, not lists")
            self._numbers_of_lists(column, name)
            ends = np.concatenate(([0], np.cumsum(column.value_lengths().to_numpy())))
            parts[name] = ends, self._numbers(column.flatten(), name)
        (ends, indices), (other, values) = parts[INDICES], parts[VALUES]
        if not np.array_equal(ends, other):
            raise ValueError(
                f"{self.name} has lists of indices and of values that differ in length"
            )
        if indices.dtype.kind not in "iu" or (indices.size and indices.min() < 0):
            raise ValueError(f"column {INDICES!r} of {self.name} must hold numbers from 0")
        if values.dtype not in (np.float32, np.float64):
            values = values.astype(np.float64)
        width = int(indices.max()) + 1 if indices.size else 0
        return csr_array((values, indices.astype(np.int64), ends), shape=(len(ends) - 1, width))

    def _numbers_of_lists(self, column: Any, name: str) -> None:
        if column.null_count:
            raise ValueError(f"column {name!r} of {self.name} has nulls, which are no lists")
        kind = column.type.value_type
        if not (self.types.is_integer(kind) or self.types.is_floating(kind)):
            raise ValueError(
                f"column {name!r} of {self.name} holds lists of {kind}, not of numbers"
            )


def _cut(batches: Any, rows_at_once: int) -> Iterator[Any]:
    for batch in batches:
        for begin in range(0, batch.num_rows, rows_at_once):
            yield batch.slice(begin, rows_at_once)
