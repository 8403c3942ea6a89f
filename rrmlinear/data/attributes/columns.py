"""Text in columns: a token on each line, the label last, a blank line between sequences."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.text.byte_streams import name_of, open_to_read

WORDS = re.compile(r"[^ \t\r\f\v]+")


@dataclass(frozen=True, eq=False)
class Tokens:
    """n tokens of m sequences: ``columns`` are lists of n words, ``starts`` as of sequences.

    ``labels`` are the words of the last column, or None.
    """

    columns: list[Sequence[str]]
    labels: Sequence[str] | None
    starts: NDArray[np.int64]

    @property
    def n(self) -> int:
        return int(self.starts[-1])


def read_columns(path_or_file: Any, names: Sequence[str], labelled: bool = True) -> Tokens:
    """Read columns with these names, and a label behind them if ``labelled``.

    Columns stand apart by blanks of ASCII: a no-break space is part of a word. Text is UTF-8, plain
    or compressed. Raises ValueError with file and line for other numbers of columns and bytes that
    are no UTF-8, and for a file without tokens; OSError as `open` does.
    """
    path = name_of(path_or_file)
    with open_to_read(path_or_file) as (stream, _):
        data = bytearray()
        while block := stream.read(1 << 20):
            data += block
    data = data.removeprefix(BOM_UTF8)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}, line {line}: byte {data[error.start]} is not UTF-8") from None
    wanted = len(names) + labelled
    split = str.split if text.isascii() else WORDS.findall
    lines = [split(line) for line in text.split("\n")]
    counts = np.fromiter(map(len, lines), dtype=np.int64, count=len(lines))
    wrong = np.flatnonzero((counts != 0) & (counts != wanted))
    if wrong.size:
        told = ", ".join([*names, "the label"] if labelled else names)
        raise ValueError(
            f"{path}, line {wrong[0] + 1}: found {counts[wrong[0]]} columns where {wanted} are "
            f"expected: {told}"
        )
    full = np.flatnonzero(counts)
    if full.size == 0:
        raise ValueError(f"{path} has no tokens; at least one is needed")
    gaps = np.flatnonzero(np.diff(full) > 1) + 1
    starts = np.concatenate(([0], gaps, [full.size])).astype(np.int64)
    columns: list[Sequence[str]] = list(zip(*(line for line in lines if line), strict=True))
    return Tokens(columns[: len(names)], columns[-1] if labelled else None, starts)
