"""What the problems of all labels ended with, gathered label by label."""

from __future__ import annotations

from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.loop.label_ends import Column
from rrmlinear.solvers.loop.result import Status

# Bytes of a chunk. A process may map some 65 000 pieces of memory: one for each label is too many.
CHUNK = 1 << 22


class Chunks:
    """Copies of columns, one after another in chunks of memory.

    A chunk goes back to the system with its last column. The heap would keep what lies below other
    arrays, and columns that are joined one by one would take their memory twice.
    """

    def __init__(self) -> None:
        self.free = memoryview(b"")

    def kept(self, column: Column) -> Column:
        """A copy of it."""
        return Column(self._copy(column.places), self._copy(column.values))

    def _copy(self, array: NDArray[Any]) -> NDArray[Any]:
        size = -(-array.nbytes // 8) * 8  # places of 8 bytes, as float64 needs them
        if not size:
            return array
        if size > len(self.free):
            self.free = _mapped(max(size, CHUNK))
        own = np.frombuffer(self.free, array.dtype, array.size)
        own[:], self.free = array, self.free[size:]
        return own


class Ends:
    """Arrays of numbers for K labels, and their weights and duals as columns of nonzeros."""

    def __init__(self, k: int, bias: float, keeps_duals: bool) -> None:
        self.bias = bias
        self.primal, self.dual, self.proven, self.intercept = (np.zeros(k) for _ in range(4))
        self.passes, self.ended, self.seen = (
            np.zeros(k, np.int64),
            np.zeros(k, bool),
            np.zeros(k, bool),
        )
        self.keeps_duals = keeps_duals
        self.of_weights: list[Any] = [None] * k
        self.of_duals: list[Any] = [None] * k
        #: The labels in the order of their ends, in which chunks hold their columns.
        self.order: list[int] = []
        self.weight_chunks, self.dual_chunks = Chunks(), Chunks()
        self.notes: list[str] = []
        #: How the run ended, and how the last label that did not reach the tolerance did.
        self.status = Status.SOLVED
        self.worst: Status | None = None

    def add(self, j: int, end: Any) -> None:
        """The end of label j."""
        self.primal[j], self.dual[j], self.proven[j] = end.primal, end.dual, end.proven
        self.passes[j], self.ended[j] = end.passes, end.has_ended
        self.intercept[j] = self.bias * end.bias if self.bias > 0 else 0.0
        self.of_weights[j], self.seen[j] = self.weight_chunks.kept(end.weights), True
        self.order.append(j)
        if self.keeps_duals and end.duals is not None:
            self.of_duals[j] = self.dual_chunks.kept(end.duals)
        if not end.has_ended and end.status is not None:
            self.worst = end.status

    def weights(self, n_features: int) -> Any:
        """The d × K weights, a csc_array."""
        return joined(self.of_weights, n_features, self.order)

    def duals(self, n: int) -> Any:
        """The n × K duals, a csc_array."""
        return joined(self.of_duals, n, self.order)


def joined(columns: list[Any], n_rows: int, order: list[int]) -> Any:
    """Columns of nonzeros as a csc_array; each is forgotten once it is copied, in this order."""
    from scipy.sparse import csc_array

    counts = [0 if each is None else len(each.places) for each in columns]
    begins = np.zeros(len(columns) + 1, np.int64)
    np.cumsum(counts, out=begins[1:])
    kinds = {each.values.dtype for each in columns if each is not None} or {np.dtype(np.float32)}
    size, kind = int(begins[-1]), np.result_type(*kinds)
    values = np.frombuffer(_mapped(size * kind.itemsize), kind, size)
    places = np.frombuffer(_mapped(size * 4), np.int32, size)
    for j in order:
        if columns[j] is not None:
            places[begins[j] : begins[j + 1]] = columns[j].places
            values[begins[j] : begins[j + 1]] = columns[j].values
            columns[j] = None
    small = begins.astype(np.int32) if begins[-1] < 2**31 else begins
    return csc_array((values, places, small), shape=(n_rows, len(columns)))


def _mapped(size: int) -> memoryview:
    """Memory whose pages are taken as they are written; large arrays of NumPy take 2 MiB at once,
    and columns are written all over it.
    """
    return memoryview(mmap(-1, max(size, 1), flags=MAP_PRIVATE | MAP_ANONYMOUS))
