"""The attributes of tokens by a template: for each attribute, the value that a position has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.attributes.columns import Tokens
from rrmlinear.data.attributes.templates import Attribute, Part, Template

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
