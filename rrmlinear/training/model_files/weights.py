"""The weights of a model file, behind its header."""

from __future__ import annotations

import io
import json
import os
import stat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.text._weights_text import parse_alike, parse_weights
from rrmlinear.data.text.line_blocks import LineBlocks
from rrmlinear.training.model_files.header import BLOCK_SIZE, Header, ModelFileError, shown_text

#: Lines behind the weights, which LIBLINEAR does not read.
NAMES = (b"label_names", b"feature_names")


def plain_weights(
    header: Header, rows: int, columns: int
) -> tuple[NDArray[np.float64], dict[str, tuple[str, ...]]]:
    """Weights of lines that have a number for each column, and the names in the lines behind them;
    ModelFileError for other lines.
    """
    stream, length = _rest(header)
    if 2 * rows * columns > length:
        raise header.error(
            f"{rows} lines of {columns} numbers must follow, at least {2 * rows * columns} "
            f"bytes, and the file has {length}"
        )
    weights = np.empty((rows, columns))
    blocks, buffer, row = LineBlocks(stream, BLOCK_SIZE, 0), bytearray(), 0
    while end := blocks.fill(buffer):
        read, fault, column, at = parse_weights(buffer, end, weights, row)
        row += read
        if fault:
            found = bytes(buffer[at : min(end, at + 60)]).split()
            if fault == "TOO_MANY_LINES" and found and found[0] in NAMES:
                text = bytes(buffer[at:end])
                while end := blocks.fill(buffer):
                    text += buffer[:end]
                return weights, names_of(header, text, header.line + rows)
            raise _weights_error(header, fault, row, rows, column, columns, found)
    if row < rows:
        raise header.error(
            f"the file ends after {row} of {rows} lines of weights", header.line + row
        )
    return weights, {}


def names_of(header: Header, text: bytes, line: int) -> dict[str, tuple[str, ...]]:
    """The names in lines of JSON, behind this line, for each kind."""
    found: dict[str, tuple[str, ...]] = {}
    for at, each in enumerate(text.splitlines(), line + 1):
        key, _, listed = each.partition(b" ")
        try:
            names = json.loads(listed)
        except ValueError:
            names = None
        strings = isinstance(names, list) and all(isinstance(name, str) for name in names)
        if key not in NAMES or key.decode() in found or not strings:
            raise header.error(
                f"found {shown_text(each)} where label_names or feature_names with a list of names "
                "is expected",
                at,
            )
        found[key.decode()] = tuple(names)
    return found


def alike_weights(header: Header, rows: int, columns: int, n_lines: int) -> NDArray[np.float64]:
    """Weights of lines as `AlikeWeights` writes them; ModelFileError for other lines."""
    stream, length = _rest(header)
    if 4 * n_lines > length:
        raise header.error(f"{n_lines} lines must follow, and the file has {length} bytes")
    try:
        weights, seen = np.zeros((rows, columns)), np.zeros(rows, dtype=np.uint8)
    except (MemoryError, ValueError):
        raise header.error(f"{rows} rows of {columns} weights do not fit in memory") from None
    blocks, buffer, found = LineBlocks(stream, BLOCK_SIZE, 0), bytearray(), 0
    while end := blocks.fill(buffer):
        read, fault, at = parse_alike(buffer, end, weights, seen)
        found += read
        if fault:
            shown = shown_text((bytes(buffer[at : min(end, at + 60)]).split() or [b""])[0])
            sentences = {
                "NO_ROW": f"found {shown} where a row is expected, 1 … {rows}, or a colon",
                "ROW_TWICE": f"row {shown} stands in an earlier place too",
                "NO_COLUMN": f"found {shown} where column:weight is expected, columns rising "
                f"within 1 … {columns}",
                "NO_NUMBER": f"found {shown} where a weight is expected, a number",
                "NOT_FINITE": f"a weight is {shown}; it must be finite and not underflow",
            }
            raise header.error(sentences[fault], header.line + found + 1)
    if found != n_lines:
        raise header.error(f"there are {found} lines of weights, not {n_lines}", header.line)
    return weights


def _rest(header: Header) -> tuple[Any, int]:
    """The file from the end of the header on, and its length."""
    rest = header.file
    if not stat.S_ISREG(os.fstat(rest.fileno()).st_mode):
        rest = io.BytesIO(rest.read())
    begin, length = rest.tell(), rest.seek(0, os.SEEK_END)
    rest.seek(max(begin, length - 1))
    if rest.read().strip():  # where a file was cut off, a number would lack digits
        raise ModelFileError(f"{header.path}: the file ends without a newline; it was cut off")
    rest.seek(begin)
    return rest, length - begin


def _weights_error(
    header: Header, fault: str, row: int, rows: int, column: int, columns: int, found: list[bytes]
) -> ModelFileError:
    shown = shown_text(found[0] if found else b"")
    sentences = {
        "LINE_TOO_SHORT": f"found {column} numbers where {columns} are expected",
        "LINE_TOO_LONG": f"found {shown} after the {columns} numbers of the line",
        "NOT_A_NUMBER": f"found {shown} where weight {column + 1} is expected, a number",
        "NOT_FINITE": f"weight {column + 1} is {shown}; it must be finite and not underflow",
        "TOO_MANY_LINES": f"found {shown} after the {rows} lines of weights",
    }
    return header.error(sentences[fault], header.line + row + 1)
