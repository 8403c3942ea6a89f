"""Model files: LIBLINEAR's text format, written whole and read with every claim checked."""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.losses import loss_row
from rrmlinear.catalog.solvers import losses_of_model, name_for_liblinear
from rrmlinear.data.text._sparse_weights_text import parse_alike
from rrmlinear.data.text._weights_text import format_weights, parse_weights, text_bound
from rrmlinear.data.text.alike_weights import AlikeWeights
from rrmlinear.data.text.line_blocks import LineBlocks
from rrmlinear.data.text.whole_file import whole_file
from rrmlinear.training.stored import StoredModel, shaped_tables, sizes_of_tables

BLOCK_SIZE = 1 << 20  # bytes of text at a time
LONGEST_HEADER_LINE = 1 << 26  # bytes: labels of millions of classes
#: Lines of models of sequences: labels, features of edges, lines of weights; and that of graphs.
OF_CHAINS = ("transitions", "edge_features", "lines")
ALWAYS = ("solver_type", "nr_class", "nr_feature", "bias")
KEYS = (*ALWAYS, "loss", "label", "rho", "tables", *OF_CHAINS)
#: The numbers of measures that a header may have.
NUMBERS = ("beta", "k")
#: Kinds of models without a line of labels.
UNLABELLED = ("regression", "one-class")
LARGEST_COUNT = 2**48
WHOLE = re.compile(rb"[+-]?[0-9]{1,18}")
DECIMAL = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class ModelFileError(ValueError):
    """A file that is no model; the message ends with file, line and the text found."""


def save_model(model: StoredModel, path: str | PathLike[str], liblinear: bool = False) -> None:
    """Write LIBLINEAR's text format, and for types with a choice of losses a line ``loss``.

    A regression has nr_class 2 and no line ``label``, and a one-class machine a line ``rho`` too,
    as in LIBLINEAR; a measure that ranks has both, and a line ``beta`` or ``k`` where chosen. The
    file is complete or left as it was. Numbers have 17 digits: models read back predict bit for
    bit. With ``liblinear`` the type is the one of LIBLINEAR that predicts the same labels or
    values, and there is no line ``loss``; a threshold moves into the weight of the bias.

    A model of sequences has lines ``transitions``, ``edge_features`` and ``lines``, the number of
    lines behind the header. Its rows are those of the weights, of the transitions and of each
    feature of edges, numbered from 1; see `AlikeWeights`. A model of graphs has ``lines`` and
    ``tables``, the type and the nodes of each; the last node's labels are the columns of its rows.

    Raises OSError as `open` does, and ValueError for a model without features, weights that are not
    finite, and a loss that is not known.
    """
    weights = np.ascontiguousarray(model.weights, dtype=np.float64)
    if model.n_features < 1:
        raise ValueError("a model without features cannot be saved")
    behind = model.rows_behind
    if liblinear and behind is not None:
        raise ValueError(f"a model {model.structure}, which LIBLINEAR has no place for")
    if behind is not None:
        weights = np.concatenate([weights, *behind])
    if not (np.isfinite(weights).all() and np.isfinite([model.bias, model.rho or 0.0]).all()):
        raise ValueError("the model has weights that are not finite and cannot be saved")
    if liblinear and model.loss is not None:
        model = replace(model, solver_name=name_for_liblinear(loss_row(model.loss)))
        if model.rho is not None and not _is_one_class(model):
            weights, model = _without_threshold(model, weights)
    elif model.loss is None and len(losses_of_model(model.solver_name)) > 1:
        raise ValueError(f"a model of {model.solver_name} cannot be saved without its loss")
    if behind is not None:
        alike = AlikeWeights(weights)
        with whole_file(path) as file:
            file.write(_header_of(model, alike.n_lines).encode())
            alike.write(file)
        return
    rows, columns = weights.shape
    at_once = max(1, BLOCK_SIZE // text_bound(1, columns))
    text = bytearray(text_bound(min(rows, at_once), columns))
    with whole_file(path) as file:
        file.write(_header_of(model).encode())
        for begin in range(0, rows, at_once):
            written = format_weights(text, weights[begin : begin + at_once])
            file.write(memoryview(text)[:written])


def _is_one_class(model: StoredModel) -> bool:
    known = None if model.loss is None else loss_row(model.loss).kind
    return model.rho is not None and known in (None, "one-class")


def _without_threshold(
    model: StoredModel, weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], StoredModel]:
    """The weights with the threshold in that of the bias, for LIBLINEAR's predict."""
    assert model.rho is not None
    if not model.bias > 0:
        raise ValueError(
            f"a model of loss {model.loss} has a threshold, which LIBLINEAR's model files hold in "
            f"the weight of a bias above 0 alone: the bias is {model.bias:g}"
        )
    weights = weights.copy()
    weights[-1] -= model.rho / model.bias
    return weights, replace(model, rho=None)


