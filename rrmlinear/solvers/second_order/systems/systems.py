"""Linear systems of Newton's method: (D + H) x = b, D diagonal, H a `Hessian` of p active terms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS, SUM_ROUNDING
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


# A 0 of D becomes this fraction of that entry of H, or where that is 0 too, the largest of D.
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
