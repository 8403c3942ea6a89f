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

from rrmlinear.core.pool import thread_pool
from rrmlinear.data.blocks import RowBlocks
from rrmlinear.data.container.layout import PAGE, Header, Section
from rrmlinear.data.container.mapping import Mapped
from rrmlinear.data.rows import Rows, bytes_of

#: Bytes that are collected or on their way, for each array.
WRITTEN_AT_ONCE = {"values": 1 << 20, "indices": 1 << 20, "indptr": 1 << 16}


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
        # writing to the system's cache takes no longer than handing over
        self.pool = thread_pool(1, "writing") if self.is_direct else None
        self.streams: dict[str, _Stream] = {}
        begin = 0
        for name, count in counts.items():
            self.streams[name] = _Stream(
                self.file.fileno(), begin, WRITTEN_AT_ONCE[name], self.is_direct, self.pool
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
        if self.pool is not None:
            self.pool.shutdown()
        self.file.close()


class _Stream:
    """Bytes that follow each other in a file, written some whole pages at a time; where there is a
    ``pool``, by a thread of it, while the next ones are collected.
    """

    def __init__(self, file: int, begin: int, room: int, direct: bool, pool: Any) -> None:
        self.file, self.begin, self.written, self.filled = file, begin, 0, 0
        self.direct = -1
        if direct:
            with suppress(OSError):  # the file system may not know O_DIRECT
                self.direct = os.open(f"/proc/self/fd/{file}", os.O_WRONLY | os.O_DIRECT)
        self.pool, self.writing = pool, None
        #: What is collected, and what is written meanwhile.
        halves = 1 if pool is None else 2
        self.memories = [mmap.mmap(-1, room // halves) for _ in range(halves)]
        self.bytes = [np.frombuffer(memory, np.uint8) for memory in self.memories]

    def write(self, array: NDArray[Any]) -> None:
        """Collect the next bytes; raises OSError where those before could not be written."""
        data, done = bytes_of(np.ascontiguousarray(array)), 0
        while done < len(data):
            own = self.bytes[0]
            count = min(len(data) - done, len(own) - self.filled)
            own[self.filled : self.filled + count] = data[done : done + count]
            self.filled, done = self.filled + count, done + count
            if self.filled == len(own):
                self._hand_over()

    def _hand_over(self) -> None:
        self._settle()
        given = self.memories[0], self.filled, self.begin + self.written
        if self.pool is None:
            self._write(*given)
        else:
            self.writing = self.pool.submit(self._write, *given)
        self.written, self.filled = self.written + self.filled, 0
        self.memories.reverse()
        self.bytes.reverse()

    def _settle(self) -> None:
        """Wait for what is being written."""
        writing, self.writing = self.writing, None
        if writing is not None:
            writing.result()

    def _write(self, memory: mmap.mmap, filled: int, at: int) -> None:
        """Write to the end of the last page: the last piece alone does not fill it."""
        whole, done = -(-filled // PAGE) * PAGE, 0
        while done < whole:
            with memoryview(memory)[done:whole] as rest:
                file = self.direct if self.direct >= 0 else self.file
                done += _write_at(file, rest, at + done)

    def flush(self) -> None:
        """Have all written."""
        self._hand_over()
        self._settle()

    def close(self) -> None:
        with suppress(OSError):
            self._settle()
        if self.direct >= 0:
            os.close(self.direct)
            self.direct = -1


def _write_at(file: int, data: memoryview, at: int) -> int:
    """The bytes written, some of them at least; Windows has no `os.pwrite`."""
    if hasattr(os, "pwrite"):
        return os.pwrite(file, data, at)
    os.lseek(file, at, os.SEEK_SET)
    return os.write(file, data)
