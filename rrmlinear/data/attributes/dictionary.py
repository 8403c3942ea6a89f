"""The dictionary: attributes and labels by number, of a template, and the file that keeps it; and
the value of each attribute at each position.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.array_rows import rows_of
from rrmlinear.data.attributes.columns import Items, Tokens
from rrmlinear.data.attributes.templates import Attribute, Part, Template, parse_template
from rrmlinear.data.rows import Rows
from rrmlinear.data.sequences import SequenceProblem

Codes = NDArray[np.int64]
#: The code of a position that does not have the attribute.
ABSENT = -1


class Expansion:
    """Columns as codes, and attributes made of them.

    Words are numbered once, and what follows is arithmetic of numbers: the text of an attribute
    exists once, however many positions have it.
    """

    def __init__(self, tokens: Tokens, template: Template) -> None:
        self.tokens, self.template = tokens, template
        self.padded = template.padded
        lengths = np.diff(tokens.starts)
        self.before = np.arange(tokens.n) - np.repeat(tokens.starts[:-1], lengths)
        self.behind = np.repeat(tokens.starts[1:], lengths) - 1 - np.arange(tokens.n)
        self.coded: dict[int, tuple[Codes, list[str]]] = {}

    def attributes(self) -> Iterator[tuple[Codes, list[str]]]:
        """For each attribute, the codes of all positions, and the text of each code."""
        for attribute in self.template.attributes:
            yield self._of(attribute)

    def edges(self) -> Iterator[tuple[Codes, list[str]]]:
        """Attributes of edges, by the later of their positions; first ones have no attribute."""
        for attribute in self.template.edges:
            codes, texts = self._of(attribute)
            yield np.where(self.before > 0, codes, ABSENT), texts

    def _end_of_sequences(self, name: str) -> tuple[Codes, list[str]]:
        if name == "bias":
            return np.zeros(self.tokens.n, dtype=np.int64), [name]
        distance = self.before if name == "begin" else self.behind
        return np.where(distance == 0, 0, ABSENT), [name]

    def _of(self, attribute: Attribute) -> tuple[Codes, list[str]]:
        if not attribute.parts:
            return self._end_of_sequences(attribute.name)
        keys, texts = self._part(attribute.parts[0])
        present = keys >= 0
        for part in attribute.parts[1:]:
            more, others = self._part(part)
            present &= more >= 0
            found, keys = np.unique(
                np.where(present, keys * len(others) + more, ABSENT), return_inverse=True
            )
            if found.size and found[0] == ABSENT:
                found, keys = found[1:], keys - 1
            left, right = np.divmod(found, len(others))
            texts = [f"{texts[a]}|{others[b]}" for a, b in zip(left, right, strict=True)]
        return keys, [f"{attribute.name}={text}" for text in texts]

    def _part(self, part: Part) -> tuple[Codes, list[str]]:
        codes, words = self._column(part.column)
        if part.function is not None:
            codes, words = _mapped(codes, [part.function(word) for word in words])
        if part.offset:
            inside = (self.before >= -part.offset) & (self.behind >= part.offset)
            outside: Codes | int = ABSENT
            if self.padded:
                far = -part.offset - self.before if part.offset < 0 else part.offset - self.behind
                sign, farthest = "-" if part.offset < 0 else "+", abs(part.offset)
                outside = len(words) - 1 + far
                words = [*words, *(f"_B{sign}{k}" for k in range(1, farthest + 1))]
            codes = np.where(inside, np.roll(codes, -part.offset), outside)
        return codes, words

    def _column(self, at: int) -> tuple[Codes, list[str]]:
        if at not in self.coded:
            numbers: dict[str, int] = {}
            column = self.tokens.columns[at]
            codes = np.fromiter(
                (numbers.setdefault(word, len(numbers)) for word in column), np.int64, len(column)
            )
            self.coded[at] = codes, list(numbers)
        return self.coded[at]


def _mapped(codes: Codes, values: list[str | None]) -> tuple[Codes, list[str]]:
    """Codes of a function of the words, whose values may be equal or missing."""
    numbers: dict[str, int] = {}
    of_word = np.array(
        [ABSENT if value is None else numbers.setdefault(value, len(numbers)) for value in values],
        dtype=np.int64,
    )
    return of_word[codes], list(numbers)


FIRST_LINE = "rrmlinear dictionary of attributes"
BLOCKS = ("template", "labels", "attributes", "edges")


class DictionaryError(ValueError):
    """A file that is no dictionary; the message names file and line."""


@dataclass(frozen=True, eq=False)
class Dictionary:
    """Attributes 1 … d of positions, the most frequent first, those of edges, and labels 1 … k in
    order of first appearance.
    """

    template: Template
    labels: tuple[str, ...]
    attributes: tuple[str, ...]
    edges: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, tokens: Tokens | Items, template: Template, least: int = 1
    ) -> tuple[Dictionary, SequenceProblem]:
        """The dictionary of tokens, of attributes that occur ``least`` times, and their rows.

        Raises ValueError where no attribute is left.
        """
        if isinstance(tokens, Items):
            counts = np.bincount(tokens.numbers, minlength=len(tokens.names))
            attributes, numbers = _most_frequent(tokens.names, counts, least)
            if not attributes:
                raise ValueError(f"no attribute occurs {least} times")
            found = tuple(dict.fromkeys(tokens.labels or ("none",)))
            of_items = cls(template, found, attributes)
            return of_items, of_items._of_items(tokens, numbers)[0]
        expansion = Expansion(tokens, template)
        attributes, columns = _numbered(expansion.attributes(), least)
        if not attributes:
            raise ValueError(f"no attribute occurs {least} times")
        edges, of_edges = _numbered(expansion.edges(), least)
        if template.edges and not edges:
            raise ValueError(f"no attribute of edges occurs {least} times")
        labels = tuple(dict.fromkeys(tokens.labels or ("none",)))
        made = cls(template, labels, attributes, edges)
        return made, made._problem(tokens, columns, of_edges)

    def problem(self, tokens: Tokens | Items) -> tuple[SequenceProblem, int]:
        """The rows of other tokens, and how many attributes are left out, as they are unknown.

        Labels that are unknown get numbers above k.
        """
        if isinstance(tokens, Items):
            known = {text: number for number, text in enumerate(self.attributes)}
            return self._of_items(tokens, np.array([*(known.get(n, -1) for n in tokens.names), -1]))
        expansion = Expansion(tokens, self.template)
        columns, unknown = _looked_up(expansion.attributes(), self.attributes)
        of_edges, more = _looked_up(expansion.edges(), self.edges)
        return self._problem(tokens, columns, of_edges), unknown + more

    def _of_items(self, items: Items, numbers: NDArray[np.int64]) -> tuple[SequenceProblem, int]:
        """The rows of attributes that have a number, and how many have none."""
        from scipy.sparse import csr_array

        at = numbers[items.numbers]
        kept = np.concatenate(([0], np.cumsum(at >= 0)))[items.ends]
        shape = items.n, len(self.attributes)
        matrix = csr_array((items.values[at >= 0], at[at >= 0].astype(np.int32), kept), shape)
        matrix.sum_duplicates()
        label, names = self._label(items)
        problem = SequenceProblem(rows_of(matrix), label, items.starts, names)
        return problem, int((at < 0).sum())

    def _label(self, tokens: Tokens | Items) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The label of each position, and the numbers of all labels."""
        numbers = {name: number for number, name in enumerate(self.labels)}
        words = tokens.labels or [self.labels[0]] * tokens.n
        label = np.array([numbers.setdefault(w, len(numbers)) for w in words], dtype=np.int32)
        return label, np.arange(1, len(numbers) + 1)

    def _problem(
        self, tokens: Tokens, columns: list[Codes], of_edges: list[Codes]
    ) -> SequenceProblem:
        edges = None
        if self.edges:
            behind = np.delete(np.arange(tokens.n), tokens.starts[:-1])
            edges = _rows([each[behind] for each in of_edges], len(self.edges))
        label, names = self._label(tokens)
        rows = _rows(columns, len(self.attributes))
        return SequenceProblem(rows, label, tokens.starts, names, None, edges)

    def unknown_labels(self, tokens: Tokens | Items) -> Sequence[str]:
        """The labels that the dictionary does not have, in order of first appearance."""
        known = set(self.labels)
        return [name for name in dict.fromkeys(tokens.labels or ()) if name not in known]

    def names(self, numbers: NDArray[Any]) -> list[str]:
        """The labels of these numbers, as a model predicts them; ValueError for others."""
        wrong = np.flatnonzero((numbers < 1) | (numbers > len(self.labels)))
        if wrong.size:
            raise ValueError(
                f"line {wrong[0] + 1}: {numbers[wrong[0]]:g} is no label; there are 1 … "
                f"{len(self.labels)}"
            )
        return [self.labels[number - 1] for number in numbers.astype(np.int64).tolist()]

    def text(self) -> str:
        """The text that `parse_dictionary` takes."""
        parts = (self.template.text.splitlines(), self.labels, self.attributes, self.edges)
        lines = [FIRST_LINE]
        for name, block in zip(BLOCKS, parts, strict=True):
            lines += [f"{name} {len(block)}", *block]
        return "\n".join([*lines, ""])


