"""Newton systems of fewer active terms than unknowns, by the products of terms with each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.second_order.conjugate_gradients import (
    FACTORED_DECREASE,
    MAX_REFINEMENTS,
    conjugate_gradients,
)
from rrmlinear.solvers.second_order.factors import Factor

Array = NDArray[np.float64]

# If the difference in Woodbury's formula is below this fraction of its first term, it has few
# correct digits.
CANCELLED = 1e-12
# Products of rows with each other that take at least this number of multiplications, some 5 ms, are
# float32 where F is quadratic; the limit on the products with these as preconditioner.
MIN_SINGLE, MAX_SINGLE_PRODUCTS = 1e8, 10


class GramSystems:
    """Solves (D + Z'Z) x = b by a factor of I + Z D⁻¹ Z' (Woodbury), one system after the other.

    Products of rows with each other are kept for the next systems. Where F ``is_quadratic``, they
    are float32 if they take long, and conjugate gradients reach the digits of float64.
    """

    def __init__(self, is_quadratic: bool) -> None:
        self.is_quadratic = is_quadratic
        #: The products of all rows with each other, and these rows.
        self.products: Array | None = None
        self.rows: Any = None
        #: The factor of I + Z D⁻¹ Z' from float32 products, of a quadratic F, and the residual of
        #: its systems.
        self.single: Factor | None = None
        self.decrease = FACTORED_DECREASE
        #: The last system, and its factor.
        self.latest: tuple[Any, Array, Callable[[Array], Array]] | None = None

    def solved(
        self, hessian: Any, diagonal: Array, product: Callable[[Array], Array], b: Array
    ) -> Array:
        """x; ``product`` is that with D + Z'Z."""
        if self.is_quadratic and _is_long(hessian, diagonal):
            x = self._by_single(hessian, diagonal[0], b)
            if x is not None:
                return x
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
            if np.abs(rest).max() > CANCELLED * np.abs(b).max():
                return np.asarray(inverse * rest)
            # b is Z'y nearly, whose x needs no difference of numbers that are nearly equal
            return np.asarray(inverse * (hessian.adjoint(factor.solve(y)) + split(rest)[1]))

        return solve

    def _by_single(self, hessian: Any, modulus: float, b: Array) -> Array | None:
        """x = D⁻¹ (b − Z'y) of y by conjugate gradients for I + Z D⁻¹ Z', about its factor from
        float32 products; None where these have too few digits.
        """
        if self.single is None:
            gram = hessian.single_gram(1 / modulus)
            if gram is None:
                return None
            # the difference b − Z'y is smaller than b by this
            self.decrease = FACTORED_DECREASE / (1 + gram.trace() / len(gram))
            gram.flat[:: len(gram) + 1] += 1.0
            self.single = Factor(gram)

        def product(y: Array) -> Array:
            return np.asarray(y + hessian.times(hessian.adjoint(y) / modulus))

        right = hessian.times(b / modulus)
        y, products = conjugate_gradients(
            product, self.single.solve, right, self.decrease, MAX_SINGLE_PRODUCTS
        )
        rest = b - hessian.adjoint(y)
        is_right = np.abs(rest).max() > CANCELLED * np.abs(b).max()
        return rest / modulus if is_right and products < MAX_SINGLE_PRODUCTS else None

    def _gram(self, hessian: Any, inverse: Array) -> Array:
        """Z D⁻¹ Z'; where D is a multiple of the unit matrix, from products that are kept."""
        if hessian.k > 1 or (inverse != inverse[0]).any():
            return hessian.gram(inverse)
        if self.rows is not hessian.rows:
            if not hessian.keeps_products:
                return hessian.gram(inverse)
            self.products, self.rows = hessian.row_products(), hessian.rows
        gram = hessian.gram_of(self.products, float(inverse[0]))
        return hessian.gram(inverse) if gram is None else gram


def _is_long(hessian: Any, diagonal: Array) -> bool:
    """Whether the products of all rows with each other take long, and D is a multiple of I."""
    if hessian.k > 1 or hessian.size**2 * len(diagonal) < MIN_SINGLE:
        return False
    return bool((diagonal == diagonal[0]).all()) and hasattr(hessian, "single_gram")
