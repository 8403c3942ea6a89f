"""The language of templates: which attributes a position has.

The first line names the columns before the label; each other line is an attribute, or several:

    columns word pos
    word[0]                 the word
    word[-2..2]             five attributes: the words from two before to two after
    pos[-1]|pos[0]          both parts of speech in one attribute
    pos[-2..2] by 2         the four pairs of neighbours in the window
    word.suffix3[0]         the last three characters
    begin                   the first position of a sequence; `end`, its last
    edge pos[-1]|pos[0]     an attribute of a position together with the one before it

A line that begins with ``edge`` makes features of edges: the weight of the attribute is one for
each pair of labels, as of the lines B of CRF++. The first position of a sequence has none.

``column.function[offset]`` has the functions lower, shape, prefixN and suffixN. Text from # on is a
comment. Where an offset leads out of the sequence, or a word is shorter than its prefix or suffix,
the position does not have the attribute.

Lines before the columns say more: ``format tabs`` (or conllu, or attributes) how the file is
written, ``label upos`` which column of CoNLL-U is the label, and ``padded`` that a position outside
of the sequence has words of its own, _B-1, _B+1 and so on, as in CRF++.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

PART = re.compile(r"(\w+)(?:\.([a-z]+)(\d*))?\[(-?\d+)(?:\.\.(-?\d+))?\]")
BY = re.compile(r"(.*\S)\s+by\s+(\d+)")
ENDS = ("begin", "end", "bias")
#: How files of tokens are written; those of attributes need no template.
COLUMNS, TABS, CONLLU, ATTRIBUTES = "columns", "tabs", "conllu", "attributes"
FORMATS = (COLUMNS, TABS, CONLLU, ATTRIBUTES)
#: The columns of CoNLL-U.
UNIVERSAL = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
EDGE = "edge"
RUNS_OF_A_SHAPE = re.compile(r"(.)\1+")
#: Positions that an attribute may look away, and neighbours that it may join.
FARTHEST, MOST_JOINED = 1000, 10


@dataclass(frozen=True)
class Part:
    """A function of one column at an offset from the position."""

    name: str
    column: int
    function: Callable[[str], str | None] | None
    offset: int


@dataclass(frozen=True)
class Attribute:
    """Parts that are one attribute together, or the begin or the end of a sequence, or a bias."""

    name: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Template:
    """The names of the columns before the label, the attributes of positions and of edges, and the
    text that says so.
    """

    columns: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    edges: tuple[Attribute, ...]
    text: str
    form: str = COLUMNS
    label: str = "upos"
    padded: bool = False


class TemplateError(ValueError):
    """A line that is no line of a template; the message names it."""


def parse_template(text: str, path: str) -> Template:
    """The template of a text; TemplateError with ``path`` and the line of the first fault."""
    columns: tuple[str, ...] = ()
    attributes: dict[str, Attribute] = {}
    edges: dict[str, Attribute] = {}
    more: dict[str, Any] = {}
    for number, line in enumerate(text.splitlines(), 1):
        place = f"{path}, line {number}"
        words = line.partition("#")[0].split()
        if not words:
            continue
        if not columns and words[0] in ("format", "label", "padded"):
            more |= _header(words, place)
            continue
        if not columns:
            if words[0] != "columns" or len(words) < 2:
                raise TemplateError(f"{place}: the first line must be columns and their names")
            if len(set(words)) < len(words):
                raise TemplateError(f"{place}: two columns have one name")
            columns = tuple(words[1:])
            if more.get("form") == CONLLU:
                _check_universal(columns, more.get("label", "upos"), place)
            continue
        known = edges if words[0] == EDGE else attributes
        for attribute in _attributes_of(" ".join(words[words[0] == EDGE :]), columns, place):
            known.setdefault(attribute.name, attribute)
    if more.get("form") == ATTRIBUTES:
        return Template((), (), (), text, ATTRIBUTES)
    if not attributes:
        raise TemplateError(
            f"{path}: the template has no attributes of positions; at least one is needed"
        )
    return Template(columns, tuple(attributes.values()), tuple(edges.values()), text, **more)


def _header(words: list[str], place: str) -> dict[str, Any]:
    """What a line before the columns says."""
    name, *rest = words
    known = {"format": FORMATS, "label": UNIVERSAL}
    if name == "padded" and not rest:
        return {"padded": True}
    if name not in known or len(rest) != 1 or rest[0] not in known[name]:
        told = "padded, alone" if name == "padded" else f"{name} and one of {known[name]}"
        raise TemplateError(f"{place}: found {' '.join(words)!r} where {told} is expected")
    return {"form" if name == "format" else "label": rest[0]}


def _check_universal(columns: tuple[str, ...], label: str, place: str) -> None:
    for name in columns:
        if name not in UNIVERSAL or name == label:
            why = "the label" if name == label else f"none of {', '.join(UNIVERSAL)}"
            raise TemplateError(f"{place}: the column {name} is {why}")


def _attributes_of(line: str, columns: tuple[str, ...], place: str) -> list[Attribute]:
    if line in ENDS:
        return [Attribute(line, ())]
    joined = 1
    if by := BY.fullmatch(line):
        line, joined = by[1], int(by[2])
        if not 2 <= joined <= MOST_JOINED:
            raise TemplateError(f"{place}: by {joined}; allowed are 2 … {MOST_JOINED}")
    pieces = [_window(piece.strip(), columns, place) for piece in line.split("|")]
    if len(pieces) > 1:
        if joined > 1 or any(len(window) > 1 for window in pieces):
            raise TemplateError(f"{place}: a window cannot be joined by |; write each offset")
        return [_joined([window[0] for window in pieces])]
    (window,) = pieces
    if len(window) < joined:
        raise TemplateError(f"{place}: the window has {len(window)} positions, fewer than {joined}")
    return [_joined(window[at : at + joined]) for at in range(len(window) - joined + 1)]


def _joined(parts: list[Part]) -> Attribute:
    return Attribute("|".join(part.name for part in parts), tuple(parts))


def _window(text: str, columns: tuple[str, ...], place: str) -> list[Part]:
    found = PART.fullmatch(text)
    if not found:
        raise TemplateError(f"{place}: {text!r} is no column[offset], begin, end or bias")
    column, function, length, first, last = found.groups()
    if column not in columns:
        raise TemplateError(f"{place}: there is no column {column}, but {', '.join(columns)}")
    begin, end = int(first), int(last or first)
    if end < begin or max(-begin, end) > FARTHEST:
        raise TemplateError(
            f"{place}: the offsets {begin}..{end} must rise and lie within {FARTHEST}"
        )
    named = f"{column}.{function}{length}" if function else column
    made = _function(function, length, place) if function else None
    at = columns.index(column)
    return [Part(f"{named}[{offset}]", at, made, offset) for offset in range(begin, end + 1)]


def _function(name: str, length: str, place: str) -> Callable[[str], str | None]:
    if name in ("lower", "shape") and not length:
        return str.lower if name == "lower" else shape
    if name in ("prefix", "suffix") and length and int(length) > 0:
        n = int(length)
        return (lambda w: _first(w, n)) if name == "prefix" else (lambda w: _last(w, n))
    raise TemplateError(
        f"{place}: there is no function {name}{length}, but lower, shape, prefixN and suffixN"
    )


def _first(word: str, n: int) -> str | None:
    return word[:n] if len(word) >= n else None


def _last(word: str, n: int) -> str | None:
    return word[-n:] if len(word) >= n else None


def shape(word: str) -> str:
    """The word with A for capitals, a for other letters and 0 for digits, runs as one."""
    kinds = (
        "A" if c.isupper() else "a" if c.isalpha() else "0" if c.isdigit() else c for c in word
    )
    return RUNS_OF_A_SHAPE.sub(r"\1", "".join(kinds))


#: A line that has a macro, or is a bigram alone.
LINE = re.compile(r"^[UB][^\n]*%x\[|^B\s*$", re.MULTILINE)
MACRO = re.compile(r"%x\[\s*(-?\d+)\s*,\s*(\d+)\s*\]")


def is_of_crfpp(text: str) -> bool:
    """Whether a text has lines as U00:%x[-1,0]."""
    return LINE.search(text) is not None


def translated(text: str, path: str, n_columns: int) -> str:
    """Our template for files with ``n_columns`` columns before the label.

    Attributes are the same but for their names: what stands around the macros has no other use than
    to tell them apart. A line B alone is the transitions, which every model has. TemplateError with
    ``path`` and the line of the first fault.
    """
    lines = ["padded", "columns " + " ".join(f"c{k}" for k in range(n_columns))]
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line or line == "B":
            continue
        place = f"{path}, line {number}"
        if line[0] not in "UB":
            raise TemplateError(f"{place}: found {line!r}; lines of CRF++ begin with U or B")
        if "%" in MACRO.sub("", line):
            raise TemplateError(f"{place}: {line!r} has a macro that is none of %x[row,column]")
        parts = []
        for row, column in MACRO.findall(line):
            if int(column) >= n_columns:
                raise TemplateError(
                    f"{place}: column {column} is asked for; there are 0 … {n_columns - 1} before "
                    "the label"
                )
            parts.append(f"c{column}[{int(row)}]")
        if line[0] == "B" and not parts:
            continue
        lines.append(("edge " if line[0] == "B" else "") + ("|".join(parts) or "bias"))
    return "\n".join([*lines, ""])
