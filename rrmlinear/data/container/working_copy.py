"""Rows that a training writes for itself: to a file without a name, past the system's cache."""

from __future__ import annotations

import errno
import mmap
import os
import tempfile
import weakref
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.blocks import RowBlocks
from rrmlinear.data.container.layout import PAGE, Header, Section
from rrmlinear.data.container.mapping import Mapped
from rrmlinear.data.rows import Rows, bytes_of

#: Bytes that are collected before they are written, for each array.
WRITTEN_AT_ONCE = {"values": 1 << 19, "indices": 1 << 18, "indptr": 1 << 16}


class WorkingCopy:
    """Rows of a container that is streamed, or some of them, in a file that the system removes when
    nothing uses it.

    It lies in the container's folder: folders for temporary files may be in memory. Where blocks
    are read past the system's cache, the copy is written past it too: a control group that is full
    slows down whoever writes to the cache. ``values`` and ``indices`` are types, and ``most``
    bounds the number of stored values.

    Raises OSError where nothing can be written there.
    """

    def __init__(
        self, rows: Rows, values: np.dtype[Any], indices: np.dtype[Any], most: int
    ) -> None:
        assert rows.blocks is not None
        self.like, self.blocks = rows, rows.blocks
        self.path = self.blocks.source.path
        folder = os.path.dirname(os.path.realpath(self.path))
        self.file: Any = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self.is_direct = self.blocks.is_direct
        counts = {"values": most, "indices": most, "indptr": rows.shape[0] + 1}
        self.types = {"values": values, "indices": indices, "indptr": np.dtype(np.int64)}
        self.streams: dict[str, _Stream] = {}
        begin = 0
        for name, count in counts.items():
            self.streams[name] = _Stream(
                self.file.fileno(), begin, WRITTEN_AT_ONCE[name], self.is_direct
            )
            begin += -(-count * self.types[name].itemsize // PAGE) * PAGE
        self.most, self.n_stored = most, 0
        self.streams["indptr"].write(np.zeros(1, np.int64))

    def add(self, values: NDArray[Any], indices: NDArray[Any], ends: NDArray[np.int64]) -> None:
        """The next rows: row i has the values and indices from ends[i − 1] to ends[i] − 1."""
        if self.n_stored + len(values) > self.most:
            raise OSError(errno.EFBIG, "the copy was made for fewer values", self.path)
        self.streams["values"].write(values)
        self.streams["indices"].write(indices)
        self.streams["indptr"].write(ends + self.n_stored)
        self.n_stored += len(values)

    def finish(self) -> tuple[Mapped, RowBlocks]:
        """The copy, mapped, and its blocks: they take as much memory as those of the rows."""
        sections = []
        for name, stream in self.streams.items():
            stream.flush()
            sections.append(Section(name, self.types[name], stream.begin, stream.written))
        size = max(PAGE, -(-sections[-1].end // PAGE) * PAGE)
        os.ftruncate(self.file.fileno(), size)
        memory = mmap.mmap(self.file.fileno(), size, access=mmap.ACCESS_READ)
        arrays = {
            each.name: np.frombuffer(
                memory, each.dtype, each.n_bytes // each.dtype.itemsize, each.begin
            )
            for each in sections
        }
        header = Header(*self.like.shape, self.n_stored, 0, 0, 0, size, tuple(sections))
        own = os.dup(self.file.fileno())
        mapped = Mapped(self.path, header, np.empty(0), memory, arrays, own)
        weakref.finalize(mapped, os.close, own)
        self.close()
        blocks = self.blocks
        most = max(1, blocks.most_bytes // blocks.at_once)
        how = blocks.at_once, blocks.passes, blocks.evicts, self.is_direct
        return mapped, mapped.blocks(most, *how)

    def close(self) -> None:
        """Let go of the file; a copy that is mapped stays."""
        for stream in self.streams.values():
            stream.close()
        self.file.close()


class _Stream:
    """Bytes that follow each other in a file, written some whole pages at a time."""

    def __init__(self, file: int, begin: int, room: int, direct: bool) -> None:
        self.file, self.begin, self.written, self.filled = file, begin, 0, 0
        self.direct = -1
        if direct:
            with suppress(OSError):  # the file system may not know O_DIRECT
                self.direct = os.open(f"/proc/self/fd/{file}", os.O_WRONLY | os.O_DIRECT)
        self.memory = mmap.mmap(-1, room)
        self.bytes = np.frombuffer(self.memory, np.uint8)

    def write(self, array: NDArray[Any]) -> None:
        data, done = bytes_of(np.ascontiguousarray(array)), 0
        while done < len(data):
            count = min(len(data) - done, len(self.bytes) - self.filled)
            self.bytes[self.filled : self.filled + count] = data[done : done + count]
            self.filled, done = self.filled + count, done + count
            if self.filled == len(self.bytes):
                self.flush()

    def flush(self) -> None:
        """Write what was collected, to the end of its last page: the last piece alone has one."""
        whole, done = -(-self.filled // PAGE) * PAGE, 0
        at = self.begin + self.written
        while done < whole:
            with memoryview(self.memory)[done:whole] as rest:
                if self.direct >= 0:
                    done += os.pwrite(self.direct, rest, at + done)
                else:
                    done += os.pwrite(self.file, rest, at + done)
        self.written, self.filled = self.written + self.filled, 0

    def close(self) -> None:
        if self.direct >= 0:
            os.close(self.direct)
            self.direct = -1
