"""The pairs of L-BFGS: moves of the weights, and the changes of the gradient along them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Pairs that a problem remembers.
PAIRS = 6


class Pairs:
    """The last ``most`` moves s of the weights of a problem, and changes y of its gradient.

    From them H = M⁻¹ with the updates of BFGS for each pair, M a metric. Both vectors of a pair are
    kept in single precision and of length 1, whatever the units of the weights: they shape the
    steps alone, and half the memory is to be read. Source: Byrd, Nocedal and Schnabel,
    Representations of quasi-Newton matrices and their use in limited memory methods, 1994.
    """

    def __init__(self, width: int, most: int = PAIRS) -> None:
        self.moves, self.changes = np.zeros((2, most, width), dtype=np.float32)
        #: From the oldest pair to the newest: its place, ‖s‖/‖y‖ before, and s_i'y_j, j ≥ i.
        self.order = np.zeros(0, dtype=np.intp)
        self.ratios, self.upper = np.zeros(0), np.zeros((0, 0))
        self.most = most
        self.single, self.double = np.empty(width, dtype=np.float32), np.empty(width)

    def add(self, s: Array, y: Array) -> bool:
        """Take a pair in place of the oldest one if s'y > 0; whether it is taken."""
        sizes = float(np.linalg.norm(s)), float(np.linalg.norm(y))
        if not (self.most and min(sizes) > 0 and float(s @ y) > 0):
            return False
        known, begin = len(self.order), int(len(self.order) == self.most)
        place = self.order[0] if begin else known
        self.order = np.append(self.order[begin:], place)
        self.ratios = np.append(self.ratios[begin:], sizes[0] / sizes[1])
        np.divide(s, sizes[0], out=self.moves[place], casting="same_kind")
        np.divide(y, sizes[1], out=self.changes[place], casting="same_kind")
        upper = np.zeros((len(self.order), len(self.order)))
        upper[:-1, :-1] = self.upper[begin:, begin:]
        upper[:, -1] = (self.moves[: len(upper)] @ self.changes[place])[self.order]
        self.upper = upper
        return True

    def rescale(self, factor: float) -> None:
        """Go from ½‖w‖² + C F to C times ``factor``: y is s and C times the change of ∇F."""
        if not len(self.order) or factor == 1:
            return
        s, order = self.moves[self.order].astype(np.float64), self.order
        y = s + factor * (self.changes[order] / self.ratios[:, np.newaxis] - s)
        sizes = np.linalg.norm(y, axis=1)
        self.ratios = np.divide(1, sizes, out=np.ones(len(y)), where=sizes > 0)
        self.changes[order] = y * self.ratios[:, np.newaxis]
        self.upper = np.triu(s @ (y * self.ratios[:, np.newaxis]).T)

    def forget(self) -> None:
        """Leave out all pairs."""
        self.order, self.ratios, self.upper = self.order[:0], self.ratios[:0], self.upper[:0, :0]

    def direction(self, g: Array, solve: Callable[[Array], Array]) -> Array:
        """−H g; ``solve`` gives M⁻¹ times a vector, which it may write to."""
        size, known = self._size(g), len(self.order)
        if not (known and size > 0):
            inner = solve(g.copy())
            return np.negative(inner, out=inner)
        s, y = self.moves[:known], self.changes[:known]
        a = np.linalg.solve(self.upper, self._times(s, g, size))
        inner = solve(np.subtract(g / size, self._sum(y, a)))
        inside = self._size(inner) or 1.0
        left = self.upper.diagonal() * a * self.ratios - inside * self._times(y, inner, inside)
        c = np.linalg.solve(self.upper.T, left)
        largest = float(np.abs(c).max()) or 1.0
        inner *= -size
        factor = np.float64(size * largest)  # no Python number, which would be taken as single
        np.multiply(self._sum(s, c / largest), factor, out=self.double)
        inner -= self.double
        return inner

    @staticmethod
    def _size(vector: Array) -> float:
        return max(float(vector.max(initial=0)), -float(vector.min(initial=0)))

    def _times(self, rows: NDArray[np.float32], vector: Array, size: float) -> Array:
        """Products with a vector over this size, without which single precision may overflow."""
        np.divide(vector, size, out=self.single, casting="same_kind")
        return (rows @ self.single)[self.order].astype(np.float64)

    def _sum(self, rows: NDArray[np.float32], factors: NDArray[Any]) -> NDArray[np.float32]:
        """The sum of rows with these factors, which follow the order of the pairs."""
        by_place = np.zeros(len(rows), dtype=np.float32)
        by_place[self.order] = factors
        return np.dot(by_place, rows, out=self.single)
