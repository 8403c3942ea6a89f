"""Newton's method by conjugate gradients, for smooth risks with the squared norm."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.second_order.conjugate_gradients import MAX_PRODUCTS, conjugate_gradients
from rrmlinear.solvers.second_order.descent.smooth_descent import SmoothDescent

Array = NDArray[np.float64]

# A system is solved to a residual of at most FIRST_DECREASE, and of the root of how far the
# gradient has fallen, within MAX_PRODUCTS.
FIRST_DECREASE = 0.3


class NewtonCG(SmoothDescent):
    """A `SmoothDescent` along −(λ + ∇²F)⁻¹ g, by conjugate gradients with the diagonal in front.

    Products with ∇²F are exact (`Evaluation.hessian`): each costs a product of scores, one forward
    and one backward way more than F, and a gradient. It begins at ``weights``. Source: Nocedal and
    Wright, Numerical Optimization, section 7.1.
    """

    name = "Newton's method"
    derivative_decrease = 0.1

    def start(self) -> None:
        super().start()
        self.first = float(np.linalg.norm(self.gradient))

    def direction(self, gradient: Array) -> tuple[Array, float]:
        hessian, modulus, inverse = self.at.hessian(), self.modulus, self.inverse
        fallen = float(np.linalg.norm(gradient)) / self.first if self.first else 0.0
        direction, products = conjugate_gradients(
            lambda v: hessian.product(v) + modulus * v,
            lambda r: inverse * r,
            -gradient,
            min(FIRST_DECREASE, np.sqrt(fallen)),
            MAX_PRODUCTS,
        )
        self.work += products * self.n
        return direction, float(gradient @ direction)
