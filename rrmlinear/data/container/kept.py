"""Some rows of a container, copied to a file of their own."""

from __future__ import annotations

import errno
import mmap
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.container.layout import PAGE, Header, Section
from rrmlinear.data.container.mapping import Mapped
from rrmlinear.data.container.opening import array_of, map_container
from rrmlinear.data.container.pieces import Piece, cuts
from rrmlinear.data.container.writing import BLOCK_BYTES, ContainerWriter
from rrmlinear.data.problem import Problem
from rrmlinear.data.rows import Rows, bytes_of

#: Stored values that are copied at once. Between passes by blocks: as many as take this fraction of
#: the blocks' memory, up to a bound, as small pieces take twice the time.
COPIED_AT_ONCE, MOST_COPIED, COPIED_SHARE = 1 << 14, 1 << 16, 1 / 20


class UnnamedContainer:
    """A container without a name, which the system removes when nothing uses it.

    It lies in the folder of the container at ``path``: folders for temporary files may be in
    memory. Raises OSError where nothing can be written there.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.folder = os.path.dirname(os.path.realpath(path))
        self.stack = ExitStack()
        self.file = self._side()
        self.writer = ContainerWriter(self.file, self._side, BLOCK_BYTES, None)

    def _side(self) -> Any:
        return self.stack.enter_context(tempfile.TemporaryFile(dir=self.folder))

    def finish(self, n_features: int) -> Mapped:
        """What was written, mapped."""
        self.writer.finish(n_features)
        self.file.flush()
        mapped = map_container(self.path, self.file)
        self.close()
        return mapped

    def close(self) -> None:
        """Let go of the files; a copy that is mapped stays."""
        self.stack.close()


class KeptRows:
    """A copy of chosen rows that are streamed from a container; the others are empty in it.

    It is a file without a name in the container's folder. Numbers of rows stay. At most the
    fraction ``most`` of what all rows store fits. Raises OSError where it does not, and where
    nothing can be written.
    """

    def __init__(self, rows: Rows, most: float = 1.0) -> None:
        assert rows.blocks is not None
        values, indices = rows.stored
        assert indices is not None
        self.rows, self.blocks = rows, rows.blocks
        self.path = self.blocks.source.path
        folder = os.path.dirname(os.path.realpath(self.path))
        self.file: Any = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        #: Values that are copied at most, and until now.
        self.most, self.n_stored = int(most * rows.n_stored), 0
        self.types = {"values": values.dtype, "indices": indices.dtype, "indptr": np.dtype("i8")}
        #: Where the next bytes of each array go.
        self.begins, at = {}, 0
        for name, dtype in self.types.items():
            self.begins[name] = at
            count = rows.shape[0] + 1 if name == "indptr" else self.most
            at += -(-count * dtype.itemsize // PAGE) * PAGE
        self.ends = dict(self.begins)
        self._write("indptr", np.zeros(1, np.int64))
        room = int(COPIED_SHARE * self.blocks.most_bytes) // (values.itemsize + indices.itemsize)
        self.at_once = min(max(COPIED_AT_ONCE, room), MOST_COPIED)

    def add(self, begin: int, end: int, keep: NDArray[np.bool_]) -> None:
        """Copy those of rows begin … end − 1 where ``keep`` holds; spans come in order."""
        for first, last, lengths, values, indices in _kept(
            self.rows, begin, end, keep, self.at_once
        ):
            if self.n_stored + len(values) > self.most:
                raise OSError(errno.EFBIG, "the copy is for fewer values", self.path)
            self._write("values", values)
            self._write("indices", indices)
            ends = np.cumsum(np.where(keep[first:last], lengths, 0))
            self._write("indptr", ends + self.n_stored)
            self.n_stored += len(values)

    def _write(self, name: str, array: NDArray[Any]) -> None:
        data = bytes_of(np.ascontiguousarray(array))
        self.file.seek(self.ends[name])
        self.file.write(data)
        self.ends[name] += len(data)

    def finish(self) -> Rows:
        """All rows, streamed in blocks that take as much memory as those they are copied from."""
        size = max(PAGE, -(-self.ends["indptr"] // PAGE) * PAGE)
        self.file.truncate(size)  # which writes what is collected
        memory = mmap.mmap(self.file.fileno(), size, access=mmap.ACCESS_READ)
        self.close()
        sections = tuple(
            Section(name, dtype, self.begins[name], self.ends[name] - self.begins[name])
            for name, dtype in self.types.items()
        )
        arrays = {each.name: array_of(memory, each) for each in sections}
        header = Header(*self.rows.shape, self.n_stored, 0, 0, 0, size, sections)
        mapped, blocks = Mapped(self.path, header, np.empty(0), memory, arrays), self.blocks
        most = max(1, blocks.most_bytes // blocks.at_once)
        own = mapped.blocks(most, blocks.at_once, blocks.passes, blocks.evicts)
        given = arrays["values"], arrays["indices"], arrays["indptr"]
        return self.rows.over(*given, self.rows.bias, own)

    def close(self) -> None:
        """Let go of the file; a copy that is mapped stays."""
        self.file.close()


def chosen_of(problem: Problem, chosen: NDArray[np.bool_]) -> Problem:
    """The examples of a mapped problem where ``chosen`` holds, copied block by block to an
    `UnnamedContainer` and mapped. Raises OSError as that does.
    """
    assert problem.container is not None
    rows = problem.in_blocks().rows
    assert rows.blocks is not None
    parts = [problem.labels, problem.weights, problem.query_ids]
    with closing(UnnamedContainer(problem.container.path)) as copy:
        for begin, end in rows.spans():
            keep = chosen[begin:end]
            for first, last, lengths, values, indices in _kept(rows, begin, end, keep):
                some = keep[first:last]
                ends = np.cumsum(lengths[some])
                place = slice(begin + first, begin + last)
                own = [None if part is None else part[place][some] for part in parts]
                copy.writer.add(Piece(values, indices, ends, *own))  # type: ignore[arg-type]
        rows.blocks.release()
        mapped = copy.finish(problem.n_features)
    beside = {"offset": problem.offset, "entry": problem.entry}
    kept: dict[str, Any] = {
        name: None if each is None else each[chosen] for name, each in beside.items()
    }
    return replace(Problem.over(mapped), rows=mapped.rows.with_bias(problem.bias), **kept)


def _kept(
    rows: Rows, begin: int, end: int, keep: NDArray[np.bool_], at_once: int = COPIED_AT_ONCE
) -> Iterator[tuple[int, int, NDArray[np.int64], NDArray[Any], NDArray[Any]]]:
    """(first, last, lengths, values, indices) of pieces of rows begin … end − 1: the lengths of all
    rows from begin + first to begin + last − 1, and what those store where ``keep`` holds.
    """
    (values, indices), indptr = rows.stored, rows.indptr
    assert indices is not None
    assert indptr is not None
    for first, last in cuts(indptr[begin + 1 : end + 1] - indptr[begin], at_once):
        lengths = np.diff(indptr[begin + first : begin + last + 1])
        place = slice(int(indptr[begin + first]), int(indptr[begin + last]))
        stored = np.repeat(keep[first:last], lengths)
        yield first, last, lengths, values[place][stored], indices[place][stored]
