"""Newton systems of fewer active terms than unknowns, by the products of terms with each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.solvers.loop.tolerances import SUM_ROUNDING
from rrmlinear.solvers.second_order.factors import (
    FACTORED_DECREASE,
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

    def solved(
        self, hessian: Any, diagonal: Array, product: Callable[[Array], Array], b: Array
    ) -> Array:
        """x; ``product`` is that with D + Z'Z."""
        if self.latest is None or self.latest[0] is not hessian or self.latest[1] is not diagonal:
            self.latest = hessian, diagonal, self._precondition(hessian, 1 / diagonal)
        precondition = self.latest[2]
        return conjugate_gradients(product, precondition, b, FACTORED_DECREASE, MAX_REFINEMENTS)[0]

    def _precondition(self, hessian: Any, inverse: Array) -> Callable[[Array], Array]:
        matrix = hessian.gram(inverse)
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


# A factor of a d × d system with all n rows active is kept while a system takes at most
# d / FEATURES_A_PRODUCT products: the Gram matrix of 20 000 × 500 takes as long as 18 products. If
# that number is below LEAST_KEPT, no factor is kept.
FEATURES_A_PRODUCT, LEAST_KEPT = 32, 6


class KeptFactor:
    """The factor of an earlier system of dense rows, as preconditioner of this one."""

    def __init__(self) -> None:
        self.factor: Factor | None = None

    def serves(self, hessian: Any, d: int) -> bool:
        """Whether the factor of a system may serve the next: its rows are all active there too."""
        if hessian.k > 1 or d < LEAST_KEPT * FEATURES_A_PRODUCT:
            return False
        rows: Rows | None = getattr(hessian, "rows", None)
        return rows is not None and rows.is_dense and hessian.size == rows.shape[0]

    def solved(
        self,
        hessian: Any,
        product: Callable[[Array], Array],
        b: Array,
        decrease: float,
    ) -> tuple[Array, Array | None]:
        """x by the kept factor, and b less the ``product`` with it; None where that is small
        enough.
        """
        if self.factor is None or not self.serves(hessian, len(b)):
            return np.zeros_like(b), b
        most = len(b) // FEATURES_A_PRODUCT
        x, products = conjugate_gradients(product, self.factor.solve, b, decrease, most)
        return x, b - product(x) if products == most else None

    def keep(self, hessian: Any, d: int, factor: Factor) -> None:
        """Take the factor of this system over d unknowns, if it may serve the next."""
        self.factor = factor if self.serves(hessian, d) else None
