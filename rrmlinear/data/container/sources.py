"""Where examples come from on their way to a container: text, and other containers."""

from __future__ import annotations

import io
import os
import stat
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from xxhash import xxh64

from rrmlinear.core.machine import thread_pool, usable_processors
from rrmlinear.core.warned import warn_caller
from rrmlinear.data.container.layout import Source as Origin
from rrmlinear.data.container.mapping import Mapped, names_in
from rrmlinear.data.container.opening import open_container
from rrmlinear.data.container.pieces import Piece, Sets
from rrmlinear.data.container.set_names import KnownNames
from rrmlinear.data.text._example_arrays import Block
from rrmlinear.data.text._libsvm_parser import PADDING, Arrays, Code, count_marks
from rrmlinear.data.text.byte_streams import name_of, open_to_read
from rrmlinear.data.text.compression import MAGIC_LENGTH, kind_of
from rrmlinear.data.text.libsvm_errors import warning_of
from rrmlinear.data.text.libsvm_reading import Fault, Reading
from rrmlinear.data.text.line_blocks import LineBlocks
from rrmlinear.data.text.multilabel.label_blocks import LabelBlocks
from rrmlinear.data.text.multilabel.label_names import LabelNames
from rrmlinear.data.text.multilabel.multilabel_text import check_count, width_of

TEXT_AT_ONCE = 1 << 19
#: A bound on the bytes of arrays by a byte of text: "1\n" is a label and the end of a row.
MOST_GROWTH = 8
#: Threads that parse faster than one writes.
MOST_THREADS = 4


class Examples(Protocol):
    """Examples in pieces. ``done`` of ``total`` units (None: not known) have been given."""

    done: int
    total: int | None

    @property
    def most_bytes(self) -> int | None:
        """A bound on the bytes of all arrays, if one is known."""

    @property
    def n_features(self) -> int | None:
        """Features, when all pieces have been taken; None: up to the largest index."""

    def pieces(self) -> Iterator[Piece]:
        """All examples, in order; each piece is valid until the next."""


class _Watched(io.RawIOBase):
    """A file whose bytes are counted and, if asked for, summed as they are read."""

    def __init__(self, raw: Any, total: xxh64 | None):
        self.raw, self.total, self.count = raw, total, 0
        self.name = raw.name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self.raw.readinto(buffer)
        self.count += count
        if self.total is not None:
            with memoryview(buffer) as view:
                self.total.update(view[:count])
        return count


@dataclass
class _Slot:
    """The text of a block, and the arrays it is parsed into."""

    arrays: Arrays
    text: bytearray = field(default_factory=bytearray)


class PieceReading(Reading):
    """The reading of text in which each block takes the memory of an earlier one."""

    def pieces(self, lines: LineBlocks, threads: int) -> Generator[Piece]:
        mode = -1
        passed: tuple[int, int, str] | None = None
        passed_code = ""
        passed_lines = 0
        for block, arrays in self._parsed(lines, threads):
            if block.fault is not None:
                raise self._error(block.fault, block)
            if block.passed is not None:
                if passed is None:
                    passed = self._place(block.passed, block)
                    passed_code = Code(block.passed[0]).name
                passed_lines += block.passed_lines
            if block.rows:
                if block.first is not None and mode not in (-1, block.query_mode):
                    raise self._error(block.first, block)
                mode = block.query_mode
                query_ids = block.query_ids() if mode == 1 else None
                values, indices, ends, labels = arrays.views(block.rows, block.stored)
                yield Piece(values, indices, ends, labels, None, query_ids)
            self.lines += block.lines
        if mode < 0:
            raise ValueError(f"{self.path} has no examples; at least one is needed")
        if passed is not None:
            warn_caller(warning_of(self.path, *passed, passed_code, passed_lines))

    def _parsed(self, lines: LineBlocks, threads: int) -> Iterator[tuple[Block, Arrays]]:
        """The blocks in order, with their arrays, which the next block may take.

        With several threads, one more reads the text ahead; all of them wait for whoever takes the
        blocks.
        """
        if threads == 1:
            slot = _Slot(self.arrays)
            while block := self._parse_slot(slot, lines.fill(slot.text)):
                yield block, slot.arrays
            return
        with thread_pool(1) as reader, thread_pool(threads) as parsers:

            def begin(slot: _Slot) -> tuple[_Slot, Any]:
                filled = reader.submit(lines.fill, slot.text)
                return slot, parsers.submit(lambda: self._parse_slot(slot, filled.result()))

            slots = [_Slot(Arrays(self.dtype, *self.rules)) for _ in range(threads + 1)]
            begun = deque(begin(slot) for slot in slots)
            while True:
                slot, parsed = begun.popleft()
                block = parsed.result()
                if block is None:
                    return
                yield block, slot.arrays
                begun.append(begin(slot))

    def _parse_slot(self, slot: _Slot, end: int) -> Block | None:
        """The block of the first ``end`` bytes; None: there are none."""
        if not end:
            return None
        rows, stored = count_marks(slot.text, end)
        if rows > slot.arrays.row_capacity or stored > slot.arrays.capacity:
            slot.arrays.reserve(2 * rows, 2 * stored)
        block = Block(0, 0, 0)
        slot.arrays.parse(slot.text, end, block)
        if block.fault is not None and block.fault[0] == Code.NEEDS_WIDER:
            slot.arrays.widen([])
            slot.arrays.parse(slot.text, end, block)
        return block

    def _place(self, fault: Fault, block: Block) -> tuple[int, int, str]:
        line, column, sentence = super()._place(fault, block)
        return self.lines + line, column, sentence


