"""Text of tokens: columns, CoNLL-U, CRFsuite's attributes; a blank line ends a sequence."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.attributes.templates import ATTRIBUTES, COLUMNS, TABS, UNIVERSAL, Template
from rrmlinear.data.text.byte_streams import name_of, read_text
from rrmlinear.data.text.libsvm_errors import shown

WORDS = re.compile(r"[^ \t\r\f\v]+")
#: Numbers of CoNLL-U's ranges and empty nodes.
NO_TOKEN = re.compile(r"\d+-\d+|\d+\.\d+")
#: CRFsuite's escapes, and an attribute with a weight behind the first colon that has none.
ESCAPED = re.compile(r"\\([:\\])")
WEIGHTED = re.compile(r"((?:\\.|[^:\\]|\\)*)(?::(.*))?", re.DOTALL)
#: Lines by which a file of columns is told from one of attributes.
LOOKED_AT = 200


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


@dataclass(frozen=True, eq=False)
class Items:
    """n positions of m sequences with attributes as they stand in a file: position i has those from
    ends[i] to ends[i + 1] − 1, numbers of ``names``, with ``values``. ``labels`` as of `Tokens`.
    """

    names: list[str]
    numbers: NDArray[np.int64]
    values: NDArray[np.float64]
    ends: NDArray[np.int64]
    labels: Sequence[str] | None
    starts: NDArray[np.int64]
    columns: Sequence[Sequence[str]] = ()

    @property
    def n(self) -> int:
        return int(self.starts[-1])


def read_tokens(path_or_file: Any, template: Template, labelled: bool = True) -> Tokens | Items:
    """The tokens of a file that is written as the template says, or the items of attributes."""
    if template.form == COLUMNS:
        return read_columns(path_or_file, template.columns, labelled)
    path, text = name_of(path_or_file), read_text(path_or_file)
    if template.form == ATTRIBUTES:
        return items_of(path, text, labelled)
    lines = [line.rstrip("\r") for line in text.split("\n")]
    if template.form == TABS:
        split = [line.split("\t") if line.strip() else [] for line in lines]
        return _tokens_of(path, split, template.columns, labelled)
    chosen = [UNIVERSAL.index(name) for name in template.columns]
    label = [UNIVERSAL.index(template.label)] if labelled else []
    fields = [_universal(path, at, line) for at, line in enumerate(lines, 1)]
    # ranges and empty nodes are no tokens, and comments are no ends
    kept = [line for line in fields if line is not None]
    rows = [[line[at] for at in (*chosen, *label)] for line in kept if line]
    starts = _starts(np.array([len(line) for line in kept]), path)
    columns: list[Sequence[str]] = list(zip(*rows, strict=True))
    return Tokens(columns[: len(chosen)], columns[-1] if labelled else None, starts)


def _universal(path: str, at: int, line: str) -> list[str] | None:
    """The ten columns of a line of CoNLL-U; [] for a blank one, None for what is no token."""
    if not line.strip():
        return []
    if line.startswith("#"):
        return None
    fields = line.split("\t")
    if len(fields) != len(UNIVERSAL):
        raise ValueError(
            f"{path}, line {at}: found {len(fields)} columns where CoNLL-U has {len(UNIVERSAL)}, "
            "with tabs between them"
        )
    if fields[0].isascii() and fields[0].isdigit():
        return fields
    if NO_TOKEN.fullmatch(fields[0]):
        return None
    raise ValueError(
        f"{path}, line {at}: the number of the token is {shown(fields[0])}; allowed are 1, 1-2 and "
        "1.1"
    )


def items_of(path: str, text: str, labelled: bool) -> Items:
    r"""Items of CRFsuite's text: on each line the label, and behind tabs attribute or
    attribute:weight. A colon in a name is written \: and a backslash \\; empty items are none.

    Raises ValueError with file and line for weights that are no finite numbers.
    """
    known: dict[str, int] = {}
    numbers: list[int] = []
    values: list[float] = []
    labels: list[str] = []
    ends, lengths = [0], []
    for at, line in enumerate(text.split("\n"), 1):
        line = line.rstrip("\r")
        lengths.append(len(line))
        if not line:
            continue
        items = line.split("\t")
        if labelled:
            labels.append(_plain(items.pop(0)))
            if not labels[-1]:
                raise ValueError(f"{path}, line {at}: the label before the first tab is empty")
        for item in items:
            if not item:
                continue
            name, value = item, 1.0
            if ":" in item:
                name, value = _weighted(path, at, item)
            elif "\\" in item:
                name = _plain(item)
            numbers.append(known.setdefault(name, len(known)))
            values.append(value)
        ends.append(len(numbers))
    starts = _starts(np.array(lengths), path)
    given = np.array(numbers, dtype=np.int64), np.array(values), np.array(ends, dtype=np.int64)
    return Items(list(known), *given, labels if labelled else None, starts)


def _plain(text: str) -> str:
    return ESCAPED.sub(r"\1", text) if "\\" in text else text


def _weighted(path: str, at: int, item: str) -> tuple[str, float]:
    found = WEIGHTED.fullmatch(item)
    assert found is not None
    name, weight = found.groups()
    if weight is None:
        return _plain(name), 1.0
    try:
        value = float(weight)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(
            f"{path}, line {at}: the weight of {shown(name)} is {shown(weight)}; it must be a "
            "finite number (a colon in a name is written \\:)"
        )
    return _plain(name), value


def width_of(path: str) -> int:
    """The number of columns in the first line with tokens; 0 where there is none."""
    lines = (line.split() for line in read_text(path).split("\n"))
    return next((len(line) for line in lines if line), 0)


def _are_attributes(lines: Iterable[str]) -> bool:
    """Whether tabs stand before what has a = in it, as in CRFsuite's text, down to the last."""
    seen = [line.split("\t")[1:] for line in lines if line.strip()]
    fields = [field for line in seen for field in line if field]
    ends = [line[-1] for line in seen if line]
    return bool(ends) and (
        2 * sum("=" in field for field in fields) > len(fields)
        and (all("=" in end for end in ends) or len({len(line) for line in seen}) > 1)
    )


