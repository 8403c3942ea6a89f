"""Changes of weights on their way between processes: whole, or by their rows that are not zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# A change is sent by its rows where at most this fraction of them is not zero: an index costs as
# much as a value, and sums of several changes have more rows.
SPARSE_FRACTION = 0.4


@dataclass(frozen=True, eq=False)
class Packed:
    """A matrix with this number of rows: all of them, or those at ``places``, which rise."""

    n_rows: int
    places: NDArray[np.int64] | None
    values: NDArray[Any]

    @classmethod
    def of(cls, matrix: NDArray[np.float64]) -> Packed:
        """The smaller form of a matrix; ``matrix`` is not kept where rows are left out."""
        places = np.flatnonzero(matrix.any(axis=1))
        if len(places) > SPARSE_FRACTION * len(matrix):
            return cls(len(matrix), None, matrix)
        return cls(len(matrix), places, matrix[places])

    def plus(self, other: Packed) -> Packed:
        """The sum of two matrices of the same shape."""
        if self.places is None or other.places is None:
            total = self.dense(copy=True)
            other.add_to(total)
            return Packed(self.n_rows, None, total)
        places = np.union1d(self.places, other.places)
        total = np.zeros((len(places), self.values.shape[1]))
        total[np.searchsorted(places, self.places)] = self.values
        total[np.searchsorted(places, other.places)] += other.values
        both = Packed(self.n_rows, places, total)
        if len(places) > SPARSE_FRACTION * self.n_rows:
            both = Packed(self.n_rows, None, both.dense())
        return both

    def add_to(self, matrix: NDArray[np.float64], factor: float = 1.0) -> None:
        """Add factor times this to a matrix."""
        if self.places is None:
            matrix += factor * self.values
        else:
            matrix[self.places] += factor * self.values

    def dense(self, copy: bool = False) -> NDArray[np.float64]:
        """The matrix with all rows."""
        if self.places is None:
            return self.values.copy() if copy else self.values
        matrix = np.zeros((self.n_rows, self.values.shape[1]))
        matrix[self.places] = self.values
        return matrix

    def dot(self, matrix: NDArray[np.float64]) -> float:
        """The inner product with a matrix."""
        part = matrix if self.places is None else matrix[self.places]
        return float(np.vdot(part, self.values))

    @property
    def square(self) -> float:
        """The squared norm."""
        return float(np.vdot(self.values, self.values))

    @property
    def nbytes(self) -> int:
        """Bytes on the wire."""
        return self.values.nbytes + (0 if self.places is None else self.places.nbytes)
