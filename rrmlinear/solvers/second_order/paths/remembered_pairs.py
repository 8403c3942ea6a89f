"""L-BFGS for several problems at once: their moves and changes of the gradient."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.second_order.paths.path_curvatures import Curvature

Array = NDArray[np.float64]

# Moves and changes of the gradient that each problem remembers.
PAIRS = 5


class RememberedPairs:
    """The last moves of the weights of each problem, and the changes of Σ c_i α_i x_i that they
    brought: rows of arrays of this ``shape``. They serve any C, as the gradient is w less C times
    that sum.
    """

    def __init__(self, shape: tuple[int, int]) -> None:
        self.shape = shape
        self.pairs: list[tuple[Array, Array]] = []

    def add(self, some: NDArray[np.intp], moves: Array, changes: Array) -> None:
        """Those of a step of some problems; the others did not move."""
        pair = np.zeros(self.shape), np.zeros(self.shape)
        pair[0][some], pair[1][some] = moves, changes
        self.pairs = [*self.pairs[1 - PAIRS :], pair]

    def forget(self, some: NDArray[np.intp]) -> None:
        """Leave out these problems, whose curvature is new."""
        for pair in self.pairs:
            for vectors in pair:
                vectors[some] = 0.0

    def directions(
        self, C: float, some: NDArray[np.intp], gradients: Array, curvature: Curvature
    ) -> Array:
        """−H g, H by the two loops of L-BFGS about the inverse of this ``curvature``."""
        result, known = -gradients, []
        for moves, changes in reversed(self.pairs):
            s = moves[some]
            y = s - C * changes[some]
            product = np.einsum("fj,fj->f", s, y)
            inverse = np.divide(1, product, out=np.zeros_like(product), where=product > 0)
            a = inverse * np.einsum("fj,fj->f", s, result)
            result = result - a[:, np.newaxis] * y
            known.append((s, y, inverse, a))
        result = curvature.solved(C, some, result)
        for s, y, inverse, a in reversed(known):
            b = inverse * np.einsum("fj,fj->f", y, result)
            result = result + (a - b)[:, np.newaxis] * s
        return result
