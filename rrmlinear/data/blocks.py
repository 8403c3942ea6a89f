"""Rows of a file larger than memory, as blocks that come and go."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.machine import thread_pool

#: Threads that bring blocks: disks read two pieces at once 1.4 to 2.6 times as fast as one.
READERS = 2
#: The largest piece of a file that a system maps at once.
AROUND = 1 << 21


class RowBlocks:
    """Rows cut into blocks. A pass over them has ``at_once`` blocks in memory, and threads read
    as many ahead of it.

    ``source`` is a `Mapped` container. Block b has rows ends[b − 1] … ends[b] − 1, and ``bytes_of``
    are the bytes of each. `visit` brings blocks in any order, `between` and `among` those that a
    pass over the rows needs. ``passes`` may run at the same time.

    A kernel streams by a loop over blocks around its loop over rows::

        for begin, end in rows.spans():  # all rows at once where they are not streamed
            kernel(begin, end)

    The numbers of rows are those of the whole, so that vectors over the examples need no
    translation.
    """

    def __init__(
        self,
        source: Any,
        ends: NDArray[np.int64],
        bytes_of: NDArray[np.int64],
        at_once: int = 1,
        passes: int = 1,
        evicts: bool = False,
    ) -> None:
        self.source, self.ends, self.at_once, self.passes = source, ends, at_once, passes
        #: Whether the system is to forget blocks that were used: it cannot keep all of the file.
        self.evicts = evicts
        self.room = 2 * at_once * passes
        self.begins = np.concatenate(([0], ends[:-1]))
        #: Bounds on the rows and the bytes of the blocks that a pass has at once.
        self.most_rows = int(np.sort(self.ends - self.begins)[-at_once:].sum())
        self.most_bytes = int(np.sort(bytes_of)[-at_once:].sum())
        #: Blocks on each side that hold that.
        self.around = -(-2 * AROUND // max(1, int(np.median(bytes_of))))
        #: Why the rows are streamed, for the user.
        self.reason = ""
        #: Blocks brought since the beginning.
        self.brought = 0
        self._lock = threading.Lock()
        self._pool: Any = None
        #: Blocks in memory or on the way, the one used longest ago first, and how many use each.
        self._held: OrderedDict[int, Any] = OrderedDict()
        self._users: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.ends)

    def bounds(self, block: int) -> tuple[int, int]:
        """Begin and end of a block's rows."""
        return int(self.begins[block]), int(self.ends[block])

    def visit(self, order: Sequence[int]) -> Iterator[Sequence[int]]:
        """Blocks in this order, ``at_once`` in turn; in memory until the next are asked for."""
        groups = [order[at : at + self.at_once] for at in range(0, len(order), self.at_once)]
        taken: list[int] = []
        try:
            for place, group in enumerate(groups):
                for later in groups[place : place + 2][0 if not taken else 1 :]:
                    taken += [self._take(block) for block in later]
                for block in group:
                    self._held[block].result()
                yield group
                for block in group:
                    self._leave(block)
                del taken[: len(group)]
        finally:
            for block in taken:
                self._leave(block)

    def between(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """(begin, end) of the part of each block in rows begin … end − 1."""
        if begin >= end:
            return
        first = int(np.searchsorted(self.ends, begin, side="right"))
        last = int(np.searchsorted(self.ends, end, side="left"))
        for group in self.visit(range(first, last + 1)):
            yield max(int(self.begins[group[0]]), begin), min(int(self.ends[group[-1]]), end)

    def among(self, chosen: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
        """(begin, end) in ``chosen``, rising numbers of rows, for the blocks that have some."""
        places = np.searchsorted(chosen, self.ends, side="left")
        counts = np.diff(places, prepend=0)
        for group in self.visit(np.flatnonzero(counts).tolist()):
            yield int(places[group[0]] - counts[group[0]]), int(places[group[-1]])

    def gathered(self, drawn: NDArray[np.int64], seed: Sequence[int]) -> Iterator[tuple[int, int]]:
        """(begin, end) of the parts of ``drawn``, numbers of rows in any order, whose blocks come
        together; first it is sorted by these, which are drawn anew for each seed.
        """
        random = np.random.default_rng(seed)
        order = random.permutation(len(self))
        turn = np.empty(len(self), dtype=np.int32)
        turn[order] = np.arange(len(self)) // self.at_once
        turns = turn[np.searchsorted(self.ends, drawn, side="right")]
        drawn[:] = drawn[np.argsort(turns, kind="stable")]
        ends = np.cumsum(np.bincount(turns, minlength=-(-len(self) // self.at_once)))
        begin = 0
        for end, _group in zip(ends.tolist(), self.visit(order.tolist()), strict=True):
            yield begin, end
            begin = end

    def release(self) -> None:
        """Let go of all blocks that nothing uses."""
        for reading in list(self._held.values()):
            reading.exception()
        with self._lock:
            self._shrink(0)

    def _take(self, block: int) -> int:
        """Hold a block, and have it read if it is not in memory."""
        with self._lock:
            self._users[block] = self._users.get(block, 0) + 1
            if block in self._held:
                self._held.move_to_end(block)
                return block
            self._shrink(self.room - 1)
            if self._pool is None:
                self._pool = thread_pool(READERS, "reading-ahead")
            self._held[block] = self._pool.submit(self._bring, block)
            self.brought += 1
        return block

    def _bring(self, block: int) -> None:
        self.source.bring(*self.bounds(block))
        with self._lock:
            self._drop_around(block)

    def _leave(self, block: int) -> None:
        with self._lock:
            self._users[block] -= 1
            if not self._users[block]:
                del self._users[block]
            self._shrink(self.room)

    def _shrink(self, most: int) -> None:
        """Drop blocks that nothing uses until at most this number is held."""
        for block in [each for each in self._held if each not in self._users]:
            if len(self._held) <= most:
                return
            if not self._held[block].done():
                continue  # its reading would bring it after the drop
            del self._held[block]
            self._drop_around(block)

    def _drop_around(self, block: int) -> None:
        """Drop what lies between the block and those held next to it, and itself if it is not held.

        Systems bring more than was read, up to `AROUND` bytes on each side of it in each array.
        """
        before = max((each for each in self._held if each < block), default=-1)
        after = min((each for each in self._held if each > block), default=len(self))
        begin = int(self.begins[max(before + 1, block - self.around)])
        end = int(self.ends[min(after, block + self.around + 1) - 1])
        first, last = self.bounds(block)
        gaps = ((begin, first), (last, end)) if block in self._held else ((begin, end),)
        for gap in gaps:
            if gap[0] < gap[1]:
                self.source.drop(*gap, self.evicts)


def cut(
    indptr: NDArray[Any], bytes_of_value: int, bytes_of_row: int, most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(ends, bytes) of blocks of whole rows of at most ``most`` bytes, or of one row.

    It looks at a few entries of ``indptr`` alone.
    """
    n = len(indptr) - 1

    def before(row: int) -> int:
        return int(indptr[row]) * bytes_of_value + row * bytes_of_row

    ends, sizes, begin = [], [], 0
    while begin < n:
        at = before(begin)
        end = bisect_right(range(n + 1), at + most, lo=begin + 1, key=before) - 1
        end = min(max(end, begin + 1), n)
        ends.append(end)
        sizes.append(before(end) - at)
        begin = end
    return np.array(ends, dtype=np.int64), np.array(sizes, dtype=np.int64)