def _header_of(model: StoredModel, n_lines: int = 0) -> str:
    lines = [f"solver_type {model.solver_name}"]
    if len(losses_of_model(model.solver_name)) > 1:
        lines.append(f"loss {model.loss}")
    lines.append(f"nr_class {2 if model.is_regression else len(model.labels)}")
    if not model.is_regression and not _is_one_class(model):
        lines.append(f"label {' '.join(map(str, model.labels.tolist()))}")
    lines += [f"nr_feature {model.n_features}", f"bias {model.bias:.17g}"]
    if model.rho is not None:
        lines.append(f"rho {model.rho:.17g}")
    lines += model.lines_behind(n_lines)
    if len(losses_of_model(model.solver_name)) > 1:
        lines += [f"{name} {value:.17g}" for name, value in model.numbers.items()]
    return "\n".join([*lines, "w", ""])


def load_model(path: str | PathLike[str]) -> StoredModel:
    """Read a model file, LIBLINEAR's too; each claim in it is checked, and nothing is executed.

    Header lines may stand in any order before ``w``. Sizes are compared with the file's length
    before memory is allocated.

    Raises ModelFileError (a ValueError) with file, line and what was found, and OSError as `open`
    does.
    """
    with open(path, "rb") as file:
        return _Reading(os.fspath(path), file).model()


