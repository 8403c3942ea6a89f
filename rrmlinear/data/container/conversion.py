"""A file of examples converted to another, piece by piece."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from rrmlinear.core.warned import warn_caller
from rrmlinear.data.container.layout import Source as Origin
from rrmlinear.data.container.pieces import Piece
from rrmlinear.data.container.set_names import Names, packed_names, unpacked_names
from rrmlinear.data.container.sources import Examples
from rrmlinear.data.container.writing import BLOCK_BYTES, NAMED, container_file
from rrmlinear.data.rows import Rows
from rrmlinear.data.text.byte_streams import open_to_write
from rrmlinear.data.text.compression import SUFFIXES
from rrmlinear.data.text.libsvm_format import write_text
from rrmlinear.data.text.multilabel.multilabel_text import check_writable_names, write_lines
from rrmlinear.data.text.whole_file import is_stream

TEXT = ".libsvm"
CONTAINER = ".rrm"


@dataclass(frozen=True)
class Converted:
    """What was written."""

    n_examples: int
    n_features: int
    n_stored: int
    n_labels: int | None = None


class _Writer(Protocol):
    rows: int
    stored: int
    widest: int
    texts: dict[str, bytes]

    def add(self, piece: Piece) -> None: ...
    def finish(self, n_features: int | None, source: Origin | None = None) -> None: ...


class _TextWriter:
    """Pieces to LIBSVM text, which has no weights."""

    def __init__(self, stream: Any):
        self.stream = stream
        self.rows = self.stored = self.checked = 0
        self.widest = -1
        self.dropped = False
        self.texts: dict[str, bytes] = {}

    def add(self, piece: Piece) -> None:
        if piece.indices.size:
            self.widest = max(self.widest, int(piece.indices.max()))
        indptr = np.concatenate(([0], piece.ends))
        rows = Rows(piece.values, piece.indices, indptr, self.widest + 1)
        if piece.sets is None:
            write_text(self.stream, rows, piece.labels, piece.query_ids)
        else:
            sets, texts = piece.sets, piece.sets.names.texts
            if len(texts) != self.checked:
                check_writable_names(texts)
                self.checked = len(texts)
            write_lines(self.stream, rows, (sets.numbers, np.insert(sets.ends, 0, 0)), texts)
        self.dropped |= piece.weights is not None
        self.rows += len(piece.ends)
        self.stored += len(piece.values)

    def finish(self, n_features: int | None, source: Origin | None = None) -> None:
        if self.dropped:
            warn_caller("LIBSVM text has no weights: those of the examples are left out")
        if self.texts:
            told = ["those of the features are left out"] if "fnames" in self.texts else []
            if "lnames" in self.texts:
                words = unpacked_names(self.texts["lnames"], 1)
                some = ", ".join(f"{n} is {word}" for n, word in enumerate(words[:5], 1))
                told.append(f"label {some}{', …' if len(words) > 5 else ''}")
            warn_caller(f"LIBSVM text has no names: {'; '.join(told)}")


def target_kind(path: Any) -> str:
    """CONTAINER or TEXT, by the suffix; a stream without one takes text.

    Raises ValueError for any other.
    """
    name, suffix = os.path.splitext(os.fsdecode(path))
    if suffix in SUFFIXES:
        suffix = os.path.splitext(name)[1]
        suffix = "" if suffix == CONTAINER else suffix
    if not suffix and is_stream(path):
        return TEXT
    if suffix not in (TEXT, CONTAINER):
        raise ValueError(
            f"{os.fsdecode(path)} must end in {CONTAINER}, a container, or in {TEXT}, LIBSVM text, "
            f"which may be compressed ({', '.join(TEXT + each for each in SUFFIXES)})"
        )
    return suffix


@contextmanager
def _writer(target: Any, block_bytes: int, most_bytes: int | None) -> Iterator[_Writer]:
    if target_kind(target) == CONTAINER:
        with container_file(target, block_bytes, most_bytes) as writer:
            yield writer
    else:
        with open_to_write(target) as stream:
            yield _TextWriter(stream)


def convert(
    examples: Examples,
    target: Any,
    on_progress: Callable[[int, int | None], None] = lambda done, total: None,
    block_bytes: int = BLOCK_BYTES,
    dtype: Any = None,
) -> Converted:
    """Write examples to a container or to LIBSVM text, by the target's suffix.

    ``dtype`` is the type of the values, by default that of the source. ``on_progress`` is told
    units done and all units, None where they are not known. The target is written completely or
    not at all. Raises ValueError for examples that are wrong, OSError as
    `open` does.
    """
    with _writer(target, block_bytes, examples.most_bytes) as writer:
        names: Names | None = None
        for piece in examples.pieces():
            names = None if piece.sets is None else piece.sets.names
            if not writer.rows:
                writer.texts = packed_names(*(getattr(examples, name, None) for name in NAMED))
            writer.add(piece if dtype is None else _cast(piece, np.dtype(dtype)))
            on_progress(examples.done, examples.total)
        writer.finish(examples.n_features, getattr(examples, "origin", None))
    width = writer.widest + 1 if examples.n_features is None else examples.n_features
    n_labels = None if names is None else len(names.final()[0])
    return Converted(writer.rows, width, writer.stored, n_labels)


def _cast(piece: Piece, dtype: np.dtype[Any]) -> Piece:
    try:
        with np.errstate(over="raise"):
            return replace(piece, values=piece.values.astype(dtype, copy=False))
    except FloatingPointError:
        largest = np.abs(piece.values).max()
        raise ValueError(f"the value {largest:g} is too large for {dtype}") from None
