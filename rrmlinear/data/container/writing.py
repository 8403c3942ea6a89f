"""The writer of containers: pieces of examples in, one pass, in the memory of a piece."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from xxhash import xxh64, xxh64_intdigest

from rrmlinear.data.container.layout import (
    PAGE,
    SECTIONS,
    SETS,
    TEXTS,
    Header,
    Section,
    Source,
    table_dtype,
)
from rrmlinear.data.container.pieces import Piece, pieces_of
from rrmlinear.data.container.set_names import Names, packed, packed_names
from rrmlinear.data.label_sets import MultilabelProblem
from rrmlinear.data.problem import Problem, check_kind, check_rows
from rrmlinear.data.rows import bytes_of
from rrmlinear.data.text.whole_file import whole_file

#: A block is closed when its arrays have this many bytes.
BLOCK_BYTES = 1 << 23
#: Bytes of a write: of a quarter of a megabyte Linux 6.18 takes 5 GB/s, of a whole one 0.6.
WRITTEN_AT_ONCE = 1 << 18
INT32_MAX = 2**31 - 1
#: What examples may have names of.
NAMED = ("feature_names", "label_names")


def write_container(
    path: Any, problem: Problem | MultilabelProblem, *, block_bytes: int = BLOCK_BYTES
) -> None:
    """Write a problem's rows, labels, weights and query ids as a container; `Problem.open` maps it,
    or `MultilabelProblem.open` one of several labels an example.

    The file is written completely or not at all. Zeros of dense rows are left out; an appended
    column is not kept. ``block_bytes`` is the size of a block, which has its own checksum.

    Raises TypeError for arrays, ValueError for rows that no container may have (see
    `Problem.from_arrays`), and OSError as `open` does.
    """
    if not isinstance(problem, MultilabelProblem):
        check_kind("write_container", problem, Problem, "Problem.from_arrays(X, y)")
    rows = problem.rows
    check_rows(rows)
    total = rows.n_stored * (rows.values.itemsize + 8) + 32 * (rows.shape[0] + 1)
    with container_file(path, block_bytes, total) as writer:
        writer.texts = packed_names(*(getattr(problem, name, None) for name in NAMED))
        for piece in pieces_of(problem):
            writer.add(piece)
        writer.finish(rows.shape[1])


@contextmanager
def container_file(
    path: Any, block_bytes: int = BLOCK_BYTES, most_bytes: int | None = None
) -> Iterator[ContainerWriter]:
    """A writer whose file takes its name when the block ends without an error, or never.

    ``most_bytes`` is a bound on the bytes of all arrays, if a bound is known. With a bound the
    table of blocks stands in front of the arrays, and tells in which block a file is cut off.
    """
    name = os.path.realpath(os.fsdecode(path))
    if os.path.exists(name) and not os.path.isfile(name):
        raise ValueError(f"{os.fsdecode(path)} is no regular file, as a container must be")
    if sys.byteorder != "little":
        raise ValueError("containers are little-endian, and so must be the machine")
    with ExitStack() as stack:
        file = stack.enter_context(whole_file(name))
        folder = os.path.dirname(name)

        def side() -> Any:
            return stack.enter_context(tempfile.TemporaryFile(dir=folder))

        reserved = None if most_bytes is None else most_bytes // max(block_bytes, 1) + 1
        yield ContainerWriter(file, side, block_bytes, reserved)


class ContainerWriter:
    """Adds pieces block by block.

    Values go to the file as they come. The other arrays go to unnamed files beside it until their
    place is known; the system removes these files whatever happens.
    """

    def __init__(self, file: Any, side: Any, block_bytes: int, reserved: int | None):
        self.file, self.side, self.block_bytes = file, side, block_bytes
        self.names: tuple[str, ...] = ()
        self.types: dict[str, np.dtype[Any]] = {}
        self.files: dict[str, Any] = {}
        self.sums: dict[str, xxh64] = {}
        self.table: list[tuple[int, ...]] = []
        self.rows = self.stored = self.held = self.set_numbers = 0
        self.set_names: Names | None = None
        #: Sections of text, which stand there before the first piece comes.
        self.texts: dict[str, bytes] = {}
        self.widest = -1
        self.reserved, self.begin = reserved, PAGE

    def add(self, piece: Piece) -> None:
        """Write these examples; all pieces must have weights and query ids, or none."""
        if not self.names:
            self._start(piece)
        if piece.indices.size:
            self.widest = max(self.widest, int(piece.indices.max()))
        if self.widest > INT32_MAX and self.types["indices"] == np.int32:
            self._widen()
        a_value = self.types["values"].itemsize + self.types["indices"].itemsize
        an_example = sum(self.types[name].itemsize for name in self.names) - a_value
        if piece.sets is not None:
            self.set_names = piece.sets.names
        n = len(piece.ends)
        begin = 0
        while begin < n:  # as many examples as the block has room for, and one more
            before = int(piece.ends[begin - 1]) if begin else 0
            sizes = a_value * (piece.ends[begin:] - before) + an_example * np.arange(
                1, n - begin + 1
            )
            end = begin + int(np.searchsorted(sizes, self.block_bytes - self.held)) + 1
            self._add(piece.between(begin, min(end, n)))
            begin = min(end, n)

    def _add(self, piece: Piece) -> None:
        arrays = {
            "values": piece.values,
            "indices": piece.indices,
            "indptr": piece.ends + self.stored,
            "labels": piece.labels,
            "weights": piece.weights,
            "qid": piece.query_ids,
        }
        arrays |= dict.fromkeys(TEXTS, np.zeros(0, np.uint8))  # until the end
        if piece.sets is not None:
            arrays |= {"sets": piece.sets.numbers, "setptr": piece.sets.ends + self.set_numbers}
            self.set_numbers += len(piece.sets.numbers)
        for name in self.names:
            array = np.ascontiguousarray(arrays[name], dtype=self.types[name])
            data = bytes_of(array)
            self.sums[name].update(data)
            for begin in range(0, data.nbytes, WRITTEN_AT_ONCE):
                self.files[name].write(data[begin : begin + WRITTEN_AT_ONCE])
            self.held += data.nbytes
        self.rows += len(piece.ends)
        self.stored += len(piece.values)
        if self.held >= self.block_bytes:
            self._end_block()

    def _start(self, first: Piece) -> None:
        absent = {"weights": first.weights is None, "qid": first.query_ids is None}
        absent |= {"labels": first.labels is None} | dict.fromkeys(SETS, first.sets is None)
        absent |= {name: name not in self.texts for name in TEXTS if name not in SETS}
        self.names = tuple(name for name in SECTIONS if not absent.get(name))
        self.types = {name: np.dtype(SECTIONS[name][-1]) for name in self.names}
        self.types["indices"] = np.dtype(np.int32)
        if first.values.dtype == np.float32:
            self.types["values"] = np.dtype(np.float32)
        if self.reserved is not None:
            table = self.reserved * table_dtype(self.names).itemsize
            self.begin = _aligned(PAGE + table)
        self.file.seek(self.begin)
        self.files = {name: self.side() for name in self.names if name != "values"}
        self.files["values"] = self.file
        for name in ("indptr", "setptr"):
            if name in self.files:
                self.files[name].write(bytes(8))
        self._begin_block()

    def _begin_block(self) -> None:
        self.sums = {name: xxh64() for name in self.names}
        self.held = 0

    def _end_block(self) -> None:
        sums = (self.sums[name].intdigest() for name in self.names)
        self.table.append((self.rows, self.stored, *sums))
        self._begin_block()

    def _widen(self) -> None:
        """Write the indices again with 64 bits, with new checksums."""
        self.types["indices"] = np.dtype(np.int64)
        narrow, wide = self.files["indices"], self.side()
        narrow.seek(0)
        at = 2 + self.names.index("indices")
        begin = 0
        for number in range(len(self.table) + 1):
            end = self.table[number][1] if number < len(self.table) else self.stored
            total = xxh64()
            while begin < end:
                count = min(end - begin, WRITTEN_AT_ONCE // 8)
                data = bytes_of(np.frombuffer(narrow.read(4 * count), "<i4").astype("<i8"))
                total.update(data)
                wide.write(data)
                begin += count
            if number < len(self.table):
                row = self.table[number]
                self.table[number] = (*row[:at], total.intdigest(), *row[at + 1 :])
        self.sums["indices"], self.files["indices"] = total, wide
        narrow.close()

    def finish(self, n_features: int | None, source: Source | None = None) -> None:
        """Write the other arrays and the header; ``n_features`` None: up to the largest index.

        Raises ValueError where there are no examples.
        """
        if not self.rows:
            raise ValueError("there are no examples; at least one is needed")
        if self.held or not self.table:
            self._end_block()
        if self.set_names is not None:
            self.texts = self.texts | {"names": packed(*self.set_names.final())}
        for name, data in self.texts.items():
            at = 2 + self.names.index(name)
            self.files[name].write(data)
            row = self.table[0]
            self.table[0] = (*row[:at], xxh64_intdigest(data), *row[at + 1 :])
        sections = []
        begin = self.begin
        for name in self.names:
            size = self.file.tell() - begin if name == "values" else self.files[name].tell()
            sections.append(Section(name, self.types[name], begin, size))
            if name != "values":
                self.file.seek(begin)
                self.files[name].seek(0)
                shutil.copyfileobj(self.files[name], self.file, WRITTEN_AT_ONCE)
                self.files[name].close()
            begin = _aligned(self.file.tell())
        table = np.array(self.table, dtype=table_dtype(self.names)).tobytes()
        end = self.file.tell()
        table_begin = PAGE if PAGE + len(table) <= self.begin else begin
        self.file.seek(table_begin)
        self.file.write(table)
        end = max(end, self.file.tell())
        width = self.widest + 1 if n_features is None else n_features
        header = Header(
            self.rows,
            width,
            self.stored,
            len(self.table),
            table_begin,
            xxh64_intdigest(table),
            end,
            tuple(sections),
            source,
        )
        self.file.seek(0)
        self.file.write(header.pack())
        self.file.truncate(end)


def _aligned(position: int) -> int:
    return -(-position // PAGE) * PAGE
