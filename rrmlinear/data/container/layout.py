"""The container's bytes: a page of header, the arrays, and a table of blocks; all little-endian.

The table in docs/container.md has every field. Checksums are XXH64 with seed 0.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from xxhash import xxh64_intdigest

from rrmlinear.data.container.signature import MAGIC

VERSION = 1
PAGE = 4096
MAX_SECTIONS = 16
_FIXED = struct.Struct("<8sII qqqq qQqq qqQ")
_SECTION = struct.Struct("<8s8sqq")
_CHECKSUM = struct.Struct("<Q")

#: The arrays by their names, with the types allowed; those from "weights" on may be absent. Either
#: there are labels, or the SETS: several labels an example.
SECTIONS = {
    "values": ("<f4", "<f8"),
    "indices": ("<i4", "<i8"),
    "indptr": ("<i8",),
    "labels": ("<f8",),
    "weights": ("<f8",),
    "qid": ("<i8",),
    "sets": ("<i4",),
    "setptr": ("<i8",),
    "names": ("|u1",),
    "lnames": ("|u1",),
    "fnames": ("|u1",),
}
#: Text of all examples: names of sets; words that labels 1 … k stand for; names of features.
TEXTS = ("names", "lnames", "fnames")
SETS = ("sets", "setptr", "names")
REQUIRED = ("values", "indices", "indptr")
#: Arrays of one number an example.
BY_EXAMPLE = ("labels", "weights", "qid")


class ContainerError(ValueError):
    """A file that is no container, or one that is cut off or damaged.

    ``block`` is the number of the first damaged block, from 1, or None.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from rrmlinear import ContainerError, Problem
    >>> path = Path(mkdtemp()) / "data.rrm"
    >>> path.write_text("1 1:0.5")
    7
    >>> try:
    ...     Problem.open(path)
    ... except ContainerError as error:
    ...     block = error.block
    >>> block is None
    True
    """

    block: int | None = None

    @classmethod
    def at(cls, text: str, block: int | None) -> ContainerError:
        error = cls(text)
        error.block = block
        return error


@dataclass(frozen=True)
class Section:
    """One array: its type and where its bytes are."""

    name: str
    dtype: np.dtype[Any]
    begin: int
    n_bytes: int

    @property
    def end(self) -> int:
        return self.begin + self.n_bytes


@dataclass(frozen=True)
class Source:
    """The text that a cache was made of: its size, the time of its last change, its checksum."""

    size: int
    time: int
    checksum: int


@dataclass(frozen=True)
class Header:
    """What the first page says."""

    n_examples: int
    n_features: int
    n_stored: int
    n_blocks: int
    table_begin: int
    table_checksum: int
    file_size: int
    sections: tuple[Section, ...]
    source: Source | None = None

    @property
    def table_bytes(self) -> int:
        return self.n_blocks * 8 * (2 + len(self.sections))

    def section(self, name: str) -> Section | None:
        return next((section for section in self.sections if section.name == name), None)

    def pack(self) -> bytes:
        source = self.source or Source(-1, 0, 0)
        parts = [
            _FIXED.pack(
                MAGIC,
                VERSION,
                len(self.sections),
                self.n_examples,
                self.n_features,
                self.n_stored,
                self.n_blocks,
                self.table_begin,
                self.table_checksum,
                self.file_size,
                0,
                source.size,
                source.time,
                source.checksum,
            )
        ]
        for each in self.sections:
            name, dtype = each.name.encode(), each.dtype.str.encode()
            parts.append(_SECTION.pack(name, dtype, each.begin, each.n_bytes))
        page = b"".join(parts).ljust(PAGE - _CHECKSUM.size, b"\0")
        return page + _CHECKSUM.pack(xxh64_intdigest(page))


def table_dtype(names: tuple[str, ...]) -> np.dtype[Any]:
    """A row of the table: where the block ends, and the checksum of its piece of each array."""
    ends = [("examples", "<i8"), ("stored", "<i8")]
    return np.dtype(ends + [(name, "<u8") for name in names])


def unpack(path: str, page: bytes) -> Header:
    """The header in the first page of a file. Raises ContainerError for any other page."""
    if not page.startswith(MAGIC):
        raise ContainerError(
            f"{path} is not a container of rrmlinear; python -m rrmlinear.convert makes one of "
            "text, arrays and tables"
        )
    if len(page) < PAGE:
        raise ContainerError(f"{path} is cut off within its header, at byte {len(page)}")
    words = _FIXED.unpack_from(page)
    if words[1] != VERSION:
        raise ContainerError(
            f"{path} has version {words[1]} of the container's format; version {VERSION} is read"
        )
    body, found = page[: -_CHECKSUM.size], _CHECKSUM.unpack_from(page, PAGE - _CHECKSUM.size)[0]
    if xxh64_intdigest(body) != found:
        raise ContainerError(f"{path} is damaged: its header does not have its checksum")
    sections = []
    for k in range(min(words[2], MAX_SECTIONS)):
        name, dtype, begin, size = _SECTION.unpack_from(page, _FIXED.size + k * _SECTION.size)
        name, dtype = (part.rstrip(b"\0").decode("ascii", "replace") for part in (name, dtype))
        if dtype not in SECTIONS.get(name, ()):
            raise ContainerError(f"{path} has an array {name!r} of type {dtype!r}: not known")
        sections.append(Section(name, np.dtype(dtype), begin, size))
    source = None if words[11] < 0 else Source(*words[11:14])
    n, d, stored, blocks, table, table_sum, size = words[3:10]
    header = Header(n, d, stored, blocks, table, table_sum, size, tuple(sections), source)
    _check(path, header)
    return header


def _check(path: str, header: Header) -> None:
    """Refuse sizes that do not fit each other; a header with its checksum seldom has any."""
    n, stored = header.n_examples, header.n_stored
    counts = {"values": stored, "indices": stored, "indptr": n + 1, "setptr": n + 1}
    counts |= dict.fromkeys(BY_EXAMPLE, n)
    names = [section.name for section in header.sections]
    has_sets = [name in names for name in SETS]
    sound = (
        set(REQUIRED) <= set(names)
        and all(has_sets) == any(has_sets) == ("labels" not in names)
        and len(set(names)) == len(names)
        and min(n - 1, header.n_features, stored, header.n_blocks - 1) >= 0
        and header.table_begin >= PAGE
        and header.table_begin + header.table_bytes <= header.file_size
    )
    for each in header.sections:
        size = each.dtype.itemsize
        sound = sound and each.n_bytes == size * counts.get(each.name, each.n_bytes // size)
        sound = sound and each.begin >= PAGE and each.end <= header.file_size
        sound = sound and each.begin % each.dtype.itemsize == 0
    if not sound:
        raise ContainerError(f"{path} is damaged: the sizes in its header do not fit each other")
