"""Matrix Market text, .mtx, .mtx.gz and .mtx.bz2, read by SciPy."""

from __future__ import annotations

import io
import os
import re
from typing import Any

from rrmlinear.data.formats.asked import Asked
from rrmlinear.data.formats.batches import MatrixExamples
from rrmlinear.data.text.byte_streams import open_to_read

BLOCK = 1 << 20
#: What entries are made of, where the header says integer, and else.
WHOLE, REAL = b"0123456789+- \t\r\n", b"0123456789+-.eE \t\r\n"
WHOLE_NUMBER = re.compile(rb"[+-]?\d+")
REAL_NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|nan|inf|infinity)", re.I)


class MatrixMarket(MatrixExamples):
    """Rows are examples, or columns where that is asked for or the sizes tell."""

    def __init__(self, path: Any, asked: Asked):
        super().__init__(os.fsdecode(path), asked)

    def matrix(self) -> Any:
        from scipy.io import mmread

        try:
            with open_to_read(self.name) as (stream, length):
                entries = _Entries(io.BufferedReader(stream, BLOCK))
                is_plain = length is not None and not self.name.endswith((".gz", ".bz2"))
                if is_plain:
                    while entries.read(BLOCK):  # SciPy reads a file quicker than a stream
                        pass
                found = mmread(self.name if is_plain else entries)
            if entries.are_odd:
                with open_to_read(self.name) as (stream, _):
                    _check_lines(io.BufferedReader(stream, BLOCK))
        except (ValueError, OverflowError, EOFError) as error:
            raise ValueError(f"{self.name} cannot be read: {error}") from None
        if found.dtype.kind == "c":
            raise ValueError(f"{self.name} holds complex numbers; allowed are real ones")
        return found.tocsr() if hasattr(found, "tocsr") else found


class _Entries(io.RawIOBase):
    """A file for `mmread`, which passes over the rest of 1D3, 1,5 and the integer 1.5 silently:
    ``are_odd`` where entries hold what no such number is made of.
    """

    def __init__(self, stream: Any) -> None:
        self.stream, self.head, self.are_odd = stream, b"", False
        line = stream.readline()
        self.usual = WHOLE if _is_whole(line) else REAL
        while line[:1] == b"%" or line.isspace():
            self.head += line
            line = stream.readline()
        self.head += line

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self.head:
            size = len(self.head) if size < 0 else size
            part, self.head = self.head[:size], self.head[size:]
            return part
        part = self.stream.read(size)
        self.are_odd |= bool(part.translate(None, self.usual))
        return part


def _is_whole(header: bytes) -> bool:
    return b"integer" in header.lower()


def _check_lines(stream: Any) -> None:
    """Raise ValueError for the first line whose last number is none."""
    number = WHOLE_NUMBER if _is_whole(stream.readline()) else REAL_NUMBER
    for place, line in enumerate(stream, 2):
        last = line.split()[-1:]
        if line[:1] != b"%" and last and not number.fullmatch(last[0]):
            allowed = "whole numbers" if number is WHOLE_NUMBER else "such as 1.5 and 1e-3"
            shown = last[0].decode(errors="replace")
            raise ValueError(f"line {place}: {shown} is no number; allowed are {allowed}")