def read_dictionary(path: str | os.PathLike[str]) -> Dictionary:
    """Read the file of a dictionary; DictionaryError with its line, OSError as `open` does."""
    with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
        lines = file.read().split("\n")
    if lines[0] != FIRST_LINE:
        raise DictionaryError(f"{path}, line 1: it is no dictionary; those begin {FIRST_LINE!r}")
    blocks, at = [], 1
    for name in BLOCKS:
        word, _, count = (lines[at] if at < len(lines) else "").partition(" ")
        if word != name or not count.isascii() or not count.isdigit():
            raise DictionaryError(f"{path}, line {at + 1}: {name} and their number are expected")
        end = at + 1 + int(count)
        if end > len(lines) - 1:
            raise DictionaryError(f"{path}: the file ends within the {name}; it was cut off")
        blocks.append(lines[at + 1 : end])
        at = end
    if lines[at:] != [""]:
        raise DictionaryError(f"{path}, line {at + 1}: the dictionary ends before")
    template, labels, attributes, edges = blocks
    if not labels or not attributes:
        raise DictionaryError(f"{path} has no labels or no attributes")
    made = parse_template("\n".join(template), f"the template of {path}")
    return Dictionary(made, tuple(labels), tuple(attributes), tuple(edges))


def _numbered(
    expanded: Iterable[tuple[Codes, list[str]]], least: int
) -> tuple[tuple[str, ...], list[Codes]]:
    """Attributes that occur ``least`` times, the most frequent first, and the number of each
    attribute at each position, or −1.
    """
    codes: list[Codes] = []
    texts: list[str] = []
    for of_attribute, words in expanded:
        codes.append(np.where(of_attribute >= 0, of_attribute + len(texts), -1))
        texts += words
    counts = np.zeros(len(texts), dtype=np.int64)
    for of_attribute in codes:
        counts += np.bincount(of_attribute[of_attribute >= 0], minlength=len(texts))
    kept, numbers = _most_frequent(texts, counts, least)
    return kept, [numbers[each] for each in codes]


