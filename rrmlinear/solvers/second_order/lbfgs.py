"""L-BFGS over all examples, for smooth risks with the squared norm."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.second_order.curvature_pairs import CurvaturePairs
from rrmlinear.solvers.second_order.smooth_descent import SmoothDescent

Array = NDArray[np.float64]

# Pairs that are remembered. Each costs four ways through a vector of weights a pass.
PAIRS = 6
# H begins as the inverse of λ + diagonal to this power. Far from w = 0, where labels are nearly
# certain, the second derivative is smaller and less even than the diagonal there: the power 1 takes
# a third to a half more passes on text and letters, and 0 more than half where labels stay unsure.
DIAGONAL_POWER = 0.25


class LBFGS(SmoothDescent):
    """A `SmoothDescent` along −H g, H the inverse Hessian of `CurvaturePairs`.

    H begins as a power of the inverse of λ plus the diagonal that the risk tells (``diagonal``),
    times a factor. It begins at ``weights``. Source: Liu and Nocedal, On the limited memory BFGS
    method for large scale optimization, 1989.
    """

    name = "L-BFGS"

    def start(self) -> None:
        super().start()
        scale = self.modulus ** (1 - DIAGONAL_POWER)
        self.pairs = CurvaturePairs(self.inverse**DIAGONAL_POWER / scale, PAIRS, self.spans)

    def direction(self, gradient: Array) -> tuple[Array, float]:
        return self.pairs.direction(gradient)

    def took(self, direction: Array, t: float, size: float, before: Array) -> None:
        self.pairs.take(direction, t, size, self.gradient, before)
