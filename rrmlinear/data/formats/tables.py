"""Tables as examples: a column of labels, and features by name."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.warned import warn_caller
from rrmlinear.data.container.pieces import ROWS_AT_ONCE, STORED_AT_ONCE
from rrmlinear.data.formats.arrays import LABELS, QUERY_IDS, WEIGHTS
from rrmlinear.data.formats.asked import ALL, BY_EXAMPLE, Asked
from rrmlinear.data.formats.batches import Batch, BatchExamples, as_numbers
from rrmlinear.data.formats.table_columns import (
    CATEGORY,
    Categories,
    Column,
    Lists,
    Numbers,
    Vectors,
    is_list,
    is_number,
    is_text,
    is_vector,
    plain_type,
    width_of,
)
from rrmlinear.data.formats.table_files import INDEX, TableFile
from rrmlinear.data.formats.words import checked_words, order_by
from rrmlinear.data.problem import Problem

#: The columns of lists that make sparse rows.
INDICES, VALUES = "indices", "values"
#: The names that columns usually have; an offset is asked for alone.
NAMES: dict[str, tuple[str, ...]] = dict.fromkeys(BY_EXAMPLE, ()) | {
    "labels": ("label", *LABELS, "target"),
    "weights": WEIGHTS,
    "query_ids": QUERY_IDS,
}
#: Rows of lists that are read together.
LISTS_AT_ONCE = 4096


class TableExamples(BatchExamples):
    """The features are the two columns of lists ``indices`` (from 0) and ``values``, or else all
    other columns, in their order.

    Labels stand in ``label``, ``labels``, ``y`` or ``target``, weights in ``weights`` or
    ``sample_weight``, query ids in ``qid`` or ``query_ids``, unless others are asked for. A column
    of words is one of categories where that is asked for. With the features of a model, columns are
    taken by their names. Raises ValueError for nulls, and for columns that hold no numbers.
    """

    form = "table"

    def __init__(self, paths: Sequence[Any], asked: Asked):
        self.files = [TableFile(os.fsdecode(path)) for path in paths]
        several = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        super().__init__(self.files[0].name + several, asked)
        if asked.names is not None:
            raise ValueError(f"--names has no effect: {self.name} has the names of its columns")
        if asked.transpose:
            raise ValueError(f"--transpose has no effect: {self.name} has a row for each example")
        self.types = self.files[0].pyarrow.types
        self.held: list[Any] | None = None
        #: The words of truth values that are labels.
        self.spelled = {False: "False", True: "True"}
        rows = [file.rows for file in self.files]
        self.total = None if None in rows else sum(rows)  # type: ignore[arg-type]
        self.is_planned = False

    def _plan(self) -> None:
        """Find the columns, and the levels of those with words: a pass over each of these."""
        self.is_planned = True
        schema = self.files[0].schema
        names = [name for name in schema.names if not name.startswith(INDEX)]
        self._check_columns(names)
        self.columns = self._beside(schema, names)
        self.vectors = {
            field: Numbers(name, self._place(name)) for field, name in self.columns.items()
        }
        self.is_labelled = "labels" in self.columns
        others = [name for name in names if name not in self.columns.values()]
        self.pairs = set(others) == {INDICES, VALUES}
        self.chosen: list[Column] = [] if self.pairs else self._features(schema, others)
        self.n_features = None if self.pairs else sum(len(each.names) for each in self.chosen)
        self.order: NDArray[np.int64] | None = None
        if not self.pairs:
            self.feature_names = [name for each in self.chosen for name in each.names]
            self._check_different(self.feature_names, "features")
            if self.asked.features is not None:
                features, known = list(self.asked.features), {each.name for each in self.chosen}
                others = [name for name in others if name not in known]
                order = order_by(self.feature_names, features, self.name, others)
                if not np.array_equal(order, np.arange(len(self.feature_names))):
                    self.order = order
                self.feature_names, self.n_features = features, len(features)
        if self.is_labelled:
            field = schema.field(self.columns["labels"])
            kind, place = plain_type(field.type, self.types), self._place(field.name)
            if self.types.is_boolean(kind):
                for file in self.files:
                    self.spelled |= file.spelled(field.name)
                self.label_names = tuple(sorted(self.spelled.values()))
            elif is_text(kind, self.types):
                self.label_names = checked_words(
                    self._levels(Categories(field.name, place, ())), place
                )

    def _check_different(self, names: Sequence[str], what: str) -> None:
        name, count = Counter(names).most_common(1)[0] if names else ("", 0)
        if count > 1:
            raise ValueError(
                f"{self.name} has {count} {what} {name!r}; give each column a name of its own"
            )

    def _check_columns(self, names: Sequence[str]) -> None:
        self._check_different(names, "columns")
        for file in self.files[1:]:
            missing = [name for name in names if name not in file.schema.names]
            if missing:
                raise ValueError(f"{file.name} has no column {missing[0]!r}, which {self.name} has")
        wanted = [name for name in self.asked.categories if name != ALL]
        for name in wanted:
            if name not in names:
                raise ValueError(
                    f"--categories: {self.name} has no column {name!r}; it has {names}"
                )

    def _beside(self, schema: Any, names: Sequence[str]) -> dict[str, str]:
        """The columns of labels, weights and query ids."""
        found = {}
        for field, usual in NAMES.items():
            name = getattr(self.asked, field) or next(
                (each for each in usual if each in names), None
            )
            if name is None:
                continue
            if name not in names:
                raise ValueError(f"{self.name} has no column {name!r}; it has {names}")
            kind = plain_type(schema.field(name).type, self.types)
            if not is_number(kind, self.types) and (
                field != "labels" or not is_text(kind, self.types)
            ):
                words = " or words" if field == "labels" else ""
                raise ValueError(f"{self._holds(name, kind)}, not numbers{words}")
            found[field] = name
        if "labels" not in found and not self.asked.unlabelled:
            raise ValueError(
                f"{self.name} has no column {' or '.join(map(repr, NAMES['labels']))}: name the "
                "one that has the labels (--labels)"
            )
        return found

    def _place(self, name: str) -> str:
        return f"column {name!r} of {self.name}"

    def _holds(self, name: str, kind: Any) -> str:
        what = {"binary": "bytes that are not UTF-8", "null": "no values"}.get(str(kind), kind)
        return f"{self._place(name)} holds {what}"

    def _features(self, schema: Any, names: Sequence[str]) -> list[Column]:
        found = []
        for name in names:
            known = self._known(name, names)
            if known is not None and not known:
                continue  # the model does not have it
            kind = plain_type(schema.field(name).type, self.types)
            found.append(self._feature(name, kind, known))
        if not found and self.asked.features is None:
            raise ValueError(f"{self.name} has no columns beside {list(self.columns.values())}")
        return found

    def _known(self, name: str, names: Sequence[str]) -> list[str] | None:
        """The features of the model that this column makes, not one of a longer name; None without
        a model.
        """
        if self.asked.features is None:
            return None
        if name in self.asked.features:
            return [name]
        beginnings = f"{name}{CATEGORY}", f"{name}["
        longer = [each for each in names if each.startswith(beginnings)]
        others = tuple(f"{each}{mark}" for each in longer for mark in (CATEGORY, "["))
        return [
            each
            for each in self.asked.features
            if each.startswith(beginnings) and each not in longer and not each.startswith(others)
        ]

    def _feature(self, name: str, kind: Any, known: list[str] | None) -> Column:
        types, place = self.types, self._place(name)
        marked = f"{name}{CATEGORY}"
        of_model = known is not None and all(each.startswith(marked) for each in known)
        if of_model and name not in known:  # type: ignore[operator]
            return Categories(name, place, [each[len(marked) :] for each in known or ()])
        asked = name in self.asked.categories
        if is_text(kind, types) and known is None and (asked or ALL in self.asked.categories):
            asked = True
        if asked and known is None and (is_text(kind, types) or is_number(kind, types)):
            return Categories(name, place, self._levels(Categories(name, place, ())))
        if is_number(kind, types):
            return Numbers(name, place)
        if is_list(kind, types) or is_vector(kind, types):
            made = Vectors if is_vector(kind, types) else Lists
            first = next(self._batches(1, [name]), None)
            return made(name, place, 0 if first is None else width_of(first.column(name)))
        hint = self._first_word(name) if is_text(kind, types) else ""
        raise ValueError(
            f"{place} holds {kind}, not numbers{hint}; --categories {name} makes a column of zeros "
            "and ones of each of its levels"
            if is_text(kind, types)
            else f"{self._holds(name, kind)}; allowed are numbers, words, lists of numbers and "
            "vectors"
        )

    def _first_word(self, name: str) -> str:
        """The first value that is no number, and its row."""
        at = 0
        for batch in self._batches(ROWS_AT_ONCE, [name]):
            for word in batch.column(name).to_pylist():
                try:
                    float(word)
                except (TypeError, ValueError):
                    return f" (row {at} has {word!r})"
                at += 1
        return ""

    def _levels(self, column: Categories) -> list[str]:
        """All words of a column, in order: a pass over it."""
        from pyarrow import compute

        found: set[str] = set()
        for batch in self._batches(ROWS_AT_ONCE, [column.name]):
            found.update(compute.unique(column.words(batch.column(column.name))).to_pylist())
        return sorted(found)

    def _batches(self, at_once: int, columns: Sequence[str] | None = None) -> Iterator[Any]:
        if self.held is not None:
            yield from self.held
            return
        for file in self.files:
            yield from file.batches(at_once, columns)

    def problem(self) -> Problem:
        self.held = [batch for file in self.files for batch in file.whole()]
        return super().problem()

    def batches(self) -> Iterator[Batch]:
        if not self.is_planned:
            self._plan()
        rows = LISTS_AT_ONCE
        if not self.pairs and not any(each.is_sparse for each in self.chosen):
            rows = max(1, min(ROWS_AT_ONCE, STORED_AT_ONCE // max(self.n_features or 1, 1)))
        wanted = [each.name for each in self.chosen] or [INDICES, VALUES]
        for batch in self._batches(rows, [*self.columns.values(), *wanted]):
            if batch.num_rows:
                beside = {
                    field: self._vector(batch, field) if field in self.columns else None
                    for field in BY_EXAMPLE
                }
                yield Batch(self._matrix(batch), **beside)
        for each in self.chosen:
            if isinstance(each, Categories) and (told := each.told()):
                warn_caller(told)

    def _vector(self, batch: Any, field: str) -> NDArray[Any]:
        vector = self.vectors[field]
        column = vector.plain(batch.column(vector.name))
        if field == "labels" and self.label_names is not None:
            import pyarrow
            from pyarrow import compute

            words = column.cast(pyarrow.string())
            if self.types.is_boolean(column.type):
                words = compute.if_else(column, self.spelled[True], self.spelled[False])
            known = pyarrow.array(self.label_names, pyarrow.string())
            return compute.index_in(words, value_set=known).to_numpy() + 1.0  # type: ignore[no-any-return]
        return as_numbers(column.to_numpy(zero_copy_only=False), field, vector.place)

    def _matrix(self, batch: Any) -> Any:
        if self.pairs:
            return self._of_pairs(batch)
        blocks = [each.block(batch.column(each.name)) for each in self.chosen]
        if any(each.is_sparse for each in self.chosen):
            from scipy.sparse import csr_array, hstack

            matrix = hstack([csr_array(block, dtype=np.float64) for block in blocks], format="csr")
        else:
            floats = blocks and all(block.dtype == np.float32 for block in blocks)
            width = sum(block.shape[1] for block in blocks)
            matrix = np.empty((batch.num_rows, width), np.float32 if floats else np.float64)
            begin = 0
            for block in blocks:
                end = begin + block.shape[1]
                matrix[:, begin:end] = block
                begin = end
        return matrix if self.order is None else matrix[:, self.order]

    def _of_pairs(self, batch: Any) -> Any:
        """Rows of lists as a CSR matrix, up to their largest index."""
        from scipy.sparse import csr_array

        parts = {}
        for name in (INDICES, VALUES):
            column = Numbers(name, self._place(name)).plain(batch.column(name))
            if not is_list(column.type, self.types):
                raise ValueError(f"{self._place(name)} holds {column.type}, not lists of numbers")
            lengths = column.value_lengths().to_numpy(zero_copy_only=False)
            numbers = Numbers(name, self._place(name)).block(column.flatten())[:, 0]
            parts[name] = np.concatenate(([0], np.cumsum(lengths))), numbers
        (ends, indices), (other, values) = parts[INDICES], parts[VALUES]
        if not np.array_equal(ends, other):
            raise ValueError(
                f"{self.name} has lists of indices and of values that differ in length"
            )
        if indices.dtype.kind not in "iu" or (indices.size and indices.min() < 0):
            raise ValueError(f"column {INDICES!r} of {self.name} must hold numbers from 0")
        width = int(indices.max()) + 1 if indices.size else 0
        return csr_array((values, indices.astype(np.int64), ends), shape=(len(ends) - 1, width))
