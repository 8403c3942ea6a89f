"""Newton systems of fewer active terms than unknowns, by the products of terms with each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.loop.tolerances import SUM_ROUNDING
from rrmlinear.solvers.second_order.factors import (
    FACTORED_DECREASE,
    MAX_FACTORIZED,
    MAX_REFINEMENTS,
    Factor,
    conjugate_gradients,
)

Array = NDArray[np.float64]


class GramSystems:
    """Solves (D + Z'Z) x = b by a factor of I + Z D⁻¹ Z' (Woodbury), one system after the other."""

    def __init__(self) -> None:
        #: The last system, and its factor.
        self.latest: tuple[Any, Array, Callable[[Array], Array]] | None = None
        #: The products of all examples with each other, once matrices have taken as many.
        self.products: Array | None = None
        self.taken = 0

    def solved(
        self, hessian: Any, diagonal: Array, product: Callable[[Array], Array], b: Array
    ) -> Array:
        """x; ``product`` is that with D + Z'Z."""
        if self.latest is None or self.latest[0] is not hessian or self.latest[1] is not diagonal:
            self.latest = hessian, diagonal, self._precondition(hessian, 1 / diagonal)
        precondition = self.latest[2]
        return conjugate_gradients(product, precondition, b, FACTORED_DECREASE, MAX_REFINEMENTS)[0]

    def _precondition(self, hessian: Any, inverse: Array) -> Callable[[Array], Array]:
        matrix = self._gram(hessian, inverse)
        matrix.flat[:: len(matrix) + 1] += 1.0
        factor = Factor(matrix)

        def split(b: Array) -> tuple[Array, Array]:
            """y, and b − Z'y, which is D x."""
            y = factor.solve(hessian.times(inverse * b))
            return y, b - hessian.adjoint(y)

        def solve(b: Array) -> Array:
            y, rest = split(b)
            if np.abs(rest).max() > SUM_ROUNDING * np.abs(b).max():
                return np.asarray(inverse * rest)
            # b is Z'y nearly, whose x needs no difference of numbers that are nearly equal
            return np.asarray(inverse * (hessian.adjoint(factor.solve(y)) + split(rest)[1]))

        return solve

    def _gram(self, hessian: Any, inverse: Array) -> Array:
        """Z D⁻¹ Z'."""
        if type(hessian) is not Hessian or not (inverse == inverse[0]).all():
            return np.asarray(hessian.gram(inverse))
        n, d = hessian.rows.shape[0], len(inverse)
        self.taken += hessian.size**2
        if self.products is None and n <= MAX_FACTORIZED and self.taken >= n * n:
            self.products = Hessian(hessian.rows, np.ones(n)).gram(np.ones(d))
        return hessian.gram(inverse, self.products)
