"""Blocks of LIBSVM text whose label fields are taken away, for the reader of one label a line.

Each field is written over by zeros, so that columns stay what they are; a line without labels gets
a zero in front, or "0 ".
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.text.libsvm_errors import LibsvmFormatError
from rrmlinear.data.text.line_blocks import LineBlocks
from rrmlinear.data.text.multilabel.label_names import LabelError, LabelNames

#: The first line in the files of the extreme classification repository.
HEADER = re.compile(rb"[ \t]*([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]*\r?\n")
COMMENT = re.compile(rb"[ \t]*#")
FIELD = re.compile(rb"[^ \t\r\n]*")
#: Bytes that end a label field.
ENDS = np.isin(np.arange(256), list(b" \t\r\n"))
#: Steps over all fields at once, after which the long ones are ended one by one.
STEPS = 128
ZERO, CR, LF = ord("0"), ord("\r"), ord("\n")


class LabelBlocks(LineBlocks):
    """The blocks of a stream of lines ``3,17 1:0.5 …`` as lines ``0000 1:0.5 …``.

    A line is a comment, which has no row, or begins with its labels; with a blank or with its first
    ``index:value`` where it has none; or is empty, and then a row without labels and features.
    """

    names: LabelNames

    def __init__(self, path: str, stream: Any, block_size: int, padding: int):
        super().__init__(stream, block_size, padding)
        self.path = path
        self.header: tuple[int, int, int] | None = None
        self.lines = self.rows = 0
        self.first = b""
        self.error: LibsvmFormatError | None = None
        # (number of the line from 0, bytes put in front of it), in parts
        self.moved: list[tuple[NDArray[Any], NDArray[Any]]] = []

    def read_header(self) -> tuple[int, int, int] | None:
        """(rows, features, labels) of the first line, or None; called before the first block."""
        buffer = bytearray()
        end = super().fill(buffer)
        self.first = bytes(buffer[:end])
        found = HEADER.match(self.first)
        if found:
            self.header = (int(found[1]), int(found[2]), int(found[3]))
            self.first, self.lines = self.first[found.end() :], 1
        return self.header

    def fill(self, buffer: bytearray) -> int:
        """The next whole lines, as `LineBlocks.fill`. Raises LibsvmFormatError for wrong labels,
        once the lines before them were returned.
        """
        if self.error is not None:
            raise self.error
        end = len(self.first)
        if end:
            self._grow(buffer, end)
            buffer[:end] = self.first
            self.first = b""
        else:
            end = super().fill(buffer)
        return self._take(buffer, end) if end else 0

    def place(self, line: int, column: int, sentence: str) -> tuple[int, int, str]:
        """Line and column, from 1, of the text before labels were taken away, and the sentence."""
        number = line - 1 + (self.header is not None)
        return number + 1, max(column - self._shift(number), 1), sentence

    def _shift(self, line: int) -> int:
        """Bytes that were put in front of a line, by its number from 0."""
        for lines, counts in self.moved:
            at = np.searchsorted(lines, line)
            if at < len(lines) and lines[at] == line:
                return int(counts[at])
        return 0

    def _take(self, buffer: bytearray, end: int) -> int:
        text = np.frombuffer(buffer, np.uint8, end).copy()
        newlines = np.flatnonzero(text == LF)
        starts = np.concatenate(([0], newlines[:-1] + 1))
        ends = _field_ends(buffer, text, starts)
        is_row = text[starts] != ord("#")
        for i in np.flatnonzero(is_row & (ends == starts)).tolist():
            is_row[i] = not COMMENT.match(buffer, starts[i])
        chars, owner = _bytes_of(starts, ends)
        has_colon = np.bincount(owner[text[chars] == ord(":")], minlength=len(starts)) > 0
        has_labels = is_row & ~has_colon & (ends > starts)
        lone_cr = np.flatnonzero(is_row & (text[ends] == CR) & (ends + 1 != newlines))
        limit = len(starts)
        if len(lone_cr):
            limit = int(lone_cr[0])
            column = int(ends[limit] - starts[limit])
            self._fail(limit, column, "found a CR inside the line; lines end in LF or CR LF")
            has_labels[limit:] = is_row[limit:] = False
        limit = self._add(text, starts, ends, has_labels, is_row, limit)
        if limit < len(starts):
            end = int(starts[limit])
            if end == 0 and self.error is not None:
                raise self.error
            starts, ends = starts[:limit], ends[:limit]
            has_labels, has_colon, is_row = has_labels[:limit], has_colon[:limit], is_row[:limit]
        chars, _ = _bytes_of(starts[has_labels], ends[has_labels])
        text[chars] = ZERO
        # a line that begins with two blanks has room for a zero
        blank = is_row & (ends == starts)
        wide = blank & (text[starts] != CR) & (text[starts] != LF)
        wide[wide] = ENDS[text[starts[wide] + 1]]
        text[starts[wide]] = ZERO
        needed = np.where(blank & ~wide, 1, 0) + np.where(is_row & has_colon, 2, 0)
        moved = np.flatnonzero(needed)
        made = text[:end]
        if len(moved):
            self.moved.append((self.lines + moved, needed[moved]))
            fronts = b"".join([b"", b"0", b"0 "][count] for count in needed[moved].tolist())
            places = np.repeat(starts[moved], needed[moved])
            made = np.insert(made, places, np.frombuffer(fronts, np.uint8))
        self.lines += len(starts)
        self.rows += int(is_row.sum())
        self._grow(buffer, len(made))
        buffer[: len(made)] = made.tobytes()
        return len(made)

    def _add(
        self,
        text: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        has_labels: NDArray[np.bool_],
        is_row: NDArray[np.bool_],
        limit: int,
    ) -> int:
        """Add the labels of the lines before ``limit``; returns it, or the first wrong line."""
        lines = np.flatnonzero(has_labels[:limit])
        chars, _ = _bytes_of(starts[lines], ends[lines] + 1)
        fields = text[chars]
        fields[np.cumsum(ends[lines] + 1 - starts[lines]) - 1] = ord(",")
        tokens = fields.tobytes().split(b",")[:-1]
        owner = _bytes_of(starts[lines], ends[lines] + 1)[1]
        counts = np.bincount(owner[fields == ord(",")], minlength=len(lines))
        lengths = np.zeros(limit, dtype=np.int64)
        lengths[lines] = counts
        try:
            self.names.add(tokens, lengths[is_row[:limit]])
        except LabelError as error:
            ordinal = int(np.searchsorted(np.cumsum(counts), error.at, side="right"))
            line = int(lines[ordinal])
            before = tokens[int(counts[:ordinal].sum()) : error.at]
            sentence = str(error)
            is_last = error.at + 1 == int(counts[: ordinal + 1].sum())
            if not tokens[error.at] and is_last and before and text[ends[line]] in b" \t":
                sentence = "found a blank after a comma; labels are separated by commas alone"
            self._fail(line, sum(len(token) + 1 for token in before), sentence)
            return self._add(text, starts, ends, has_labels, is_row, line)
        return limit

    def _fail(self, line: int, column: int, sentence: str) -> None:
        """Keep the error of a line, until the lines before it are read."""
        self.error = LibsvmFormatError.at(self.path, self.lines + line + 1, column + 1, sentence)


def _field_ends(
    buffer: bytearray, text: NDArray[np.uint8], starts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Where the first field of each line ends."""
    ends = starts.copy()
    going = np.arange(len(starts))
    for _ in range(STEPS):
        going = going[~ENDS[text[ends[going]]]]
        if not len(going):
            return ends
        ends[going] += 1
    for i in going.tolist():
        found = FIELD.match(buffer, int(ends[i]))
        assert found is not None
        ends[i] = found.end()
    return ends


def _bytes_of(
    starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places of the bytes of some fields, and the number of the field of each."""
    lengths = ends - starts
    owner = np.repeat(np.arange(len(starts)), lengths)
    before = np.cumsum(lengths) - lengths
    return np.arange(len(owner)) + (starts - before)[owner], owner