class TextExamples:
    """LIBSVM text, plain or compressed, read as `read_libsvm` does.

    With ``summed`` the file's bytes are summed on the way, and ``origin`` tells its size, time and
    checksum when all is read. ``threads`` parse regular files, by default one for each processor up
    to MOST_THREADS; other streams have one.
    """

    def __init__(
        self,
        path: Any,
        dtype: Any = np.float64,
        n_features: int | None = None,
        zero_based: bool = False,
        strict: bool = False,
        summed: bool = False,
        threads: int | None = None,
    ):
        self.path, self.n_features = path, n_features
        self.zero_based, self.strict, self.summed = zero_based, strict, summed
        self.dtype = np.dtype(dtype)
        self.done = 0
        self.total: int | None = None
        self.plain_bytes: int | None = None
        self.origin: Origin | None = None
        self.threads = 1
        if path != "-" and stat.S_ISREG((status := os.stat(path)).st_mode):
            self.total = status.st_size
            self.threads = min(usable_processors(), MOST_THREADS) if threads is None else threads
            self.threads = max(1, min(self.threads, self.total // TEXT_AT_ONCE))
            with open(path, "rb") as file:
                plain = kind_of(file.read(MAGIC_LENGTH)) is None
            self.plain_bytes = self.total if plain else None

    @property
    def most_bytes(self) -> int | None:
        return None if self.plain_bytes is None else MOST_GROWTH * self.plain_bytes

    def pieces(self) -> Iterator[Piece]:
        name = name_of(self.path)
        reading = PieceReading(name, self.dtype, self.n_features, self.zero_based, self.strict)
        with self._stream() as (stream, watched):
            yield from self._read(reading, LineBlocks(stream, TEXT_AT_ONCE, PADDING), watched)

    def _read(self, reading: PieceReading, lines: Any, watched: Any) -> Iterator[Piece]:
        with closing(reading.pieces(lines, self.threads)) as pieces:
            for piece in pieces:
                if watched is not None:
                    self.done = watched.count
                yield piece

    @contextmanager
    def _stream(self) -> Iterator[tuple[Any, _Watched | None]]:
        """(the plain text, the file that is read)."""
        if self.total is None:
            with open_to_read(self.path) as (stream, _):
                yield stream, None
            return
        with open(self.path, "rb", buffering=0) as raw:
            total = xxh64() if self.summed else None
            watched = _Watched(raw, total)
            status = os.fstat(raw.fileno())
            if self.plain_bytes is not None:
                yield watched, watched
            else:
                with open_to_read(watched) as (stream, _):
                    yield stream, watched
            if total is not None:
                self.origin = Origin(status.st_size, status.st_mtime_ns, total.intdigest())
                after = os.stat(self.path)
                if (after.st_size, after.st_mtime_ns) != (status.st_size, status.st_mtime_ns):
                    raise ValueError(f"{name_of(self.path)} was changed while it was read")


class ContainerExamples:
    """A container's blocks, each compared with its checksums before it is given."""

    def __init__(self, path: Any):
        self.mapped: Mapped = open_container(path)
        self.n_features: int | None = self.mapped.header.n_features
        self.done = 0
        self.total: int | None = self.mapped.header.n_examples
        self.names: KnownNames | None = None
        self.feature_names, self.label_names = self.mapped.names()

    @property
    def most_bytes(self) -> int | None:
        return 2 * self.mapped.header.file_size  # 64-bit values of 32-bit ones

    def _sets(self, parts: dict[str, Any]) -> Sets | None:
        if "sets" not in parts:
            return None
        if self.names is None:
            self.names = KnownNames(*names_in(self.mapped))
        ends = parts["setptr"]
        return Sets(parts["sets"], ends - (ends[-1] - len(parts["sets"])), self.names)

    def pieces(self) -> Iterator[Piece]:
        for block in range(len(self.mapped.table)):
            self.mapped.verify_block(block)
            first, last, begin, _ = self.mapped.bounds(block)
            parts = self.mapped.pieces(block)
            self.done = last
            yield Piece(
                parts["values"],
                parts["indices"],
                parts["indptr"] - begin,
                parts.get("labels"),
                parts.get("weights"),
                parts.get("qid"),
                self._sets(parts),
            )
            self.mapped.drop(first, last)


class _Reading(PieceReading):
    lines_left: LabelBlocks

    def _place(self, fault: Fault, block: Block) -> tuple[int, int, str]:
        return self.lines_left.place(*super()._place(fault, block))


class LabelledExamples(TextExamples):
    """LIBSVM text of several labels an example, plain or compressed, read as `read_multilabel`
    does; the arguments are those of `TextExamples`.
    """

    def pieces(self) -> Iterator[Piece]:
        name = name_of(self.path)
        with self._stream() as (stream, watched):
            lines = LabelBlocks(name, stream, TEXT_AT_ONCE, PADDING)
            header, zero_based = lines.read_header(), self.zero_based
            if header is not None:
                self.n_features, zero_based = width_of(name, header, self.n_features), True
            lines.names = names = LabelNames(None, None if header is None else header[2])
            reading = _Reading(name, self.dtype, self.n_features, zero_based, self.strict)
            reading.lines_left = lines
            for piece in self._read(reading, lines, watched):
                sets = Sets(*names.taken(len(piece.ends)), names)
                yield replace(piece, labels=None, sets=sets)
            check_count(name, lines)
