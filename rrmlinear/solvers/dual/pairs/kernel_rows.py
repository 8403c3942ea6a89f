"""Rows of a kernel's Gram matrix, computed when they are first read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time
from rrmlinear.solvers.dual.pairs._pair_ascent import add_rows, square_of

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]

# Memory of the rows that are kept. Those used longest ago make room for others.
KEPT_BYTES = 1 << 30
# Rows that are computed at once.
ROWS_AT_ONCE = 64


class KernelRows:
    """Rows of K, n × n. ``rows`` writes those of some examples into an array that it is given;
    ``square``, where there is one, makes K between some examples; ``diagonal`` is K's.

    ``store`` holds them, row i at ``slot[i]`` or nowhere, −1. ``used`` is the time of a row's last
    use, by its slot; ``most`` are the rows that can be in use at once.
    """

    def __init__(
        self,
        diagonal: Vector,
        rows: Callable[[Indices, Vector], Any],
        square: Callable[[Indices], Vector] | None = None,
        *,
        store: Vector | None = None,
        kept_bytes: int = KEPT_BYTES,
    ) -> None:
        n = len(diagonal)
        self.diagonal, self.rows, self.square, self.n = diagonal, rows, square, n
        capacity = n if store is not None else min(n, max(2 * ROWS_AT_ONCE, kept_bytes // (8 * n)))
        self.store = np.empty((capacity, n)) if store is None else store
        self.slot = np.full(n, -1, dtype=np.int32)
        self.owner = np.full(capacity, -1, dtype=np.int64)
        self.used = np.full(capacity, -1, dtype=np.int64)
        self.filled = self.time = 0
        self.most = capacity if capacity == n else capacity - ROWS_AT_ONCE

    @classmethod
    def of(cls, matrix: Vector) -> KernelRows:
        """The rows of a whole matrix."""

        def refuse(examples: Indices, out: Vector) -> None:
            raise AssertionError(f"all {len(matrix)} rows are kept")

        rows = cls(matrix.diagonal().copy(), refuse, store=matrix)
        rows.slot[:] = np.arange(len(matrix))
        return rows

    def among(self, examples: Indices) -> Vector:
        """K between these examples, m × m; their rows are computed only where no ``square`` is."""
        self.time += 1
        slots = self.slot[examples].astype(np.int64)
        if (slots < 0).any():
            if self.square is not None and len(examples) < self.n:
                return self.square(examples)
            slots = self.slots_of(examples)
        self.used[slots] = self.time
        if len(examples) == len(self.store) and np.array_equal(slots, examples):
            return self.store
        return square_of(self.store, slots, examples)

    def slots_of(self, examples: Indices) -> Indices:
        """The places of the rows of these examples, at most ``most``; missing ones are computed."""
        self.time += 1
        slots = self.slot[examples]
        self.used[slots[slots >= 0]] = self.time
        missing = examples[slots < 0]
        for at in range(0, len(missing), ROWS_AT_ONCE):
            check_time()
            self._keep(missing[at : at + ROWS_AT_ONCE])
        return self.slot[examples].astype(np.int64)

    def _keep(self, examples: Indices) -> None:
        begin, self.filled = self.filled, self.filled + len(examples)
        if self.filled <= len(self.store):
            slots = np.arange(begin, self.filled)
            self.rows(examples, self.store[begin : self.filled])
        else:
            slots = np.argpartition(self.used, len(examples))[: len(examples)]
            left, self.filled = self.owner[slots], len(self.store)
            self.slot[left[left >= 0]] = -1
            self.store[slots] = self._made(examples)
        self.slot[examples], self.owner[slots] = slots, examples
        self.used[slots] = self.time

    def _made(self, examples: Indices) -> Vector:
        rows = np.empty((len(examples), self.n))
        self.rows(examples, rows)
        return rows

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
            result += weights[at] @ self._made(at)
        return result
