"""Columns of a table as columns of a matrix: numbers, categories, lists, and Spark's vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

#: The fields of a vector as Spark writes it: type 0 is sparse, 1 dense.
VECTOR = {"type", "size", "indices", "values"}
CATEGORY = "="


def plain_type(kind: Any, types: Any) -> Any:
    """The type of the values of dictionaries and of runs."""
    while types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        kind = kind.value_type
    return kind


def is_number(kind: Any, types: Any) -> bool:
    """Whether a type has values that are numbers, 0 and 1 for truth values."""
    is_whole = types.is_integer(kind) or types.is_boolean(kind)
    return bool(is_whole or types.is_floating(kind) or types.is_decimal(kind))


def is_text(kind: Any, types: Any) -> bool:
    """Whether a type has words."""
    view = getattr(types, "is_string_view", lambda kind: False)
    return bool(types.is_string(kind) or types.is_large_string(kind) or view(kind))


def is_list(kind: Any, types: Any) -> bool:
    """Whether a type is one of lists of numbers."""
    lists = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    return bool(lists) and is_number(kind.value_type, types)


def is_vector(kind: Any, types: Any) -> bool:
    """Whether a type is the vector of Spark ML."""
    return bool(types.is_struct(kind)) and {field.name for field in kind} == VECTOR


class Column:
    """A column that becomes columns of a matrix, which have ``names``."""

    is_sparse = False

    def __init__(self, name: str, place: str):
        self.name, self.place = name, place
        self.names: Sequence[str] = (name,)
        self.rows = 0  # seen before

    def plain(self, column: Any) -> Any:
        """The column without dictionary, runs and chunks; ValueError where it has nulls."""
        import pyarrow

        if isinstance(column, pyarrow.ChunkedArray):
            column = column.combine_chunks()
        while pyarrow.types.is_run_end_encoded(column.type):
            column = pyarrow.compute.run_end_decode(column)
        if pyarrow.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if pyarrow.types.is_decimal(column.type):
            column = column.cast(pyarrow.float64())
        if column.null_count:
            row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
            raise ValueError(
                f"{self.place} has nulls, the first in row {self.rows + row}; each row, counted "
                "from 0, needs a value"
            )
        self.rows += len(column)
        return column

    def block(self, column: Any) -> Any:
        """Rows × len(names), dense or CSR."""
        raise NotImplementedError


class Numbers(Column):
    """A column of numbers."""

    def block(self, column: Any) -> Any:
        plain = self.plain(column)
        if not is_number(plain.type, _types()):
            raise ValueError(f"{self.place} holds {plain.type}, not numbers")
        return plain.to_numpy(zero_copy_only=False)[:, np.newaxis]


class Categories(Column):
    """A column of categories: a column of zeros and ones for each of its levels.

    Other levels than these have zeros; ``unknown`` counts them.
    """

    is_sparse = True

    def __init__(self, name: str, place: str, levels: Sequence[str]):
        super().__init__(name, place)
        self.levels = levels
        self.names = [f"{name}{CATEGORY}{level}" for level in levels]
        self.unknown: dict[str, int] = {}

    def words(self, column: Any) -> Any:
        """The levels of rows, as text."""
        import pyarrow

        plain = self.plain(column)
        if not _types().is_floating(plain.type):
            return plain.cast(pyarrow.large_string())
        coded = plain.dictionary_encode()  # whole numbers as those of a column of them
        texts = coded.dictionary.cast(pyarrow.string()).to_pylist()
        values = coded.dictionary.to_pylist()
        if max(map(abs, values), default=0) >= 1 << 53:
            raise ValueError(
                f"{self.place} has categories of 2^53 or more, which blocks of separated values "
                "round; a column of words or of whole numbers in Parquet keeps them"
            )
        both = zip(values, texts, strict=True)
        levels = [str(int(value)) if value.is_integer() else text for value, text in both]
        return pyarrow.array(levels, pyarrow.large_string()).take(coded.indices)

    def block(self, column: Any) -> Any:
        import pyarrow
        from pyarrow import compute
        from scipy.sparse import csr_array

        words = self.words(column)
        places = compute.index_in(words, value_set=pyarrow.array(self.levels, words.type))
        if places.null_count:
            missing = words.filter(places.is_null())
            for each in compute.value_counts(missing).to_pylist():
                self.unknown[each["values"]] = self.unknown.get(each["values"], 0) + each["counts"]
        codes = places.fill_null(-1).to_numpy(zero_copy_only=False)
        known = codes >= 0
        ends = np.concatenate(([0], np.cumsum(known)))
        return csr_array(
            (np.ones(int(ends[-1])), codes[known], ends), shape=(len(codes), len(self.levels))
        )

    def told(self) -> str:
        """A sentence on levels that are unknown, or ""."""
        if not self.unknown:
            return ""
        count, some = sum(self.unknown.values()), ", ".join(map(repr, list(self.unknown)[:3]))
        more = " …" if len(self.unknown) > 3 else ""
        return (
            f"{self.place}: {count} of {self.rows} rows have a level that the model does not know "
            f"({some}{more}); they count as none of its levels"
        )


class Lists(Column):
    """A column of lists of numbers, all of one length: an embedding."""

    def __init__(self, name: str, place: str, width: int):
        super().__init__(name, place)
        self.names = [f"{name}[{k}]" for k in range(width)]

    def block(self, column: Any) -> Any:
        plain = self.plain(column)
        width = len(self.names)
        flat = plain.flatten()
        types = _types()
        if not types.is_fixed_size_list(plain.type):
            lengths = plain.value_lengths().to_numpy(zero_copy_only=False)
            wrong = np.flatnonzero(lengths != width)
            if wrong.size:
                raise ValueError(
                    f"{self.place} has a list of {lengths[wrong[0]]} numbers where the first has "
                    f"{width}; all must have one length"
                )
        if flat.null_count:
            raise ValueError(f"{self.place} has lists with nulls, which are no numbers")
        return flat.to_numpy(zero_copy_only=False).reshape(len(plain), width)


class Vectors(Lists):
    """A column of vectors as Spark ML writes them, sparse and dense ones."""

    is_sparse = True

    def block(self, column: Any) -> Any:
        from scipy.sparse import csr_array

        plain, width = self.plain(column), len(self.names)
        n = len(plain)
        sparse = plain.field("type").to_numpy(zero_copy_only=False) == 0
        indices, values = (plain.field(name) for name in ("indices", "values"))
        lengths = values.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        others = indices.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        sizes = plain.field("size").fill_null(width).to_numpy(zero_copy_only=False)
        wrong = np.flatnonzero(np.where(sparse, sizes, lengths) != width)
        if wrong.size:
            size = np.where(sparse, sizes, lengths)[wrong[0]]
            raise ValueError(
                f"{self.place} has a vector of size {size} where the first has {width}; all must "
                "have one size"
            )
        if not np.array_equal(others[sparse], lengths[sparse]):
            raise ValueError(f"{self.place} has indices and values that differ in length")
        ends = np.concatenate(([0], np.cumsum(lengths)))
        places = np.arange(ends[-1]) - np.repeat(ends[:-1], lengths)  # those of dense vectors
        given = indices.flatten().to_numpy(zero_copy_only=False)
        places[np.repeat(sparse, lengths)] = given[np.repeat(sparse, others)]
        if places.size and not 0 <= places.min() <= places.max() < width:
            raise ValueError(f"{self.place} has an index outside 0 … {width - 1}")
        flat = values.flatten().to_numpy(zero_copy_only=False)
        return csr_array((flat, places, ends), shape=(n, width))


def width_of(column: Any) -> int:
    """The length of the first list or vector of a column; 0 where there is none."""
    if not len(column):
        return 0
    first = column[0].as_py()
    if isinstance(first, dict):
        return len(first["values"] or ()) if first["size"] is None else int(first["size"])
    return len(first or ())


def _types() -> Any:
    import pyarrow

    return pyarrow.types
