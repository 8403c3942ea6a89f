"""What parts receive, and what they return: the order of a round, its report, and their facts; and
changes of weights on their way, whole or by their rows that are not zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

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


Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Order:
    """The order of round ``number`` to every part.

    ``step`` is the fraction that counts of the change of the round before. ``vector`` is
    v = u + κy, u = Σ c_i α_i x_i over the duals of all parts. The part goes up on its model:
    Ω̃ = Ω + κ/2 ‖·‖² divided by ``sigma``, at v divided by ``sigma``. ``passes`` are those over
    each part, or one number for all.
    """

    number: int
    step: float
    vector: Array
    kappa: float
    sigma: float
    passes: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of the vector."""
        return self.vector.nbytes


class Report(NamedTuple):
    """Sums over examples; those of several parts add up.

    ``losses`` at the weights of the order; conjugates ``before`` the passes, at half of their
    change (``middle``) and ``after``; ``square`` of the change of v, and ``own`` of the part of u
    that the duals before made; examples that ``moved``; (place, passes, seconds) of each part.
    """

    losses: float
    before: float
    middle: float
    after: float
    square: float
    own: float
    moved: float
    times: tuple[tuple[int, int, float], ...]

    def plus(self, other: Report) -> Report:
        pairs: Any = zip(self, other, strict=True)
        return Report(*(a + b for a, b in pairs))  # times join


class Facts(NamedTuple):
    """A part's examples and stored values, and its losses at weights of zero."""

    n: int
    stored: int
    zero: float
