"""LIBSVM text to a Problem: several threads, each with a block of lines at a time."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rrmlinear.data.problem import Problem
from rrmlinear.data.rows import PackedRows, Rows
from rrmlinear.data.sequences import returning
from rrmlinear.data.text._example_arrays import Block
from rrmlinear.data.text._libsvm_parser import Arrays, Code, count_marks
from rrmlinear.data.text.libsvm_errors import LibsvmFormatError, explain, warning_of
from rrmlinear.data.text.line_blocks import LineBlocks

GROWTH = 1.5
MAX_GROWTH = 16
INT64_MAX = 2**63 - 1
#: Bytes of the shortest line, a label and its end, and of the shortest pair, as in " 1:2".
SHORTEST_LINE, SHORTEST_PAIR = 2, 4
Fault = tuple[int, int, int, bytes, int]
# Rows that store this fraction of all features, and this number of values, become dense where the
# caller wants it. Fewer values are the same rows, and the same bits of a fit, as CSR arrays make.
DENSE_PART, MIN_DENSE = 0.9, 1_000_000
# Bytes of a file from which rows are packed where the caller wants it.
MIN_PACKED = 1 << 24


@dataclass(eq=False, repr=False)
class Reading:
    """The reading of one file into arrays.

    Every thread takes the next block of the stream and reserves room for it in the arrays, in the
    file's order under the lock ``reading``, then parses it. The arrays grow only while no block is
    being parsed. The room is an upper bound: by the marks in the text, and the gaps are closed at
    the end. One thread alone puts blocks side by side, and after the first takes a bound by length.

    With ``sequences`` each line needs a qid, which may not come back after another; without, lines
    have none; None leaves that to the file. With ``compact`` rows become dense where they store
    nearly all features: products are quicker, and dense rows have no indices. Other rows of a large
    file, indices from 1, are then packed where that loses nothing: see `PackedRows`.
    """

    path: str
    dtype: Any
    n_features: int | None
    zero_based: bool | str
    strict: bool
    sequences: bool | None = None
    compact: bool = False
    arrays: Arrays = field(init=False)
    blocks: list[Block] = field(default_factory=list)
    errors: list[tuple[int, BaseException]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.reading = threading.Lock()
        self.settled = threading.Condition()
        self.working = 0
        self.rows = self.stored = self.lines = 0
        self.stopped = False  # no further block is taken
        self.interrupted = False  # and those in work may never be counted as done
        from_one = self.zero_based is not True
        largest = INT64_MAX if self.zero_based is False else INT64_MAX - 1
        if self.n_features is not None:
            largest = self.n_features - (not from_one)
        open_base = self.zero_based == "auto"
        first = 0 if self.zero_based is not False else 1
        self.rules = first - 1, int(from_one), largest, open_base, self.strict
        self.arrays = Arrays(self.dtype, *self.rules)

    def run(self, lines: LineBlocks, length: int | None, threads: int) -> None:
        self.lines_left, self.length = lines, length
        if length is not None:
            packable = self.zero_based is False and self.dtype == np.float64
            if self.compact and packable and length >= MIN_PACKED:
                self.arrays = Arrays(self.dtype, *self.rules, packed=True)
            threads = max(1, min(threads, length // lines.block_size))
        self.alone = threads == 1
        others = [threading.Thread(target=self._work) for _ in range(threads - 1)]
        try:
            for thread in others:
                thread.start()
            self._work()
            for thread in others:
                thread.join()
        except BaseException:  # Ctrl-C reaches this thread alone
            self.interrupted = True
            self._halt()
            for thread in others:
                if thread.ident is not None:
                    thread.join()
            raise
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

    def _halt(self) -> None:
        self.stopped = True
        with self.settled:
            self.settled.notify_all()

    def _stop(self, number: int, error: BaseException) -> None:
        self.errors.append((number, error))
        self._halt()

    def _reserve(self, buffer: bytearray, end: int) -> Block:
        if self.alone and self.blocks:
            last = self.blocks[-1]
            self.rows, self.stored = last.row_offset + last.rows, last.offset + last.stored
            self.lines = last.first_line + last.lines
            rows, stored = end // SHORTEST_LINE, end // SHORTEST_PAIR
        else:
            rows, stored = count_marks(buffer, end)
        needed_rows, needed = self.rows + rows, self.stored + stored
        if needed_rows > self.arrays.row_capacity or needed > self.arrays.capacity:
            growth = GROWTH
            if self.length is not None:
                growth = min(1.02 * self.length / self.lines_left.consumed, MAX_GROWTH)
            growth = max(growth, 1.0)
            self._wait_for_others()
            try:
                # with room for the bounds of the last block
                spare = end // SHORTEST_PAIR + 1
                self.arrays.reserve(
                    int(growth * needed_rows) + 2 * spare, int(growth * needed) + spare
                )
            except MemoryError:
                self.arrays.reserve(needed_rows, needed)
        block = Block(self.rows, self.stored, self.lines)
        self.rows, self.stored, self.lines = needed_rows, needed, self.lines + rows
        self.blocks.append(block)
        with self.settled:
            self.working += 1
        return block

    def _parse(self, buffer: bytearray, end: int, block: Block) -> None:
        widened = self.arrays.widened
        self._parse_once(buffer, end, block)
        while block.fault is not None and block.fault[0] == Code.NEEDS_WIDER:
            with self.reading:
                self._wait_for_others()
                if self.arrays.widened == widened:
                    self.arrays.widen(self.blocks)
                widened = self.arrays.widened
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
            self.settled.wait_for(lambda: self.working == 0 or self.interrupted)
        if self.interrupted:
            raise InterruptedError(f"reading {self.path} was interrupted")

    def _error(self, fault: Fault, block: Block) -> LibsvmFormatError:
        return LibsvmFormatError.at(self.path, *self._place(fault, block))

    def _place(self, fault: Fault, block: Block) -> tuple[int, int, str]:
        """Line and column from 1, and the sentence."""
        code, line, column, text, previous = fault
        found = text.decode("utf-8", "replace")
        sentence = explain(Code(code).name, found, previous, self.zero_based, self.n_features)
        return block.first_line + line + 1, column + 1, sentence

    def warning(self) -> str | None:
        """The sentence about text that was passed over, if any was."""
        found = [(block, block.passed) for block in self.blocks if block.passed is not None]
        if not found:
            return None
        block, first = found[0]
        lines = sum(block.passed_lines for block, _ in found)
        return warning_of(self.path, *self._place(first, block), Code(first[0]).name, lines)

    def problem(self) -> Problem:
        rows, stored = self.arrays.close_gaps(self.blocks)
        if rows == 0:
            raise ValueError(f"{self.path} has no examples; at least one is needed")
        query_ids = self._query_ids()
        if query_ids is not None and self.sequences:
            self._refuse_returning_ids(query_ids)
        largest = max(block.largest for block in self.blocks)
        from_zero = self.zero_based is True
        if self.zero_based == "auto" and any(block.has_zero for block in self.blocks):
            from_zero = True
            for block in self.blocks:  # index n_features is one too large now
                if self.n_features is not None and block.at_limit is not None:
                    raise self._error(block.at_limit, block)
            self.arrays.shift_indices(stored, 1)
        width = max(0, largest + from_zero) if self.n_features is None else self.n_features
        least = max(MIN_DENSE, DENSE_PART * rows * width)
        if self.compact and not self.arrays.wide and stored >= least:
            values, labels = self.arrays.finish_dense(rows, width)
            return Problem(Rows(values, None, None, width), labels, None, query_ids)
        values, indices, indptr, labels = self.arrays.finish(rows, stored)
        decimals = self.arrays.decimals
        if decimals >= 0:
            packed = PackedRows(values, indices, indptr, width, decimals=decimals)
            return Problem(packed, labels, None, query_ids)
        return Problem(Rows(values, indices, indptr, width), labels, None, query_ids)

    def _check_query_ids(self) -> None:
        """Refuse a block whose first example differs from earlier blocks in having a qid."""
        filled = [(k, block) for k, block in enumerate(self.blocks) if block.query_mode >= 0]
        for k, block in filled:
            if block.first is not None and block.query_mode != filled[0][1].query_mode:
                self.errors.insert(0, (k, self._error(block.first, block)))
                return
        if filled and self.sequences is not None:
            k, block = filled[0]
            if block.query_mode != int(self.sequences) and block.first is not None:
                code = "QUERY_ID_NEEDED" if self.sequences else "QUERY_ID_WITHOUT_SEQUENCES"
                text = explain(code, "", 0, self.zero_based, self.n_features)
                line = block.first_line + block.first[1] + 1
                self.errors.append((k, LibsvmFormatError.at(self.path, line, 1, text)))

    def _refuse_returning_ids(self, ids: np.ndarray) -> None:
        at = returning(ids)
        if at is None:
            return
        block = next(each for each in self.blocks if at < each.row_offset + each.rows)
        text = explain("QUERY_ID_RETURNS", f"{ids[at]}", 0, self.zero_based, self.n_features)
        line = block.line_of(at - block.row_offset) + 1
        raise LibsvmFormatError.at(self.path, line, 1, text)

    def _query_ids(self) -> np.ndarray | None:
        if not any(block.query_mode == 1 for block in self.blocks):
            return None
        return np.concatenate([block.query_ids() for block in self.blocks])
