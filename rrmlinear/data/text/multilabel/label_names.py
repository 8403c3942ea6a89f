"""Labels as they are written, numbered by first appearance, and the sets that rows have of them."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.label_sets import LabelSets
from rrmlinear.data.text.libsvm_errors import shown

#: Whole numbers that fit 64 bits.
WHOLE = re.compile(r"\+?[0-9]{1,18}")
NEGATIVE = re.compile(r"-[0-9.]+")
MISSING = re.compile(r"[+-]?nan", re.IGNORECASE)


class LabelError(ValueError):
    """A label that is not allowed, ``at`` its place among those of a call."""

    def __init__(self, at: int, sentence: str):
        super().__init__(sentence)
        self.at = at


class LabelNames:
    """The labels of rows, row after row.

    ``names`` are the labels allowed, in their order; ``count`` allows 0 … count − 1, as the header
    of a file tells them. With neither, all but negative numbers are allowed. They are whole numbers
    if all labels are, and else text, and are sorted.
    """

    def __init__(self, names: Any = None, count: int | None = None):
        self.count = count
        self.allowed: dict[Any, int] | None = None
        if names is not None or count is not None:
            self.given = np.asarray(np.arange(count or 0) if names is None else names)
            self.allowed = {name: place for place, name in enumerate(self.given.tolist())}
            self.are_numbers = self.given.dtype.kind in "iu"
        self.number: defaultdict[bytes, int] = defaultdict()
        self.number.default_factory = self.number.__len__
        self.texts: list[str] = []
        self.places: deque[NDArray[np.int32]] = deque()
        self.lengths: deque[NDArray[np.int64]] = deque()

    def add(self, tokens: list[bytes], lengths: NDArray[np.int64]) -> None:
        """The labels of some more rows, which have ``lengths`` of them.

        Raises LabelError for the first that is not allowed; then none of them is added.
        """
        before = len(self.texts)
        numbers = list(map(self.number.__getitem__, tokens))
        wrong: list[LabelError] = []
        for token in islice(self.number, before, None):
            try:
                self.texts.append(self._checked(token))
            except ValueError as error:
                wrong.append(LabelError(tokens.index(token), str(error)))
                self.texts.append("")
        if wrong:
            for token in list(islice(self.number, before, None)):
                del self.number[token]
            del self.texts[before:]
            raise min(wrong, key=lambda error: error.at)
        self.places.append(np.array(numbers, dtype=np.int32))
        self.lengths.append(lengths)

    def _checked(self, token: bytes) -> str:
        """The text of a label; ValueError where it is not allowed."""
        if not token:
            raise ValueError("a label is missing at this comma; labels are separated by one comma")
        try:
            text = token.decode()
        except UnicodeDecodeError:
            found = shown(token.decode("utf-8", "replace"))
            raise ValueError(f"the label {found} is no text in UTF-8") from None
        if "\0" in text:
            raise ValueError("found a NUL byte: this is no text, or text of UTF-16")
        if NEGATIVE.fullmatch(text):
            raise ValueError(
                f"the label {shown(text)} is negative; labels are whole numbers from 0, or names"
            )
        if MISSING.fullmatch(text):
            raise ValueError(
                f"the label {shown(text)} stands for a missing value; a line without labels begins "
                "with a blank"
            )
        if self.allowed is not None and self._name_of(text) not in self.allowed:
            told = f"the {len(self.allowed)} labels known"
            if self.count is not None:
                told = f"the {self.count} labels that the header tells, counted from 0"
            raise ValueError(f"the label {shown(text)} is not among {told}")
        return text

    def _name_of(self, text: str) -> Any:
        if not self.are_numbers:
            return text
        return int(text) if WHOLE.fullmatch(text) else None

    def final(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """All names in their order, and the place among them of each number."""
        place: Any
        if self.allowed is not None:
            names = self.given
            place = [self.allowed[self._name_of(text)] for text in self.texts]
        else:
            whole = all(map(WHOLE.fullmatch, self.texts))
            each: Any = [int(text) for text in self.texts] if whole else self.texts
            names, place = np.unique(
                np.array(each, np.int64 if whole else None), return_inverse=True
            )
        return names, np.asarray(place, dtype=np.int64)

    def taken(self, n: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The numbers of the labels of the first n rows, and where those of each end; these rows
        are forgotten. A label that a row has twice is there once.
        """
        rows, numbers = 0, []
        lengths: list[NDArray[np.int64]] = []
        while rows < n:
            numbers.append(self.places.popleft())
            lengths.append(self.lengths.popleft())
            rows += len(lengths[-1])
        each, counts = _joined(numbers, np.int32), _joined(lengths, np.int64)
        owner = np.repeat(np.arange(n), counts)
        _, first = np.unique(owner * (len(self.texts) + 1) + each, return_index=True)
        first.sort()
        return each[first], np.cumsum(np.bincount(owner[first], minlength=n))

    def sets(self) -> LabelSets:
        """The labels of all rows."""
        from scipy.sparse import csr_array

        names, place = self.final()
        columns = place[_joined(list(self.places), np.int32)]
        ends = np.cumsum(_joined(list(self.lengths), np.int64))
        indptr = np.concatenate(([0], ends))
        ones = np.ones(len(columns), dtype=np.int8)
        matrix = csr_array((ones, columns, indptr), shape=(len(ends), len(names)))
        return LabelSets.from_matrix(matrix, names)


def _joined(parts: list[Any], dtype: Any) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0, dtype)
