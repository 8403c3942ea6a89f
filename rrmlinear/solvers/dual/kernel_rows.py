"""Rows of a kernel's Gram matrix, computed when they are first read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.dual._pair_ascent import add_rows

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]

# Memory of the rows that are kept. Those used longest ago make room for others.
KEPT_BYTES = 1 << 30
# Rows that are computed at once.
ROWS_AT_ONCE = 64


class KernelRows:
    """Rows of K, n × n. ``rows`` makes those of some examples; ``diagonal`` is K's.

    ``store`` holds them, row i at ``slot[i]`` or nowhere, −1. Users write the time of a row's last
    use to ``used``, by its slot.
    """

    def __init__(
        self,
        diagonal: Vector,
        rows: Callable[[Indices], Vector],
        store: Vector | None = None,
    ) -> None:
        n = len(diagonal)
        self.diagonal, self.rows, self.n = diagonal, rows, n
        capacity = n if store is not None else min(n, max(2 * ROWS_AT_ONCE, KEPT_BYTES // (8 * n)))
        self.store = np.empty((capacity, n)) if store is None else store
        self.slot = np.full(n, -1, dtype=np.int32)
        self.owner = np.full(capacity, -1, dtype=np.int64)
        self.used = np.full(capacity, -1, dtype=np.int64)
        self.filled = 0

    @classmethod
    def of(cls, matrix: Vector) -> KernelRows:
        """The rows of a whole matrix."""
        rows = cls(matrix.diagonal().copy(), matrix.__getitem__, matrix)
        rows.slot[:] = np.arange(len(matrix))
        return rows

    def begin(self) -> None:
        """Another user starts to count its time from 0."""
        self.used[:] = -1

    def keep(self, examples: Indices) -> None:
        """Compute the rows of these examples, at most ROWS_AT_ONCE, that are missing."""
        examples = examples[self.slot[examples] < 0]
        if not len(examples):
            return
        begin, self.filled = self.filled, self.filled + len(examples)
        if self.filled <= len(self.store):
            slots = np.arange(begin, self.filled)
        else:
            slots = np.argpartition(self.used, len(examples))[: len(examples)]
            left, self.filled = self.owner[slots], len(self.store)
            self.slot[left[left >= 0]] = -1
        self.store[slots] = self.rows(examples)
        self.slot[examples], self.owner[slots] = slots, examples
        self.used[slots] = self.used.max()

    def times(self, weights: Vector) -> Vector:
        """K w, from the rows of the weights that are not zero."""
        result = np.zeros(self.n)
        examples = np.flatnonzero(weights)
        kept = self.slot[examples] >= 0
        at = examples[kept]
        add_rows(self.store, self.slot[at].astype(np.int64), weights[at], result)
        missing = examples[~kept]
        for begin in range(0, len(missing), ROWS_AT_ONCE):
            at = missing[begin : begin + ROWS_AT_ONCE]
            result += weights[at] @ self.rows(at)
        return result