def read_columns(path_or_file: Any, names: Sequence[str], labelled: bool = True) -> Tokens:
    """Read columns with these names, and a label behind them if ``labelled``.

    Columns stand apart by blanks of ASCII: a no-break space is part of a word. Text is UTF-8, plain
    or compressed. Raises ValueError with file and line for other numbers of columns and bytes that
    are no UTF-8, for a file without tokens, and for CRFsuite's attributes; OSError as `open` does.
    """
    path, text = name_of(path_or_file), read_text(path_or_file)
    split = str.split if text.isascii() else WORDS.findall
    lines = text.split("\n")
    if _are_attributes(lines[:LOOKED_AT]):
        raise ValueError(
            f"{path} has attributes behind tabs, as CRFsuite's text: --format attributes reads it, "
            "and --format tabs columns of such words"
        )
    return _tokens_of(path, [split(line) for line in lines], names, labelled)


def _tokens_of(path: str, lines: list[list[str]], names: Sequence[str], labelled: bool) -> Tokens:
    """Tokens of lines that are split already; [] ends a sequence."""
    wanted = len(names) + labelled
    counts = np.fromiter(map(len, lines), dtype=np.int64, count=len(lines))
    wrong = np.flatnonzero((counts != 0) & (counts != wanted))
    if wrong.size:
        told = ", ".join([*names, "the label"] if labelled else names)
        universal = any(len(line) == len(UNIVERSAL) and line[0] == "1" for line in lines)
        raise ValueError(
            f"{path}, line {wrong[0] + 1}: found {counts[wrong[0]]} columns where {wanted} are "
            f"expected: {told}" + "; --format conllu reads CoNLL-U" * universal
        )
    starts = _starts(counts, path)
    columns: list[Sequence[str]] = list(zip(*(line for line in lines if line), strict=True))
    return Tokens(columns[: len(names)], columns[-1] if labelled else None, starts)


def _starts(counts: NDArray[np.int64], path: str) -> NDArray[np.int64]:
    """Where sequences begin, of the lengths of lines; ValueError where all are empty."""
    full = np.flatnonzero(counts)
    if full.size == 0:
        raise ValueError(f"{path} has no tokens; at least one is needed")
    gaps = np.flatnonzero(np.diff(full) > 1) + 1
    return np.concatenate(([0], gaps, [full.size])).astype(np.int64)
