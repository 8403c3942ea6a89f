"""Linear systems of Newton's method: (D + H) x = b, D diagonal, H a `Hessian` of p active terms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS
from rrmlinear.solvers.second_order.factors import (
    DIAGONAL_DECREASE,
    FACTORED_DECREASE,
    MAX_FACTORIZED,
    MAX_GRAM_FRACTION,
    MAX_PRODUCTS,
    MAX_REFINEMENTS,
    Factor,
    conjugate_gradients,
)
from rrmlinear.solvers.second_order.systems.gram_systems import GramSystems

Array = NDArray[np.float64]

# What stands for a 0 of D, as a fraction of that entry of H; the largest of D where that is 0 too.
RIDGE = math.sqrt(FEW_ROUNDINGS)


class Systems:
    """Solves (D + H) x = b, one system after the other.

    It is nearly exact for p or d up to MAX_FACTORIZED, else approximate. H = Z'Z with p × d Z. The
    smaller of D + Z'Z and I + Z D⁻¹ Z' is factorized (Woodbury), and conjugate gradients mend what
    its factor lacks by rounding. Beyond the limit the diagonal serves as preconditioner; below it
    too, as long as ``products`` are not more, those that take as long as that matrix and its
    factor. A system that needs more is factorized, as are those after it.
    """

    def __init__(self, latest: Factor | None = None, products: int = 0) -> None:
        #: The factor of the last system over all features, if it took one.
        self.latest = latest
        self.of_terms, self.products = GramSystems(), products

    def solved(
        self, hessian: Any, diagonal: Array, b: Array, decrease: float = DIAGONAL_DECREASE
    ) -> Array:
        """x with (D + H) x ≈ b, to a relative residual of ``decrease`` where there is no factor.

        D may be a matrix: then D + H is factorized.
        """
        p, d = hessian.size, len(b)
        if diagonal.ndim > 1:
            return self._by_matrix(hessian.matrix() + diagonal if p else diagonal, b)
        if not diagonal.all():
            ridge, flat = RIDGE * hessian.diagonal(), diagonal.max() or 1.0
            diagonal = np.where(diagonal > 0, diagonal, np.where(ridge > 0, ridge, flat))
        if p == 0:
            return b / diagonal

        def product(x: Array) -> Array:
            return hessian.product(x) + diagonal * x

        by_terms = p <= MAX_FACTORIZED and p <= MAX_GRAM_FRACTION * d
        is_factorized = by_terms or d <= MAX_FACTORIZED
        most = self.products if is_factorized else MAX_PRODUCTS
        if most:
            scale = 1 / (hessian.diagonal() + diagonal)
            x, taken = conjugate_gradients(product, lambda r: scale * r, b, decrease, most)
            if taken < most or not is_factorized:
                return x
            self.products = 0
        if by_terms:
            return self.of_terms.solved(hessian, diagonal, product, b)
        matrix = hessian.matrix()
        matrix.flat[:: d + 1] += diagonal
        return self._by_matrix(matrix, b)

    def _by_matrix(self, matrix: Array, b: Array) -> Array:
        self.latest = factor = Factor(matrix.copy())
        product = matrix.__matmul__
        return conjugate_gradients(product, factor.solve, b, FACTORED_DECREASE, MAX_REFINEMENTS)[0]
