"""Newton systems of several classes: factors that serve several systems, and products counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.second_order.conjugate_gradients import (
    MAX_PRODUCTS,
    conjugate_gradients,
)
from rrmlinear.solvers.second_order.factors import ClassFactors

Array = NDArray[np.float64]

# Relative residual with the parts of each class with itself.
CLASS_DECREASE = 0.1
# The residual if an example has at most FEW active terms on average: a product is then cheap beside
# the rest of a pass.
FINE_DECREASE, FEW = 0.02, 0.2
# A new factor is made only if it saves at least this number of products.
MIN_SAVED = 10
# Multiplications in a product of float32 matrices that take as long as one in a product with a
# Hessian.
MATRIX_SPEED = 10.0
# The same for a Hessian whose products are those of dense rows by BLAS.
FULL_SPEED = 3.0


class ClassSystems:
    """Solves (D + H) x = b, H that of several classes, one system after the other.

    The factors of the parts of each class with itself, of one system, are the preconditioner of
    later ones. Later systems take more products; once these cost as much as new factors, new ones
    are made.
    """

    def __init__(self) -> None:
        self.factors: ClassFactors | None = None
        #: The products with the present factors: of the first system, and in the others more.
        self.first = self.more = 0

    def solved(
        self,
        hessian: Any,
        diagonal: Array,
        product: Callable[[Array], Array],
        b: Array,
        is_small: bool = False,
    ) -> tuple[Array, Array | None]:
        """x, and b less the ``product`` with it; None where that is small enough. ``product`` is
        that with D + H. If all unknowns can be factorized, the system ``is_small``: there are as
        many products as that would take.
        """
        limit = MAX_PRODUCTS + 1
        if is_small:
            limit = int(len(b) ** 3 / 3 / (MATRIX_SPEED * _visits(hessian)))
            limit = min(max(MIN_SAVED, limit), MAX_PRODUCTS)
        is_cheap = hessian.size <= FEW * hessian.rows.shape[0]
        x, rest, decrease = np.zeros_like(b), b, FINE_DECREASE if is_cheap else CLASS_DECREASE
        if self.factors is not None:
            saved = max(MIN_SAVED, int(self.factors.work / (MATRIX_SPEED * _visits(hessian))))
            if self.more < saved:
                most = min(self.first + saved - self.more, limit)
                x, products = conjugate_gradients(product, self.factors.solve, b, decrease, most)
                self.more += max(0, products - self.first)
                if products < most:
                    return x, None
                rest, limit = b - product(x), limit - products
                if limit == 0:
                    return x, rest
        self.factors = ClassFactors(hessian, diagonal)
        more, self.first = conjugate_gradients(product, self.factors.solve, rest, decrease, limit)
        self.more = 0
        x += more
        return x, b - product(x) if self.first == limit else None


def _visits(hessian: Any) -> float:
    """The multiplications of a product with the Hessian of several classes, or as many as take its
    time.
    """
    rows = hessian.rows
    number = float(len(hessian.active) * rows.n_stored / rows.shape[0] * 2 * hessian.k)
    return FULL_SPEED / MATRIX_SPEED * number if hessian.is_full else number
