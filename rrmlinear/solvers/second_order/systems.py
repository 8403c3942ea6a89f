"""Linear systems of Newton's method: (D + H) x = b, D diagonal, H a `Hessian` of p active terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.second_order.conjugate_gradients import conjugate_gradients

Array = NDArray[np.float64]

# Limit on the unknowns of a system that is factorized.
MAX_FACTORIZED = 3000
# The p × p system is taken where p is at most this fraction of d: it loses digits that the d × d
# system keeps where columns differ in length.
MAX_GRAM_FRACTION = 0.5
# Relative residual, and the most products, with a factor as preconditioner and with a diagonal.
FACTORED_DECREASE, MAX_REFINEMENTS = 1e-5, 30
DIAGONAL_DECREASE, MAX_PRODUCTS = 0.1, 250
# Where rounding leaves a matrix of unit diagonal without a Cholesky factor, FIRST_SHIFT is added to
# the diagonal, and SHIFT_GROWTH times as much each time that this does not suffice.
FIRST_SHIFT, SHIFT_GROWTH = 1e-14, 100.0


def solved(hessian: Any, diagonal: Array, b: Array) -> Array:
    """x with (D + H) x = b: nearly exact for p or d up to MAX_FACTORIZED, else approximate.

    H = Z'Z with p × d Z. The smaller of D + Z'Z and I + Z D⁻¹ Z' is factorized (Woodbury), and
    conjugate gradients mend what its factor lacks by rounding.
    """
    p, d = hessian.size, len(b)
    if p == 0:
        return b / diagonal

    def product(x: Array) -> Array:
        return hessian.product(x) + diagonal * x

    by_gram = p <= MAX_FACTORIZED and p <= MAX_GRAM_FRACTION * d
    if by_gram:
        precondition = _by_gram(hessian, 1 / diagonal)
    elif d <= MAX_FACTORIZED:
        matrix = hessian.matrix()
        matrix.flat[:: d + 1] += diagonal
        precondition = Factor(matrix).solve
    else:
        scale = 1 / (hessian.diagonal() + diagonal)
        return conjugate_gradients(product, lambda r: scale * r, b, DIAGONAL_DECREASE, MAX_PRODUCTS)
    return conjugate_gradients(product, precondition, b, FACTORED_DECREASE, MAX_REFINEMENTS)


def _by_gram(hessian: Any, inverse: Array) -> Callable[[Array], Array]:
    matrix = hessian.gram(inverse)
    matrix.flat[:: len(matrix) + 1] += 1.0
    factor = Factor(matrix)

    def solve(b: Array) -> Array:
        return inverse * (b - hessian.adjoint(factor.solve(hessian.times(inverse * b))))

    return solve


class Factor:
    """The Cholesky factor of a positive definite matrix, scaled to unit diagonal.

    With that scale its error does not depend on the units of the unknowns. Raises
    FloatingPointError for a matrix that is not finite.
    """

    def __init__(self, matrix: Array) -> None:
        from scipy.linalg import LinAlgError, cho_factor

        if not np.isfinite(matrix).all():
            raise FloatingPointError("a Newton system has overflowed; scale the data")
        self.scale = 1 / np.sqrt(matrix.diagonal())
        matrix *= self.scale
        matrix *= self.scale[:, np.newaxis]
        shift = 0.0
        while True:
            try:
                self.factor = cho_factor(matrix, check_finite=False)
                return
            except LinAlgError:
                shift = SHIFT_GROWTH * shift or FIRST_SHIFT
                matrix.flat[:: len(matrix) + 1] = 1 + shift

    def solve(self, b: Array) -> Array:
        """x with A x = b."""
        from scipy.linalg import cho_solve

        return self.scale * cho_solve(self.factor, self.scale * b, check_finite=False)
