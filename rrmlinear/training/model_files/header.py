"""The header of a model file: each claim in it is checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.losses import loss_row
from rrmlinear.catalog.solvers import losses_of_model

BLOCK_SIZE = 1 << 20  # bytes of text that are read or written at a time
LONGEST_HEADER_LINE = 1 << 26  # bytes: labels of millions of classes
#: Lines of models of sequences: labels, features of edges, lines of weights; and that of graphs.
OF_CHAINS = ("transitions", "edge_features", "lines")
ALWAYS = ("solver_type", "nr_class", "nr_feature", "bias")
KEYS = (*ALWAYS, "loss", "label", "rho", "levels", "tables", *OF_CHAINS, "feature_names")
#: The numbers of measures that a header may have.
NUMBERS = ("beta", "k")
LARGEST_COUNT = 2**48
WHOLE = re.compile(rb"[+-]?[0-9]{1,18}")
DECIMAL = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class ModelFileError(ValueError):
    """A file that is no model; the message ends with file, line and the text found."""


class Header:
    """The lines of an open file up to ``w``, and what they say.

    ``line`` is the number of the last line read, ``found`` has the line and the text of each name.
    """

    def __init__(self, path: str, file: Any):
        self.path, self.file = path, file
        self.line = 0
        self.found: dict[str, tuple[int, bytes]] = {}
        self._read()

    def error(self, text: str, line: int | None = None, liblinear: str = "") -> ModelFileError:
        """An error at this line, or at the last one read, behind LIBLINEAR's own words if any."""
        place = f"{self.path}, line {self.line if line is None else line}: {text}"
        return ModelFileError(f"{liblinear}\n{place}" if liblinear else place)

    def _read(self) -> None:
        while True:
            self.line += 1
            text = self.file.readline(LONGEST_HEADER_LINE)
            if not text.endswith(b"\n"):
                found = "a line without end" if len(text) == LONGEST_HEADER_LINE else "the end"
                raise self.error(f"found {found} where the header goes on until a line 'w'")
            key, _, value = text.strip().partition(b" ")
            name = key.decode("ascii", "backslashreplace")
            if name == "w":
                if value:
                    raise self.error(f"found {shown_text(value)} after 'w', where the line ends")
                break
            if name not in KEYS + NUMBERS:
                shown = name[:40]
                known = f"a header has {', '.join(KEYS + NUMBERS)} and w"
                if key.startswith(b"PK\3\4"):
                    known = "the load of an estimator reads what its save wrote"
                raise self.error(
                    f"found {shown_text(key)}; {known}",
                    liblinear=f"unknown text in model file: [{shown}]",
                )
            if name in self.found:
                raise self.error(f"{name} stands in line {self.found[name][0]} already")
            self.found[name] = (self.line, value.strip())
        self.need(ALWAYS)

    def need(self, names: Sequence[str]) -> None:
        """Raise unless all these lines are there."""
        missing = [name for name in names if name not in self.found]
        if missing:
            raise self.error(f"the header ends without {', '.join(missing)}")

    def refuse(self, names: Iterable[str], sentence: str) -> None:
        """Raise if one of these lines is there."""
        for name in names:
            if name in self.found:
                raise self.error(f"{sentence} {name}", self.found[name][0])

    def solver_and_loss(self) -> tuple[str, str]:
        """The names of the type and of the loss; a type with one loss needs no line of it."""
        line, value = self.found["solver_type"]
        name = value.decode("ascii", "backslashreplace")[:40]
        try:
            losses = losses_of_model(name)
        except ValueError as error:
            raise self.error(str(error), line, "unknown solver type.") from None
        if len(losses) > 1:
            self.need(("loss",))
        line, value = self.found.get("loss", (line, losses[0].encode()))
        loss = value.decode("ascii", "backslashreplace")
        if loss not in losses:
            raise self.error(
                f"{name} has no loss {shown_text(value)}; it has {', '.join(losses)}", line
            )
        return name, loss

    def count(self, name: str, least: int) -> int:
        """The whole number of a line, at least ``least``."""
        line, value = self.found[name]
        count = int(value) if WHOLE.fullmatch(value) else -1
        if not least <= count <= LARGEST_COUNT:
            raise self.error(
                f"{name} is {shown_text(value)}; it must be a whole number of at least {least}"
                + (f" and at most {LARGEST_COUNT}" if count > least else ""),
                line,
            )
        return count

    def number(self, name: str) -> float:
        """The finite number of a line."""
        line, value = self.found[name]
        number = float(value) if DECIMAL.fullmatch(value) else np.inf
        if not np.isfinite(number):
            raise self.error(f"{name} is {shown_text(value)}; it must be a finite number", line)
        return number

    def no_labels(self, n_classes: int) -> NDArray[np.int64]:
        """The labels of a regression or a one-class machine: none."""
        if "label" in self.found:
            raise self.error(
                "a regression or a one-class machine has no labels", self.found["label"][0]
            )
        if n_classes != 2:
            raise self.error(
                "nr_class of a regression or a one-class machine must be 2",
                self.found["nr_class"][0],
            )
        return np.empty(0, dtype=np.int64)

    def labels(self, n_classes: int) -> NDArray[np.int64]:
        """The labels, all different."""
        self.need(("label",))
        line, value = self.found["label"]
        texts = value.split()
        if len(texts) != n_classes:
            raise self.error(f"{len(texts)} labels for nr_class {n_classes}", line)
        for text in texts:
            if not WHOLE.fullmatch(text) or abs(int(text)) > 2**31 - 1:
                raise self.error(
                    f"the label {shown_text(text)} is not a whole number of 32 bits", line
                )
        labels = np.array([int(text) for text in texts], dtype=np.int64)
        names, counts = np.unique(labels, return_counts=True)
        if (counts > 1).any():
            raise self.error(f"the label {names[counts > 1][0]} stands there twice", line)
        return labels

    def rho(self, needed: bool) -> float | None:
        """The threshold of models that need one."""
        if needed:
            self.need(("rho",))
            return self.number("rho")
        if "rho" in self.found:
            raise self.error("a model of this loss has no rho", self.found["rho"][0])
        return None

    def levels(self, loss: str) -> tuple[float, ...] | None:
        """The levels of several quantiles, if there are some."""
        if "levels" not in self.found:
            return None
        line, value = self.found["levels"]
        found = [float(each) if DECIMAL.fullmatch(each) else np.nan for each in value.split()]
        rising = len(found) > 1 and all(a < b for a, b in pairwise([0.0, *found, 1.0]))
        if loss != "quantile" or not rising:
            told = "two or more that rise between 0 and 1 are of a model of loss quantile"
            raise self.error(f"levels are {shown_text(value)}; {told}", line)
        return tuple(found)

    def numbers(self, loss: str) -> dict[str, float]:
        """The numbers of a measure, those that are there."""
        result: dict[str, float] = {}
        for name in NUMBERS:
            if name not in self.found:
                continue
            line, value = self.found[name]
            if name not in loss_row(loss).takes:
                raise self.error(f"a model of loss {loss} has no {name}", line)
            number = self.count(name, 1) if name == "k" else self.number(name)
            if not number > 0:
                raise self.error(f"{name} is {shown_text(value)}; it must be above 0", line)
            result[name] = number
        return result


def shown_text(text: bytes) -> str:
    """The text found, in quotes, its beginning where it is long."""
    shown = text.decode("utf-8", "replace")
    return repr(shown if len(shown) <= 40 else shown[:40] + "…")
