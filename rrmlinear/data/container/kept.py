"""Some rows of a container, copied to a file of their own."""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.blocks import RowBlocks
from rrmlinear.data.container.mapping import Mapped, map_container
from rrmlinear.data.container.pieces import Piece, cuts
from rrmlinear.data.container.writing import BLOCK_BYTES, ContainerWriter
from rrmlinear.data.rows import Rows

#: Stored values that are copied at once.
COPIED_AT_ONCE = 1 << 14


class KeptRows:
    """A copy of chosen rows that are streamed from a container; the others are empty in it.

    Numbers of rows stay. The copy has no name: the system removes it when nothing uses it. It lies
    in the folder of the container: folders for temporary files may be in memory. Raises OSError
    where nothing can be written there.
    """

    def __init__(self, rows: Rows) -> None:
        assert rows.blocks is not None
        self.rows, self.blocks = rows, rows.blocks
        self.folder = os.path.dirname(os.path.realpath(self.blocks.source.path))
        self.stack = ExitStack()
        self.file = self._side()
        self.writer = ContainerWriter(self.file, self._side, BLOCK_BYTES, None)

    def _side(self) -> Any:
        return self.stack.enter_context(tempfile.TemporaryFile(dir=self.folder))

    @property
    def n_stored(self) -> int:
        """Values copied until now."""
        return self.writer.stored

    def add(self, begin: int, end: int, keep: NDArray[np.bool_]) -> None:
        """Copy those of rows begin … end − 1 where ``keep`` holds; spans come in order."""
        values, indices, indptr = self.rows.values, self.rows.indices, self.rows.indptr
        assert indices is not None
        assert indptr is not None
        for first, last in cuts(indptr[begin + 1 : end + 1] - indptr[begin], COPIED_AT_ONCE):
            lengths = np.diff(indptr[begin + first : begin + last + 1])
            kept = keep[first:last]
            place = slice(int(indptr[begin + first]), int(indptr[begin + last]))
            stored = np.repeat(kept, lengths)
            ends = np.cumsum(np.where(kept, lengths, 0))
            labels = np.zeros(last - first)
            self.writer.add(Piece(values[place][stored], indices[place][stored], ends, labels))

    def finish(self) -> Rows:
        """All rows, streamed in blocks that take as much memory as those they are copied from."""
        self.writer.finish(self.rows.shape[1])
        self.file.flush()
        mapped: Mapped = map_container(self.blocks.source.path, self.file)
        self.close()
        most = max(1, self.blocks.most_bytes // self.blocks.at_once)
        how = self.blocks.at_once, self.blocks.passes, self.blocks.evicts
        blocks: RowBlocks = mapped.blocks(most, *how)
        return mapped.rows.with_bias(self.rows.bias).streamed(blocks)

    def close(self) -> None:
        """Let go of the files; a copy that is mapped stays."""
        self.stack.close()
