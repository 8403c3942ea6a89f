"""Vectors that come and go, and products with all of them at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time
from rrmlinear.solvers.bundle.simplex_qp import add_combination, products

# Vectors in one piece of memory: products with 32 at once run at memory bandwidth, and at most 31
# places are unused. Those of huge spaces take pieces of at most CHUNK_BYTES.
CHUNK = 32
CHUNK_BYTES = 1 << 28


class PlaneStore:
    """Vectors of d numbers; the places of dropped vectors are used again.

    ``places`` holds the place of each vector, in the order of arrival. Arrays over the vectors are
    in that order.
    """

    def __init__(self, d: int) -> None:
        self.d = d
        self.chunk = max(1, min(CHUNK, CHUNK_BYTES // (8 * max(1, d))))
        self.chunks: list[NDArray[np.float64]] = []
        self.free: list[int] = []
        self.places: list[int] = []

    def __len__(self) -> int:
        return len(self.places)

    def append(self, vector: NDArray[np.float64]) -> None:
        """Add a vector, which must not change after: one that fills a piece is not copied."""
        if self.chunk == 1 and vector.flags.c_contiguous:
            self._take(vector.reshape(1, self.d))
            return
        if not self.free:
            begin = len(self.chunks) * self.chunk
            self.chunks.append(np.zeros((self.chunk, self.d)))
            self.free = list(range(begin + self.chunk - 1, begin - 1, -1))
        place = self.free.pop()
        self.chunks[place // self.chunk][place % self.chunk] = vector
        self.places.append(place)

    def _take(self, piece: NDArray[np.float64]) -> None:
        if self.free:
            place = self.free.pop()
            self.chunks[place] = piece
        else:
            place = len(self.chunks)
            self.chunks.append(piece)
        self.places.append(place)

    def keep(self, chosen: NDArray[np.intp]) -> None:
        """Drop all vectors but the chosen ones; ``chosen`` is in rising order."""
        kept = [self.places[i] for i in chosen]
        self.free.extend(sorted(set(self.places).difference(kept), reverse=True))
        self.places = kept

    def products(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        """⟨a_t, vector⟩ for all t."""
        found = np.empty((len(self.chunks), self.chunk))
        for chunk, part in zip(self.chunks, found, strict=True):
            check_time()
            products(chunk, vector, part)
        return found.ravel()[self.places]

    def combination(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Σ weights_t a_t."""
        total = np.zeros(self.d)
        spread = np.zeros(len(self.chunks) * self.chunk)
        spread[self.places] = weights
        for chunk, part in zip(self.chunks, spread.reshape(-1, self.chunk), strict=True):
            add_combination(chunk, part, total)
        return total

    def products_over(
        self, chosen: NDArray[np.intp], coordinates: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """⟨a_s, a_t⟩ of the chosen vectors, summed over these coordinates alone."""
        part = np.empty((len(chosen), len(coordinates)))
        for line, t in enumerate(chosen):
            at, place = divmod(self.places[t], self.chunk)
            np.take(self.chunks[at][place], coordinates, out=part[line])
        return part @ part.T
