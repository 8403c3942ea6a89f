"""Blocks of a container read past the system's cache, into memory that takes the map's place."""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import threading
import weakref
from bisect import bisect_left, bisect_right
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

PAGE = mmap.PAGESIZE
#: Linux's numbers, which Python's mmap does not name.
MAP_FIXED, MAP_FAILED = 0x10, ctypes.c_void_p(-1).value
#: Smaller blocks share pages with more than their neighbours.
LEAST_BLOCK = 16 * PAGE
#: (begin, end) in the file, whole pages of it, and where they are in the memory.
Part = tuple[int, int, int]


class File(Protocol):
    """A mapped file."""

    @property
    def path(self) -> str: ...

    @property
    def file(self) -> int:
        """Its open file."""

    @property
    def address(self) -> int:
        """Where the map begins."""

    def bring(self, begin: int, end: int) -> None: ...
    def drop(self, begin: int, end: int, evict: bool = False) -> None: ...


class DirectReads:
    """A `Source` that reads blocks of rows from the disk to memory of its own (O_DIRECT), and lays
    this memory over the map of the file while they are held.

    The system's page cache is not used: its pages are charged, mapped, found and freed one by one,
    which took five times as long as the training itself. Rows of other blocks are still read by the
    map. ``ends`` are those of the blocks' rows, and ``places`` begin and end in the file of each
    block's piece of each array. There is memory for ``slots`` blocks; others are brought by the
    map. A released block stays until its memory is needed. The thread that reads the next block
    then restores the released one. This takes as long as some passes over the block, and the
    training need not wait for it. A process that is forked meanwhile shares the memory.

    The memory stays mapped where it is read to: the resident size of the process counts it twice, a
    control group once.

    Raises OSError where the file cannot be read so.
    """

    is_direct = True

    def __init__(
        self, mapped: File, ends: NDArray[np.int64], places: NDArray[np.int64], slots: int
    ) -> None:
        self.mapped, self.path = mapped, mapped.path
        begins = np.concatenate(([0], ends[:-1])).tolist()
        self.number = {begin: block for block, begin in enumerate(begins)}
        self.ends: list[int] = ends.tolist()
        self.places = np.stack([places[..., 0] // PAGE, -(-places[..., 1] // PAGE)], axis=-1) * PAGE
        self.slot_bytes = int((self.places[..., 1] - self.places[..., 0]).sum(axis=1).max())
        self.size = os.fstat(mapped.file).st_size
        self.file = os.open(f"/proc/self/fd/{mapped.file}", os.O_RDONLY | os.O_DIRECT)
        self._closed = weakref.finalize(self, os.close, self.file)
        self.pages = os.memfd_create("rrmlinear-blocks")
        self._freed = weakref.finalize(self, os.close, self.pages)
        os.ftruncate(self.pages, slots * self.slot_bytes)
        self.memory = mmap.mmap(self.pages, slots * self.slot_bytes)
        self.lock = threading.Lock()
        self.slots, self.free = slots, list(range(slots))
        #: The slot and the parts of each block that is held.
        self.held: dict[int, tuple[int, list[Part]]] = {}
        #: Those that were let go of, the first one first.
        self.idle: dict[int, None] = {}
        self._read(0, [])  # the file system may not know O_DIRECT

    def bring(self, begin: int, end: int) -> None:
        """Read the block of rows begin … end − 1."""
        block = self.number[begin]
        with self.lock:
            if block in self.held:
                self.idle.pop(block, None)
                return
            if not self.free and self.idle:
                self._free(next(iter(self.idle)))
            slot = self.free.pop() if self.free else None
        if slot is None:
            self.mapped.bring(begin, end)
            return
        parts: list[Part] = []
        try:
            self._read(slot * self.slot_bytes, parts, block)
            for first, last, at in parts:
                map_over(self.mapped.address + first, last - first, self.pages, at, True)
        except BaseException:
            with self.lock:
                self._restore(block, parts)
                self.free.append(slot)
            raise
        with self.lock:
            self.held[block] = slot, parts

    def _read(self, at: int, parts: list[Part], block: int | None = None) -> None:
        """Read a block, or the file's first page, to the memory from ``at`` on."""
        places = [(0, PAGE)] if block is None else self.places[block].tolist()
        with memoryview(self.memory) as view:
            for first, last in places:
                done = 0
                while done < last - first:
                    with view[at + done : at + last - first] as rest:
                        count = os.preadv(self.file, [rest], first + done)
                    done += count
                    if first + done >= self.size:
                        break  # within the last page
                    if not count:
                        raise OSError(
                            errno.EIO, "the file was cut off while it was read", self.path
                        )
                if first < last and block is not None:
                    parts.append((first, last, at))
                at += last - first

    def drop(self, begin: int, end: int, evict: bool) -> None:
        """Let go of the blocks among rows begin … end − 1, and of all memory with the last one."""
        first, last = bisect_right(self.ends, begin), bisect_left(self.ends, end)
        with self.lock:
            for block in range(first, min(last + 1, len(self.ends))):
                if block in self.held:
                    self.idle[block] = None
            if self.idle and len(self.free) + len(self.idle) == self.slots:
                for block in list(self.idle):
                    self._free(block)
                self.memory.madvise(mmap.MADV_REMOVE)  # which gives the memory back

    def _free(self, block: int) -> None:
        """Put back a block that was let go of."""
        del self.idle[block]
        slot, parts = self.held.pop(block)
        self._restore(block, parts)
        self.free.append(slot)

    def _restore(self, block: int, parts: list[Part]) -> None:
        """Lay the file in the place of a block, and the memory of its neighbours in the place of
        the pages that they share with it.
        """
        base = self.mapped.address
        for first, last, _ in parts:
            map_over(base + first, last - first, self.mapped.file, first, False)
            for neighbour in (block - 1, block + 1):
                for begin, end, at in self.held.get(neighbour, (0, []))[1]:
                    low, high = max(begin, first), min(end, last)
                    if low < high:
                        map_over(base + low, high - low, self.pages, at + low - begin, True)


@cache
def _mmap() -> Any:
    """That of the system's C library."""
    own = ctypes.CDLL(None, use_errno=True).mmap
    own.argtypes = ctypes.c_void_p, ctypes.c_size_t, *3 * (ctypes.c_int,), ctypes.c_long
    own.restype = ctypes.c_void_p
    return own


def map_over(address: int, size: int, file: int, begin: int, ready: bool) -> None:
    """Map a piece of a file, to be read alone, in the place of what is mapped at an address: whole
    pages, in memory at once where it is ``ready``. Raises OSError.

    Python's own mmap takes no address.
    """
    flags = mmap.MAP_SHARED | MAP_FIXED | (mmap.MAP_POPULATE if ready else 0)
    if _mmap()(address, size, mmap.PROT_READ, flags, file, begin) == MAP_FAILED:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def direct_reads(
    mapped: File, ends: NDArray[np.int64], places: NDArray[np.int64], slots: int
) -> Any | None:
    """`DirectReads`, or None where blocks are small or the system has no such reading."""
    least = (places[..., 1] - places[..., 0]).sum(axis=1)[:-1]
    if os.environ.get("RRM_NODIRECT") or not hasattr(os, "O_DIRECT") or (least.size and int(least.min()) < LEAST_BLOCK):
        return None
    try:
        return DirectReads(mapped, ends, places, slots)
    except OSError:
        return None
