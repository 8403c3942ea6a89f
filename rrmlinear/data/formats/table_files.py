"""The files of tables, Parquet, Arrow, Feather and CSV: record batches of each, by pyarrow."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rrmlinear.data.container.signature import head_of
from rrmlinear.data.text.byte_streams import open_to_read
from rrmlinear.data.text.compression import SUFFIXES
from rrmlinear.data.text.libsvm_errors import shown

PARQUET, ARROW_FILE, ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
#: Separated values by suffix; of these marks the one that the header has most often is taken.
SEPARATORS = {".csv": ",;", ".tsv": "\t"}
#: Bytes in which the header of separated values ends.
LONGEST_HEADER = 1 << 24
#: Columns in which pandas keeps an index.
INDEX = "__index_level_"


def separators_of(name: str) -> str:
    """The marks that may separate the columns of a file with this name, which may be compressed;
    "" for other names.
    """
    base, suffix = os.path.splitext(name)
    suffix = os.path.splitext(base)[1] if suffix in SUFFIXES else suffix
    return SEPARATORS.get(suffix, "")


def needed(name: str) -> Any:
    """The package pyarrow, or a ValueError that says how it comes."""
    try:
        import pyarrow

        return pyarrow
    except ImportError:
        what = "separated values" if separators_of(name) else "a table of Parquet or Arrow"
        raise ValueError(
            f"{name} is {what}, which needs the package pyarrow: pip install 'rrmlinear[arrow]'"
        ) from None


class TableFile:
    """A table in a file: its ``schema``, its ``rows`` where they are known, and its batches."""

    def __init__(self, name: str):
        self.name = name
        self.pyarrow = needed(name)
        self.separators = separators_of(name)
        head = b"" if self.separators else head_of(name)
        self.is_parquet, self.is_file = head.startswith(PARQUET), head.startswith(ARROW_FILE)
        self.rows: int | None = None
        if self.separators:
            self.mark, self.header = _header_of(name, self.separators)
        with self._sentences():
            self.schema = self._schema()

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except (self.pyarrow.ArrowInvalid, self.pyarrow.ArrowNotImplementedError) as error:
            raise ValueError(f"{self.name} cannot be read: {error}") from None
        except OSError as error:
            if error.errno is not None:
                raise
            raise ValueError(f"{self.name} cannot be read: {error}") from None

    def _schema(self) -> Any:
        if self.is_parquet:
            from pyarrow.parquet import ParquetFile

            with ParquetFile(self.name) as table:
                self.rows = table.metadata.num_rows
                return table.schema_arrow
        if self.separators:
            with self._values(None) as reader:
                return reader.schema
        with self._arrow() as table:
            return table.schema

    def batches(self, at_once: int, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Record batches of at most this many rows, with these columns or all."""
        with self._sentences():
            if self.is_parquet:
                from pyarrow.parquet import ParquetFile

                with ParquetFile(self.name) as table:
                    yield from table.iter_batches(at_once, columns=columns)
            elif self.separators:
                with self._values(columns) as reader:
                    yield from _cut(reader, at_once)
            else:
                with self._arrow() as table:
                    batches = table
                    if self.is_file:
                        numbers = range(table.num_record_batches)
                        batches = (table.get_batch(number) for number in numbers)
                    for batch in _cut(batches, at_once):
                        yield batch if columns is None else batch.select(columns)

    def whole(self) -> list[Any]:
        """All batches, in memory. Types of separated values come from all lines, not the first."""
        with self._sentences():
            if self.is_parquet:
                from pyarrow.parquet import read_table

                return read_table(self.name, partitioning=None).to_batches()  # type: ignore[no-any-return]
            if self.separators:
                from pyarrow import csv

                with self._stream() as stream:
                    table = csv.read_csv(stream, parse_options=self._parse_options())
                self.schema = table.schema
                return table.to_batches()  # type: ignore[no-any-return]
            return list(self.batches(1 << 62))

    def spelled(self, column: str) -> dict[bool, str]:
        """The words that separated values have for truth values in a column of them."""
        if not self.separators:
            return {}
        from pyarrow import csv

        types = {column: self.pyarrow.string()}
        options = csv.ConvertOptions(column_types=types, include_columns=[column])
        with self._sentences(), self._stream() as stream:
            table = csv.read_csv(
                stream, parse_options=self._parse_options(), convert_options=options
            )
        words = [word for word in table.column(0).unique().to_pylist() if word.isalpha()]
        return {word.lower() == "true": word for word in words}

    @contextmanager
    def _arrow(self) -> Iterator[Any]:
        with self.pyarrow.OSFile(self.name) as file:
            opened = self.pyarrow.ipc.open_file if self.is_file else self.pyarrow.ipc.open_stream
            yield opened(file)

    @contextmanager
    def _stream(self) -> Iterator[Any]:
        """The bytes of separated values, plain."""
        if os.path.splitext(self.name)[1] in SUFFIXES:
            with open_to_read(self.name) as (stream, _):
                yield stream
        else:
            with self.pyarrow.OSFile(self.name) as file:
                yield file

    def _parse_options(self) -> Any:
        from pyarrow import csv

        return csv.ParseOptions(delimiter=self.mark, newlines_in_values=False)

    @contextmanager
    def _values(self, columns: Sequence[str] | None) -> Iterator[Any]:
        """A reader of separated values in batches; numbers of the first block are doubles, as
        later ones may have a point.
        """
        from pyarrow import csv

        types = {}
        known = getattr(self, "schema", None)
        if known is None:
            with self._stream() as stream:
                known = csv.open_csv(stream, parse_options=self._parse_options()).schema
        for field in known:
            is_number = self.pyarrow.types.is_integer(field.type)
            types[field.name] = self.pyarrow.float64() if is_number else field.type
        options = csv.ConvertOptions(column_types=types, include_columns=columns or [])
        with self._stream() as stream:
            yield csv.open_csv(stream, parse_options=self._parse_options(), convert_options=options)


