"""The arrays of a container, mapped: blocks brought into memory, let go of, and verified."""

from __future__ import annotations

import mmap
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh64_intdigest

from rrmlinear.data.blocks import RowBlocks, cut
from rrmlinear.data.container.layout import TEXTS, ContainerError, Header
from rrmlinear.data.container.set_names import unpacked, unpacked_names
from rrmlinear.data.rows import Rows, bytes_of

#: Bytes of a page that are read to bring it into memory: NumPy lets other threads run while it adds
#: up 500 numbers and more.
TOUCHES = 8
#: Linux's number of it, which Python's mmap does not name.
MADV_PAGEOUT = 21


@dataclass(frozen=True, eq=False)
class Mapped:
    """A container whose arrays lie in the file; nothing but the header and the table is read."""

    path: str
    header: Header
    table: NDArray[Any]
    memory: mmap.mmap
    arrays: dict[str, NDArray[Any]]

    @property
    def rows(self) -> Rows:
        arrays = self.arrays
        return Rows(arrays["values"], arrays["indices"], arrays["indptr"], self.header.n_features)

    def names(self) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
        """(the names of the features, the words of labels 1 … k), None where it has none."""
        found = []
        for name, least in (("fnames", self.header.n_features), ("lnames", 1)):
            try:
                data = self.arrays.get(name)
                found.append(None if data is None else unpacked_names(data.tobytes(), least))
            except ValueError:
                raise ContainerError(f"{self.path} is damaged: its names cannot be read") from None
        return found[0], found[1]

    def bounds(self, block: int) -> tuple[int, int, int, int]:
        """Begin and end of a block's examples, and of its stored values."""
        before = self.table[block - 1] if block else {"examples": 0, "stored": 0}
        here = self.table[block]
        ends = int(here["examples"]), int(here["stored"])
        return int(before["examples"]), ends[0], int(before["stored"]), ends[1]

    def pieces(self, block: int) -> dict[str, NDArray[Any]]:
        """A block's piece of each array; that of indptr has the ends of its rows."""
        return self._pieces(*self.bounds(block))

    def _pieces(self, first: int, last: int, begin: int, end: int) -> dict[str, NDArray[Any]]:
        found = {}
        for name, array in self.arrays.items():
            if name in ("values", "indices"):
                found[name] = array[begin:end]
            elif name == "sets":
                ends = self.arrays["setptr"]
                found[name] = array[int(ends[first]) : int(ends[last])]
            elif name in TEXTS:  # of all examples: in the first block
                found[name] = array if first == 0 else array[:0]
            else:
                shift = name in ("indptr", "setptr")
                found[name] = array[first + shift : last + shift]
        return found

    def _of_rows(self, first: int, last: int, names: Iterable[str]) -> Iterator[NDArray[Any]]:
        indptr = self.arrays["indptr"]
        pieces = self._pieces(first, last, int(indptr[first]), int(indptr[last]))
        return (pieces[name] for name in names if pieces[name].size)

    def bring(self, begin: int, end: int) -> None:
        """Read rows begin … end − 1 into memory, from the file where the system has dropped them.

        Other threads go on meanwhile.
        """
        for piece in self._of_rows(begin, end, ("values", "indices", "indptr")):
            self._advise("MADV_WILLNEED", *self._place(piece))
            own = bytes_of(piece)
            own[:: mmap.PAGESIZE // TOUCHES].sum(dtype=np.uint8)
            own[-1:].sum()

    def drop(self, begin: int, end: int, evict: bool = False) -> None:
        """Let go of the memory of these rows; they are read again where they are used: from the
        system's copy of the file, or with ``evict`` from the disk.

        A control group counts that copy. Left to itself the system throws out of it what was just
        read ahead as well as what was used.
        Labels, weights and query ids stay, unless all rows are let go of.
        """
        last = end == self.header.n_examples
        of_rows = "values", "indices", "indptr"
        names = self.arrays.keys() if last and begin == 0 else of_rows
        for piece in self._of_rows(begin, end, names):
            first, end = self._place(piece)
            # pages of neighbours stay: whole pages from the first, up to the last or all of it
            first += -first % mmap.PAGESIZE
            end += -end % mmap.PAGESIZE if last else -(end % mmap.PAGESIZE)
            if first < end:
                self._let_go(first, end, evict)

    @property
    def address(self) -> int:
        """Where the map of the file begins."""
        return self.arrays["values"].ctypes.data - self.header.sections[0].begin

    def _place(self, piece: NDArray[Any]) -> tuple[int, int]:
        """Begin and end of a piece in the file."""
        begin = piece.ctypes.data - self.address
        return begin, begin + piece.nbytes

    def _advise(self, advice: str, begin: int, end: int) -> None:
        """Tell the system what these bytes are for, as madvise does, where it knows the advice."""
        begin = begin // mmap.PAGESIZE * mmap.PAGESIZE
        if hasattr(mmap, advice):
            self.memory.madvise(getattr(mmap, advice), begin, min(end, len(self.memory)) - begin)

    def _let_go(self, begin: int, end: int, evict: bool) -> None:
        if evict and sys.platform == "linux":
            with suppress(OSError):  # systems before Linux 5.4
                self.memory.madvise(MADV_PAGEOUT, begin, end - begin)
                return
        self._advise("MADV_DONTNEED", begin, end)

    def blocks(self, most: int, at_once: int, passes: int, evicts: bool) -> RowBlocks:
        """Its rows in blocks of about ``most`` bytes at most; see `RowBlocks`."""
        size = {section.name: section.dtype.itemsize for section in self.header.sections}
        a_value = size.pop("values") + size.pop("indices")
        self._advise("MADV_NOHUGEPAGE", 0, len(self.memory))  # whose parts cannot be let go of
        ends, sizes = cut(self.arrays["indptr"], a_value, sum(size.values()), most)
        return RowBlocks(self, ends, sizes, at_once, passes, evicts)

    def verify(self, begin: int = 0, end: int | None = None) -> None:
        """Read the blocks of examples begin … end − 1 once, by default all.

        Raises ContainerError with the number of the first damaged one.
        """
        end = self.header.n_examples if end is None else end
        ends = self.table["examples"]
        first, last = np.searchsorted(ends, begin, side="right"), np.searchsorted(ends, end)
        for block in range(int(first), int(last) + 1):
            self.verify_block(block)
            self.drop(*self.bounds(block)[:2])

    def verify_labels(self) -> None:
        """Read labels and weights alone, of all blocks. Raises ContainerError as `verify` does."""
        for block in range(len(self.table)):
            self._compare(block, {"labels", "weights"})

    def verify_block(self, block: int) -> None:
        """Compare a block with its checksums, and check that its rows are those of a matrix."""
        first, last, begin, end = self.bounds(block)
        self._compare(block, self.arrays.keys())
        indptr = self.arrays["indptr"][first : last + 1]
        if indptr[0] != begin or indptr[-1] != end or (indptr[1:] < indptr[:-1]).any():
            raise self.damaged(block, "its rows do not begin where those before end")
        if "sets" in self.arrays:
            self._verify_sets(block, self.arrays["setptr"][first : last + 1])
        fault, canonical = self.rows.between(first, last).find_fault()
        if fault is not None or not canonical:
            raise self.damaged(block, "it has values or indices that no row may have")

    def _verify_sets(self, block: int, ends: NDArray[np.int64]) -> None:
        sets = self.arrays["sets"]
        sound = ends[0] >= 0 and ends[-1] <= len(sets) and not (ends[1:] < ends[:-1]).any()
        sound = sound and (block > 0 or ends[0] == 0)
        if not sound or (block == len(self.table) - 1 and ends[-1] != len(sets)):
            raise self.damaged(block, "its labels do not begin where those before end")
        n_names = len(names_in(self)[1])
        own = sets[ends[0] : ends[-1]]
        if len(own) and not 0 <= own.min() <= own.max() < n_names:
            raise self.damaged(block, f"it has labels that are none of the {n_names} names")

    def _compare(self, block: int, names: Collection[str]) -> None:
        """Compare these arrays of a block with their checksums, labels and weights with their
        ranges.
        """
        for name, piece in self.pieces(block).items():
            if name not in names:
                continue
            if xxh64_intdigest(bytes_of(piece)) != self.table[block][name]:
                raise self.damaged(block, f"its {name} do not have their checksum")
            if name in ("labels", "weights") and not np.isfinite(piece).all():
                raise self.damaged(block, f"it has {name} that no example may have")
            if name == "weights" and (piece < 0).any():
                raise self.damaged(block, f"it has {name} that no example may have")

    def damaged(self, block: int, reason: str) -> ContainerError:
        """The error about a block."""
        first, last, _, _ = self.bounds(block)
        return ContainerError.at(
            f"{self.path} is damaged in block {block + 1} of {len(self.table)}, examples "
            f"{first + 1} to {last}: {reason}",
            block + 1,
        )


def names_in(mapped: Mapped) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The names of labels in a container with several an example, in their order, and the place
    among them of each number in its sets. Raises ContainerError for bytes that are none.
    """
    try:
        return unpacked(mapped.arrays["names"].tobytes())
    except ValueError:
        raise ContainerError(f"{mapped.path} is damaged: its labels cannot be read") from None
