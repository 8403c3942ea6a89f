"""Reading model files: LIBLINEAR's text format with every claim checked."""

from __future__ import annotations

import io
import json
import os
import re
import stat
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.losses import loss_row
from rrmlinear.data.text._weights_text import parse_alike, parse_weights
from rrmlinear.data.text.line_blocks import LineBlocks
from rrmlinear.training.model_files.header import (
    BLOCK_SIZE,
    OF_CHAINS,
    Header,
    ModelFileError,
    shown_text,
)
from rrmlinear.training.stored import StoredModel, shaped_tables

#: A type and a number of nodes, few enough for a power of it.
TABLE = r"([+-]?[0-9]{1,18}):([1-9][0-9]?)"
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


#: Kinds of models without a line of labels.
UNLABELLED = ("regression", "one-class")


def load_model(path: str | PathLike[str]) -> StoredModel:
    """Read a model file, LIBLINEAR's too; each claim in it is checked, and nothing is executed.

    Header lines may stand in any order before ``w``. Sizes are compared with the file's length
    before memory is allocated.

    Raises ModelFileError (a ValueError) with file, line and what was found, and OSError as `open`
    does.
    """
    with open(path, "rb") as file:
        return _model_of(Header(os.fspath(path), file))


def _model_of(header: Header) -> StoredModel:
    solver_name, loss = header.solver_and_loss()
    kind = loss_row(loss).kind
    n_classes = header.count("nr_class", 1 if "loss" not in header.found else 2)
    labels = header.no_labels(n_classes) if kind in UNLABELLED else header.labels(n_classes)
    if kind == "measure" and n_classes != 2:
        raise header.error(f"a model of loss {loss} has 2 classes", header.found["nr_class"][0])
    n_features = header.count("nr_feature", 1)
    bias = header.number("bias")
    rho = header.rho(loss_row(loss).threshold)
    two = kind == "measure" or (kind == "binary" and n_classes == 2)
    levels = header.levels(loss)
    columns = len(levels or "1") if kind in UNLABELLED or two else n_classes
    labels = np.array([1, -1]) if kind == "one-class" else labels
    of_model = _of_examples
    if kind == "chain":
        of_model = _of_graphs if "tables" in header.found else _of_chains
    weights, others = of_model(header, n_features + (bias >= 0), columns)
    if kind == "chain" and "feature_names" in header.found:
        line, value = header.found["feature_names"]
        others |= names_of(header, b"feature_names " + value, line - 1)
    for name, count in (("label_names", len(labels)), ("feature_names", n_features)):
        if name in others and len(others[name]) != count:
            raise header.error(f"{name} has {len(others[name])} names, and there are {count}")
    others |= {"numbers": header.numbers(loss), "levels": levels}
    return StoredModel(solver_name, labels, weights, n_features, bias, loss, rho, **others)


def _of_examples(header: Header, rows: int, k: int) -> tuple[NDArray[np.float64], dict[str, Any]]:
    header.refuse(["tables"], "only a model of graphs has")
    header.refuse(OF_CHAINS, "only a model of sequences has")
    header.refuse(["feature_names"], "only a model of sequences has in its header")
    weights, named = plain_weights(header, rows, k)
    return weights, dict(named)


def _of_chains(header: Header, rows: int, k: int) -> tuple[NDArray[np.float64], dict[str, Any]]:
    header.need(OF_CHAINS)
    if header.count("transitions", 2) != k:
        raise header.error(f"transitions must be nr_class, {k}", header.found["transitions"][0])
    edges = header.count("edge_features", 0)
    weights = alike_weights(header, rows + k * (1 + edges), k, header.count("lines", 0))
    of_edges = weights[rows + k :].reshape(edges, k, k) if edges else None
    return weights[:rows], {"transitions": weights[rows : rows + k], "edge_weights": of_edges}


def _of_graphs(header: Header, rows: int, k: int) -> tuple[NDArray[np.float64], dict[str, Any]]:
    header.need(OF_CHAINS[2:])
    header.refuse(OF_CHAINS[:2], "a model with tables has no")
    line, value = header.found["tables"]
    try:
        sizes = _sizes_of_tables(value.decode("ascii", "backslashreplace"), k)
    except ValueError as error:
        raise header.error(str(error), line) from None
    n_rows = rows + sum(k ** (size - 1) for size in sizes.values())
    weights = alike_weights(header, n_rows, k, header.count("lines", 0))
    return weights[:rows], {"tables": shaped_tables(weights[rows:], sizes)}


def _sizes_of_tables(text: str, k: int) -> dict[int, int]:
    """The types of tables and their numbers of nodes, written as ``type:nodes`` with types rising.

    Raises ValueError, and for tables beyond `MAX_TABLE` too.
    """
    from rrmlinear.risks.layouts.graphs.cliques import MAX_TABLE

    sizes: dict[int, int] = {}
    for word in text.split():
        found = re.fullmatch(TABLE, word)
        if found is None:
            raise ValueError(f"found {word[:40]!r} where type:nodes is expected")
        kind, size = map(int, found.groups())
        if k**size > MAX_TABLE:
            raise ValueError(f"a table of {size} nodes has more than {MAX_TABLE} weights")
        if sizes and kind <= max(sizes):
            raise ValueError(f"found type {kind} behind {max(sizes)}; types must rise")
        sizes[kind] = size
    return sizes
