"""The factor Z of a second derivative Z'Z, and products of both with vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.array_rows import scaled_csr
from rrmlinear.data.rows import Rows
from rrmlinear.risks._row_sums import RowSums

Array = NDArray[np.float64]

# Rows that store at least this fraction of the features may be multiplied as dense ones.
MIN_DENSITY = 0.2
# Limit on the entries of a dense copy of the active rows.
MAX_COPIED_ENTRIES = 30_000_000
# Below this number of entries a dense copy is faster, however few values the rows store.
MAX_SMALL_ENTRIES = 100_000

# Products with at least this number of dense values, of which half the rows are active, read them
# once from memory: smaller ones stay in the caches.
MIN_BLOCKED_ENTRIES = 1_000_000


def is_nearly_full(rows: Rows) -> bool:
    """Whether the rows are full enough that a dense copy is quicker."""
    n, d = rows.shape
    return rows.n_stored >= MIN_DENSITY * n * d


class RowFactor(RowSums):
    """The rows of Z: A of `RowSums` less its parts along units, (I − Σ_v q_v q_v') A.

    h ≥ 0 has n entries; only rows with h_i > 0 are read. ``free`` are vectors v, n numbers each and
    orthogonal to each other (Σ h_i v_i v'_i = 0); q_v is the unit vector along √h_i v_i.
    """

    __slots__ = ("free", "held", "lines", "units")

    def __init__(self, rows: Rows, h: Array, free: Sequence[Array] = ()) -> None:
        super().__init__(rows, h)
        self.free = free
        #: The q_v, and the A'q_v = u_v / √m_v.
        self.units: list[Array] = []
        self.lines: list[Array] = []
        #: Z, once made: dense, or sparse and then A.
        self.held: Any = None
        for v in free:
            unit = self.roots * v[self.active]
            length = np.linalg.norm(unit)
            if length > 0:
                unit /= length
                self.units.append(unit)
                self.lines.append(super().adjoint(unit))

    def times(self, p: Array) -> Array:
        """Z p."""
        if isinstance(self.held, np.ndarray):
            return self.held @ p
        return self._projected(super().times(p))

    def times_sparse(self, columns: Any) -> Array:
        """Z times a sparse matrix."""
        z = self._factor()
        if isinstance(z, np.ndarray):
            return np.ascontiguousarray((columns.T @ z.T).T)
        result: Array = (z @ columns).toarray()
        for unit in self.units:
            result -= np.outer(unit, unit @ result)
        return result

    def adjoint(self, factors: Array) -> Array:
        """Z' times the factors."""
        if isinstance(self.held, np.ndarray):
            return factors @ self.held
        return super().adjoint(self._projected(factors))

    def _projected(self, a: Array) -> Array:
        """A vector less its parts along the units."""
        for unit in self.units:
            a = a - (unit @ a) * unit
        return a

    def product(self, p: Array) -> Array:
        """Z'Z p."""
        if isinstance(self.held, np.ndarray):
            return self.held.T @ (self.held @ p)
        multiply = self.blocked_product if self._is_blocked() else self.row_product
        return multiply(p, self._along_units(p))

    def _is_blocked(self) -> bool:
        if not self.rows.is_dense:
            return False
        n, d = self.rows.shape
        return 2 * self.size > n and n * d >= MIN_BLOCKED_ENTRIES

    def _along_units(self, p: Array) -> Array:
        """Of each row, the part of its score x_i'p along the units: A p along a unit is line'p."""
        along = np.zeros(self.rows.shape[0])
        for unit, line in zip(self.units, self.lines, strict=True):
            along[self.active] += (line @ p) / self.roots * unit
        return along

    def diagonal(self) -> Array:
        """That of Z'Z."""
        result = super().diagonal()
        for line in self.lines:
            result -= line * line
        return result

    def _factor(self) -> Any:
        """Z; for sparse rows A."""
        if self.held is None:
            if self._is_copied():
                self.held = self._copied(0, self.size)
            elif self.rows.is_dense:
                from scipy.sparse import csr_array

                self.held = csr_array(self._copied(0, self.size))
            else:
                self.held = scaled_csr(self.rows, self.active, self.roots)
        return self.held

    def _is_copied(self) -> bool:
        entries = self.size * self.rows.width
        if self.rows.blocks is not None:  # blocks as large may be in memory beside it
            return 8 * entries <= self.rows.blocks.most_bytes
        return entries <= (MAX_COPIED_ENTRIES if self.is_dense else MAX_SMALL_ENTRIES)

    @property
    def is_dense(self) -> bool:
        return is_nearly_full(self.rows)

    def _copied(self, begin: int, end: int, place: Array | None = None) -> Array:
        """Rows begin … end − 1 of Z as a dense matrix, in the rows of a place if given."""
        return self.copied_less(self.units, self.lines, begin, end, place)
