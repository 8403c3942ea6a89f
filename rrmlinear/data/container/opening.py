"""Containers opened: the header, the table of blocks and the file's size are checked."""

from __future__ import annotations

import mmap
import os
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh64_intdigest

from rrmlinear.data.container.layout import (
    PAGE,
    ContainerError,
    Header,
    Section,
    table_dtype,
    unpack,
)
from rrmlinear.data.container.mapping import Mapped


def read_header(path: Any) -> Header:
    """The header of a container."""
    name = os.fsdecode(path)
    with open(name, "rb") as file:
        return unpack(name, file.read(PAGE))


def open_container(path: Any, verify: bool = False) -> Mapped:
    """Map a container. Raises ContainerError for one that is damaged, OSError as `open` does.

    Checked are the header, the table of blocks and the file's size; with ``verify`` every block.
    """
    name = os.fsdecode(path)
    with open(name, "rb") as file:
        mapped = map_container(name, file)
    if verify:
        mapped.verify()
    return mapped


def map_container(name: str, file: Any) -> Mapped:
    """Map a container that is open under this name; ContainerError for one that is damaged."""
    if sys.byteorder != "little":
        raise ContainerError("containers are little-endian, and so must be the machine")
    size = os.fstat(file.fileno()).st_size
    file.seek(0)
    header = unpack(name, file.read(PAGE))
    if size > header.file_size:
        raise ContainerError(f"{name} is altered: {_sizes(size, header)}")
    table = _table(name, file, size, header)
    if size != header.file_size:
        raise _cut_off(name, size, header, table)
    memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    arrays = {each.name: array_of(memory, each) for each in header.sections}
    mapped = Mapped(name, header, table, memory, arrays)
    if arrays["indptr"][0] != 0:
        raise mapped.damaged(0, "its rows do not begin at 0")
    return mapped


def array_of(memory: mmap.mmap, section: Section) -> NDArray[Any]:
    """The array of a section in a mapped file."""
    count = section.n_bytes // section.dtype.itemsize
    return np.frombuffer(memory, section.dtype, count, section.begin)


def _table(name: str, file: Any, size: int, header: Header) -> NDArray[Any]:
    if size < header.table_begin + header.table_bytes:
        raise ContainerError(
            f"{name} is cut off: it has {size} of {header.file_size} bytes, and not the table that "
            "tells in which block it ends"
        )
    file.seek(header.table_begin)
    data = file.read(header.table_bytes)
    if xxh64_intdigest(data) != header.table_checksum:
        raise ContainerError(f"{name} is damaged: its table of blocks does not have its checksum")
    table = np.frombuffer(data, table_dtype(tuple(each.name for each in header.sections)))
    n, stored = table["examples"], table["stored"]
    rising = (n[1:] > n[:-1]).all() and (stored[1:] >= stored[:-1]).all()  # differences may wrap
    rising = rising and n[0] > 0 and stored[0] >= 0
    if not rising or (n[-1], stored[-1]) != (header.n_examples, header.n_stored):
        raise ContainerError(f"{name} is damaged: its table of blocks does not fit its header")
    return table


def _sizes(size: int, header: Header) -> str:
    return f"it has {size} bytes and should have {header.file_size}"


def _cut_off(name: str, size: int, header: Header, table: NDArray[Any]) -> ContainerError:
    """The error about a file that is too short, with the block of the array in which it ends."""
    cut = [each for each in header.sections if size < each.end]
    if not cut:
        return ContainerError(f"{name} is cut off behind its arrays: {_sizes(size, header)}")
    first = min(cut, key=lambda each: each.begin)
    at = max(size - first.begin, 0) // first.dtype.itemsize
    if first.name == "indptr":
        at -= 1  # its first number belongs to no row
    ends = table["stored" if first.name in ("values", "indices") else "examples"]
    block = int(np.searchsorted(ends, at, side="right")) + 1
    return ContainerError.at(
        f"{name} is cut off in block {block} of {len(table)}, within its {first.name}: "
        f"{_sizes(size, header)}",
        block,
    )