class _Reading:
    """One file, read from its beginning to its end."""

    def __init__(self, path: str, file: Any):
        self.path, self.file = path, file
        self.line = 0
        self.found: dict[str, tuple[int, bytes]] = {}

    def model(self) -> StoredModel:
        self._header()
        solver_name, loss = self._solver_and_loss()
        kind = loss_row(loss).kind
        n_classes = self._count("nr_class", 1 if "loss" not in self.found else 2)
        labels = self._no_labels(n_classes) if kind in UNLABELLED else self._labels(n_classes)
        if kind == "measure" and n_classes != 2:
            raise self._error(f"a model of loss {loss} has 2 classes", self.found["nr_class"][0])
        n_features = self._count("nr_feature", 1)
        bias = self._number("bias")
        rho = self._rho(loss_row(loss).threshold)
        two = kind == "measure" or (kind == "binary" and n_classes == 2)
        columns = 1 if kind in UNLABELLED or two else n_classes
        labels = np.array([1, -1]) if kind == "one-class" else labels
        of_model = self._of_examples
        if kind == "chain":
            of_model = self._of_graphs if "tables" in self.found else self._of_chains
        weights, others = of_model(n_features + (bias >= 0), columns)
        others["numbers"] = self._numbers(loss)
        return StoredModel(solver_name, labels, weights, n_features, bias, loss, rho, **others)

    def _error(self, text: str, line: int | None = None, liblinear: str = "") -> ModelFileError:
        place = f"{self.path}, line {self.line if line is None else line}: {text}"
        return ModelFileError(f"{liblinear}\n{place}" if liblinear else place)

    def _header(self) -> None:
        while True:
            self.line += 1
            text = self.file.readline(LONGEST_HEADER_LINE)
            if not text.endswith(b"\n"):
                found = "a line without end" if len(text) == LONGEST_HEADER_LINE else "the end"
                raise self._error(f"found {found} where the header goes on until a line 'w'")
            key, _, value = text.strip().partition(b" ")
            name = key.decode("ascii", "backslashreplace")
            if name == "w":
                if value:
                    raise self._error(f"found {_shown(value)} after 'w', where the line ends")
                break
            if name not in KEYS + NUMBERS:
                shown = name[:40]
                raise self._error(
                    f"found {_shown(key)}; a header has {', '.join(KEYS + NUMBERS)} and w",
                    liblinear=f"unknown text in model file: [{shown}]",
                )
            if name in self.found:
                raise self._error(f"{name} stands in line {self.found[name][0]} already")
            self.found[name] = (self.line, value.strip())
        self._need(ALWAYS)

    def _need(self, names: Sequence[str]) -> None:
        missing = [name for name in names if name not in self.found]
        if missing:
            raise self._error(f"the header ends without {', '.join(missing)}")

    def _refuse(self, names: Iterable[str], sentence: str) -> None:
        for name in names:
            if name in self.found:
                raise self._error(f"{sentence} {name}", self.found[name][0])

    def _solver_and_loss(self) -> tuple[str, str]:
        line, value = self.found["solver_type"]
        name = value.decode("ascii", "backslashreplace")[:40]
        try:
            losses = losses_of_model(name)
        except ValueError as error:
            raise self._error(str(error), line, "unknown solver type.") from None
        if len(losses) > 1:
            self._need(("loss",))
        line, value = self.found.get("loss", (line, losses[0].encode()))
        loss = value.decode("ascii", "backslashreplace")
        if loss not in losses:
            raise self._error(
                f"{name} has no loss {_shown(value)}; it has {', '.join(losses)}", line
            )
        return name, loss

    def _count(self, name: str, least: int) -> int:
        line, value = self.found[name]
        count = int(value) if WHOLE.fullmatch(value) else -1
        if not least <= count <= LARGEST_COUNT:
            raise self._error(
                f"{name} is {_shown(value)}; it must be a whole number of at least {least}"
                + (f" and at most {LARGEST_COUNT}" if count > least else ""),
                line,
            )
        return count

    def _no_labels(self, n_classes: int) -> NDArray[np.int64]:
        if "label" in self.found:
            raise self._error(
                "a regression or a one-class machine has no labels", self.found["label"][0]
            )
        if n_classes != 2:
            raise self._error(
                "nr_class of a regression or a one-class machine must be 2",
                self.found["nr_class"][0],
            )
        return np.empty(0, dtype=np.int64)

    def _labels(self, n_classes: int) -> NDArray[np.int64]:
        self._need(("label",))
        line, value = self.found["label"]
        texts = value.split()
        if len(texts) != n_classes:
            raise self._error(f"{len(texts)} labels for nr_class {n_classes}", line)
        for text in texts:
            if not WHOLE.fullmatch(text) or abs(int(text)) > 2**31 - 1:
                raise self._error(
                    f"the label {_shown(text)} is not a whole number of 32 bits", line
                )
        labels = np.array([int(text) for text in texts], dtype=np.int64)
        names, counts = np.unique(labels, return_counts=True)
        if (counts > 1).any():
            raise self._error(f"the label {names[counts > 1][0]} stands there twice", line)
        return labels

    def _rho(self, needed: bool) -> float | None:
        if needed:
            self._need(("rho",))
            return self._number("rho")
        if "rho" in self.found:
            raise self._error("a model of this loss has no rho", self.found["rho"][0])
        return None

    def _numbers(self, loss: str) -> dict[str, float]:
        """The numbers of a measure, those that are there."""
        result: dict[str, float] = {}
        for name in NUMBERS:
            if name not in self.found:
                continue
            line, value = self.found[name]
            if name not in loss_row(loss).takes:
                raise self._error(f"a model of loss {loss} has no {name}", line)
            number = self._count(name, 1) if name == "k" else self._number(name)
            if not number > 0:
                raise self._error(f"{name} is {_shown(value)}; it must be above 0", line)
            result[name] = number
        return result

    def _of_examples(self, rows: int, k: int) -> tuple[NDArray[np.float64], dict[str, Any]]:
        self._refuse(["tables"], "only a model of graphs has")
        self._refuse(OF_CHAINS, "only a model of sequences has")
        return self._weights(rows, k), {}

    def _of_chains(self, rows: int, k: int) -> tuple[NDArray[np.float64], dict[str, Any]]:
        self._need(OF_CHAINS)
        if self._count("transitions", 2) != k:
            raise self._error(f"transitions must be nr_class, {k}", self.found["transitions"][0])
        edges = self._count("edge_features", 0)
        weights = self._alike_weights(rows + k * (1 + edges), k, self._count("lines", 0))
        of_edges = weights[rows + k :].reshape(edges, k, k) if edges else None
        return weights[:rows], {"transitions": weights[rows : rows + k], "edge_weights": of_edges}

    def _of_graphs(self, rows: int, k: int) -> tuple[NDArray[np.float64], dict[str, Any]]:
        self._need(OF_CHAINS[2:])
        self._refuse(OF_CHAINS[:2], "a model with tables has no")
        line, value = self.found["tables"]
        try:
            sizes = sizes_of_tables(value.decode("ascii", "backslashreplace"), k)
        except ValueError as error:
            raise self._error(str(error), line) from None
        n_rows = rows + sum(k ** (size - 1) for size in sizes.values())
        weights = self._alike_weights(n_rows, k, self._count("lines", 0))
        return weights[:rows], {"tables": shaped_tables(weights[rows:], sizes)}

    def _number(self, name: str) -> float:
        line, value = self.found[name]
        number = float(value) if DECIMAL.fullmatch(value) else np.inf
        if not np.isfinite(number):
            raise self._error(f"{name} is {_shown(value)}; it must be a finite number", line)
        return number

    def _weights(self, rows: int, columns: int) -> NDArray[np.float64]:
        stream, length = self._rest()
        if 2 * rows * columns > length:
            raise self._error(
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
                raise self._weights_error(fault, row, rows, column, columns, found)
        if row < rows:
            raise self._error(
                f"the file ends after {row} of {rows} lines of weights", self.line + row
            )
        return weights

    def _alike_weights(self, rows: int, columns: int, n_lines: int) -> NDArray[np.float64]:
        """Weights of lines as `AlikeWeights` writes them."""
        stream, length = self._rest()
        if 4 * n_lines > length:
            raise self._error(f"{n_lines} lines must follow, and the file has {length} bytes")
        try:
            weights, seen = np.zeros((rows, columns)), np.zeros(rows, dtype=np.uint8)
        except (MemoryError, ValueError):
            raise self._error(f"{rows} rows of {columns} weights do not fit in memory") from None
        blocks, buffer, found = LineBlocks(stream, BLOCK_SIZE, 0), bytearray(), 0
        while end := blocks.fill(buffer):
            read, fault, at = parse_alike(buffer, end, weights, seen)
            found += read
            if fault:
                shown = _shown((bytes(buffer[at : min(end, at + 60)]).split() or [b""])[0])
                sentences = {
                    "NO_ROW": f"found {shown} where a row is expected, 1 … {rows}, or a colon",
                    "ROW_TWICE": f"row {shown} stands in an earlier place too",
                    "NO_COLUMN": f"found {shown} where column:weight is expected, columns rising "
                    f"within 1 … {columns}",
                    "NO_NUMBER": f"found {shown} where a weight is expected, a number",
                    "NOT_FINITE": f"a weight is {shown}; it must be finite and not underflow",
                }
                raise self._error(sentences[fault], self.line + found + 1)
        if found != n_lines:
            raise self._error(f"there are {found} lines of weights, not {n_lines}", self.line)
        return weights

    def _rest(self) -> tuple[Any, int]:
        """The file from the end of the header on, and its length."""
        rest = self.file
        if not stat.S_ISREG(os.fstat(rest.fileno()).st_mode):
            rest = io.BytesIO(rest.read())
        begin, length = rest.tell(), rest.seek(0, os.SEEK_END)
        rest.seek(max(begin, length - 1))
        if rest.read().strip():  # where a file was cut off, a number would lack digits
            raise ModelFileError(f"{self.path}: the file ends without a newline; it was cut off")
        rest.seek(begin)
        return rest, length - begin

    def _weights_error(
        self, fault: str, row: int, rows: int, column: int, columns: int, found: list[bytes]
    ) -> ModelFileError:
        shown = _shown(found[0] if found else b"")
        sentences = {
            "LINE_TOO_SHORT": f"found {column} numbers where {columns} are expected",
            "LINE_TOO_LONG": f"found {shown} after the {columns} numbers of the line",
            "NOT_A_NUMBER": f"found {shown} where weight {column + 1} is expected, a number",
            "NOT_FINITE": f"weight {column + 1} is {shown}; it must be finite and not underflow",
            "TOO_MANY_LINES": f"found {shown} after the {rows} lines of weights",
        }
        return self._error(sentences[fault], self.line + row + 1)


def _shown(text: bytes) -> str:
    shown = text.decode("utf-8", "replace")
    return repr(shown if len(shown) <= 40 else shown[:40] + "…")
