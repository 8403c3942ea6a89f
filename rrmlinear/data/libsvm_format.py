"""The LIBSVM text format: ``label[ qid:n][ index:value]*``, one example a line, read and written.

What is accepted and refused is LIBLINEAR's reading to the letter, but for the following. NaN and
infinite numbers and files without examples are refused; an index beyond 32 bits makes all indices
64-bit; ``# …`` at a line's begin or after a blank is a comment whatever it holds, and a line of
comment only is skipped; ``qid:n`` after the label is kept; a line may end in CR LF after its
label already; the last line means the same with and without its newline.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from rrmlinear.data._libsvm_parser import (
    FAULT_CODES,
    NEEDS_INT64,
    PADDING,
    Arrays,
    Block,
    count_marks,
)
from rrmlinear.data.byte_streams import LineBlocks, name_of, open_to_read
from rrmlinear.data.problem import Problem
from rrmlinear.data.rows import Rows

BLOCK_SIZE = 1 << 19
GROWTH = 1.5
MAX_GROWTH = 16
INT64_MAX = 2**63 - 1


class LibsvmFormatError(ValueError):
    """A line that is not LIBSVM text: ``line`` and ``column`` from 1, ``path`` as messages call it.

    The message's first line is LIBLINEAR's; the second says what was found and what is allowed.
    """

    line = 0
    column = 0
    path = ""

    @classmethod
    def at(cls, path: str, line: int, column: int, text: str) -> LibsvmFormatError:
        error = cls(
            f"Wrong input format at line {line}\n{path}, line {line}, column {column}: {text}"
        )
        error.line, error.column, error.path = line, column, path
        return error


def read_libsvm(
    path_or_file: Any,
    dtype: Any = np.float64,
    n_features: int | None = None,
    zero_based: bool | Literal["auto"] = False,
    threads: int | None = None,
    *,
    block_size: int = BLOCK_SIZE,
) -> Problem:
    """Read examples from LIBSVM text into a Problem whose rows are CSR arrays.

    Parameters
    ----------
    path_or_file
        A path, "-" for standard input, or a binary file object; plain text or compressed by gzip,
        bzip2, xz or zstd (which the first bytes tell).
    dtype
        float64 or float32, of the values. A value is strtod's bit for bit, then cast.
    n_features
        Columns of the result, at least every index; by default as many as the largest index needs.
    zero_based
        Whether indices are written from 0; "auto": they are if an index 0 occurs anywhere.
    threads
        By default one for each processor that this process may use.
    block_size
        Bytes that a thread takes at a time.

    Indices become int32 where they fit and int64 elsewhere, and start at 0; ``query_ids`` is an
    int64 array where the lines have ``qid:n``.

    Raises LibsvmFormatError (a ValueError) naming file, line and column of the first line that is
    wrong, ValueError for a file without examples and damaged compressed data, TypeError for a file
    open as text, and OSError as `open` does.
    """
    dtype = np.dtype(dtype)
    if dtype not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float64 or float32, got {dtype}")
    if zero_based not in (True, False, "auto"):
        raise ValueError(f'zero_based must be True, False or "auto", got {zero_based!r}')
    if n_features is not None and not 0 <= n_features < INT64_MAX:
        raise ValueError(f"n_features must be a whole number of at least 0, got {n_features}")
    threads = _usable_processors() if threads is None else threads
    if threads < 1 or block_size < 1:
        raise ValueError(f"threads and block_size must be at least 1, got {threads}, {block_size}")
    reading = _Reading(name_of(path_or_file), dtype, n_features, zero_based)
    with open_to_read(path_or_file) as (stream, length):
        reading.run(LineBlocks(stream, block_size, PADDING), length, threads)
    return reading.problem()


def _usable_processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass
class _Reading:
    """One file on its way into the arrays.

    Every thread takes the next block of the stream and reserves its place in the arrays (under
    ``reading``, so in the file's order), then parses it. The arrays move only while no block is
    in work. Places are bounds, and the gaps they leave are closed at the end.
    """

    path: str
    dtype: Any
    n_features: int | None
    zero_based: bool | str
    arrays: Arrays = field(init=False)
    blocks: list[Block] = field(default_factory=list)
    errors: list[tuple[int, BaseException]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.reading = threading.Lock()
        self.settled = threading.Condition()
        self.working = 0
        self.rows = self.stored = self.lines = 0
        self.stopped = False
        from_one = self.zero_based is not True
        largest = INT64_MAX if self.zero_based is False else INT64_MAX - 1
        if self.n_features is not None:
            largest = self.n_features - (not from_one)
        open_base = self.zero_based == "auto"
        first = 0 if self.zero_based is not False else 1
        self.arrays = Arrays(self.dtype, first - 1, int(from_one), largest, open_base)

    def run(self, lines: LineBlocks, length: int | None, threads: int) -> None:
        self.lines_left, self.length = lines, length
        if length is not None:
            threads = max(1, min(threads, length // lines.block_size))
        others = [threading.Thread(target=self._work) for _ in range(threads - 1)]
        try:
            for thread in others:
                thread.start()
            self._work()
        except BaseException:
            self.stopped = True
            raise
        finally:
            for thread in others:
                if thread.ident is not None:
                    thread.join()
        self._check_query_ids()
        if self.errors:
            raise min(self.errors, key=lambda error: error[0])[1]

    def _work(self) -> None:
        buffer = bytearray()
        while not self.stopped:
            with self.reading:
                number = len(self.blocks)
                try:
                    end = 0 if self.stopped else self.lines_left.fill(buffer)
                    if end == 0:
                        return
                    block = self._reserve(buffer, end)
                except Exception as error:
                    self._stop(number, error)
                    return
            try:
                self._parse(buffer, end, block)
                if block.fault is not None:
                    raise self._error(block.fault, block)
            except Exception as error:
                self._stop(number, error)
                return

    def _stop(self, number: int, error: BaseException) -> None:
        self.stopped = True
        self.errors.append((number, error))

    def _reserve(self, buffer: bytearray, end: int) -> Block:
        rows, stored = count_marks(buffer, end)
        needed_rows, needed = self.rows + rows, self.stored + stored
        if needed_rows > self.arrays.row_capacity or needed > self.arrays.capacity:
            growth = GROWTH
            if self.length is not None:
                growth = min(1.02 * self.length / self.lines_left.consumed, MAX_GROWTH)
            growth = max(growth, 1.0)
            self._wait_for_others()
            try:
                self.arrays.reserve(int(growth * needed_rows) + 1, int(growth * needed) + 1)
            except MemoryError:
                self.arrays.reserve(needed_rows, needed)
        block = Block(self.rows, self.stored, self.lines)
        self.rows, self.stored, self.lines = needed_rows, needed, self.lines + rows
        self.blocks.append(block)
        with self.settled:
            self.working += 1
        return block

    def _parse(self, buffer: bytearray, end: int, block: Block) -> None:
        self._parse_once(buffer, end, block)
        if block.fault is not None and block.fault[0] == NEEDS_INT64:
            with self.reading:
                self._wait_for_others()
                if not self.arrays.wide:
                    self.arrays.widen(self.stored)
                with self.settled:
                    self.working += 1
            self._parse_once(buffer, end, block)

    def _parse_once(self, buffer: bytearray, end: int, block: Block) -> None:
        try:
            self.arrays.parse(buffer, end, block)
        finally:
            with self.settled:
                self.working -= 1
                self.settled.notify_all()

    def _wait_for_others(self) -> None:
        with self.settled:
            self.settled.wait_for(lambda: self.working == 0)

    def _error(self, fault: tuple[Any, ...], block: Block) -> LibsvmFormatError:
        code, line, column, text, previous = fault
        found = text.decode("utf-8", "replace")
        return LibsvmFormatError.at(
            self.path,
            block.first_line + line + 1,
            column + 1,
            _explain(FAULT_CODES[code], found, previous, self.zero_based, self.n_features),
        )

    def problem(self) -> Problem:
        rows, stored = self.arrays.close_gaps(self.blocks)
        if rows == 0:
            raise ValueError(f"{self.path} has no examples; at least one is needed")
        query_ids = self._query_ids()
        largest = max(block.largest for block in self.blocks)
        from_zero = self.zero_based is True
        if self.zero_based == "auto" and any(block.has_zero for block in self.blocks):
            from_zero = True
            self._refuse_last_index()
            self.arrays.shift_indices(stored, 1)
        width = max(0, largest + from_zero) if self.n_features is None else self.n_features
        values, indices, indptr, labels = self.arrays.finish(rows, stored)
        return Problem(Rows(values, indices, indptr, width), labels, None, query_ids)

    def _check_query_ids(self) -> None:
        """Blocks were read each by itself: their first examples must agree in having a qid."""
        filled = [(k, block) for k, block in enumerate(self.blocks) if block.query_mode >= 0]
        for k, block in filled:
            if block.query_mode != filled[0][1].query_mode:
                self.errors.insert(0, (k, self._error(block.first, block)))
                return

    def _query_ids(self) -> np.ndarray | None:
        if not any(block.query_mode == 1 for block in self.blocks):
            return None
        return np.concatenate([block.query_ids() for block in self.blocks])

    def _refuse_last_index(self) -> None:
        """Where indices turn out to begin at 0, index n_features is one too large."""
        for block in self.blocks:
            if self.n_features is not None and block.at_limit is not None:
                raise self._error(block.at_limit, block)


def _explain(
    code: str, found: str, previous: int, zero_based: bool | str, n_features: int | None
) -> str:
    shown = repr(found if len(found) <= 40 else found[:40] + "…")
    first = "1" if zero_based is False else "0"
    sentences = {
        "EMPTY_LINE": "the line is empty; a label is needed",
        "NUL_BYTE": "found a NUL byte, which is not text",
        "BAD_LABEL": f"found {shown} where a label is expected, which is one number",
        "LABEL_NOT_FINITE": f"the label {shown} is not finite",
        "BAD_QUERY_ID": f"found {shown} where qid: and a whole number of 64 bits is expected",
        "QUERY_ID_MISSING": "this example has no qid: but those before have one",
        "QUERY_ID_UNEXPECTED": "this example has a qid: but those before have none",
        "BAD_INDEX": f"found {shown} where a feature index is expected, which is a whole number",
        "INDEX_TOO_LARGE": f"the index {shown} does not fit 64 bits",
        "INDEX_NOT_INCREASING": f"the index {shown} is not above {previous}, the one before it",
        "INDEX_BELOW_FIRST": f"the index {shown} is below {first}, the first allowed",
        "BAD_VALUE": f"found {shown} where the feature's value is expected, which is a number",
        "VALUE_OUT_OF_RANGE": f"the value {shown} is too large or too close to 0 for its type",
        "VALUE_NOT_FINITE": f"the value {shown} is not finite",
    }
    if code != "INDEX_ABOVE_FEATURES":
        return sentences[code]
    if n_features is None:
        return sentences["INDEX_TOO_LARGE"]
    base = "0" if zero_based is True else "1"
    return f"the index {shown} is not among the {n_features} features, counted from {base}"