def _most_frequent(
    texts: Sequence[str], counts: NDArray[np.int64], least: int
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Texts that occur ``least`` times, the most frequent first, and the number of each of all
    texts among them, −1 for others and behind the last.
    """
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] >= max(least, 1)]
    numbers = np.full(len(texts) + 1, -1)  # the last one for ABSENT, which is -1
    numbers[order] = np.arange(order.size)
    return tuple(texts[at] for at in order.tolist()), numbers


def _looked_up(
    expanded: Iterable[tuple[Codes, list[str]]], attributes: Sequence[str]
) -> tuple[list[Codes], int]:
    """The numbers of the attributes as of `_numbered`, and how many are unknown."""
    known = {text: number for number, text in enumerate(attributes)}
    columns, unknown = [], 0
    for of_attribute, words in expanded:
        numbers = np.array([known.get(word, -1) for word in words] + [-1], dtype=np.int64)
        columns.append(numbers[of_attribute])
        unknown += int(np.count_nonzero((of_attribute >= 0) & (columns[-1] < 0)))
    return columns, unknown


def _rows(columns: list[Codes], width: int) -> Rows:
    # int32: an attribute has a line of text, so there are fewer than 2^31
    table = np.stack(columns, axis=1).astype(np.int32)
    table.sort(axis=1)
    present = table >= 0
    indptr = np.concatenate(([0], np.cumsum(present.sum(axis=1))))
    indices = table[present]
    return Rows(np.ones(len(indices)), indices, indptr, width)