def _cut(batches: Any, at_once: int) -> Iterator[Any]:
    for batch in batches:
        for begin in range(0, batch.num_rows, at_once):
            yield batch.slice(begin, at_once)


def _header_of(name: str, marks: str) -> tuple[str, list[str]]:
    """(the separator, the cells of the first line). ValueError for a line of no names."""
    with open_to_read(name) as (stream, _):
        data = b""
        while b"\n" not in data and len(data) < LONGEST_HEADER and (more := stream.read(1 << 16)):
            data += more
    try:
        line = data.partition(b"\n")[0].decode("utf-8-sig").strip("\r")
    except UnicodeDecodeError as error:
        raise ValueError(f"{name}, line 1: byte {data[error.start]} is not UTF-8") from None
    mark = max(marks, key=line.count)
    cells = [cell.strip().strip('"') for cell in line.split(mark)]
    if not line:
        raise ValueError(f"{name} is empty, or has no header; its first line names the columns")
    for at, cell in enumerate(cells, 1):
        if not cell:
            raise ValueError(
                f"{name}, line 1: column {at} has no name; each needs one (pandas writes an index "
                "without a name: to_csv(..., index=False) leaves it out)"
            )
    if all(_is_number(cell) for cell in cells):
        raise ValueError(
            f"{name}, line 1: found the number {shown(cells[0])} where the name of a column is "
            "expected; the first line names the columns"
        )
    return mark, cells


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_column(name: str, column: str) -> Any:
    """One column of a table, numbers or words."""
    file = TableFile(name)
    if column not in file.schema.names:
        raise ValueError(f"{name} has no column {column!r}; it has {file.schema.names}")
    table = file.pyarrow.Table.from_batches(file.whole()).column(column)
    if table.null_count:
        raise ValueError(f"column {column!r} of {name} has nulls; each row needs a value")
    return table.to_numpy()
