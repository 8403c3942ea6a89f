"""L-BFGS over all examples, for smooth risks with the squared norm."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.second_order.descent.curvature_pairs import CurvaturePairs
from rrmlinear.solvers.second_order.descent.smooth_descent import SmoothDescent

Array = NDArray[np.float64]

# Pairs that are remembered. Each costs four ways through a vector of weights a pass.
PAIRS = 6
# H begins as the inverse root of λ + this fraction of the diagonal of ∇²F at w = 0, times a factor.
# Where labels become certain the second derivative is smaller and more even. Without the root text
# takes half more passes; without the diagonal, data whose features occur often take twice as many.
DIAGONAL_FRACTION = 0.03


class LBFGS(SmoothDescent):
    """A `SmoothDescent` along −H g, H the inverse Hessian of `CurvaturePairs`.

    H begins as a multiple of the inverse root of λ plus a fraction of the diagonal that the risk
    tells (``diagonal``). It begins at ``weights``. Source: Liu and Nocedal, On the limited memory
    BFGS method for large scale optimization, 1989.
    """

    name = "L-BFGS"

    def start(self) -> None:
        super().start()
        diagonal = self.modulus + DIAGONAL_FRACTION * self.risk.diagonal()
        inverse = 1 / np.sqrt(self.modulus * diagonal)
        self.pairs = CurvaturePairs(inverse, PAIRS, self.spans)

    def direction(self, gradient: Array) -> tuple[Array, float]:
        return self.pairs.direction(gradient)

    def took(self, direction: Array, t: float, size: float, before: Array) -> None:
        self.pairs.take(direction, t, size, self.gradient, before)
