"""Linear systems of Newton's method: (D + H) x = b, D diagonal, H a `Hessian` of p active terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.second_order.factors import (
    FACTORED_DECREASE,
    MAX_FACTORIZED,
    MAX_GRAM_FRACTION,
    MAX_PRODUCTS,
    MAX_REFINEMENTS,
    Factor,
    conjugate_gradients,
)
from rrmlinear.solvers.second_order.systems.gram_systems import GramSystems, KeptFactor

Array = NDArray[np.float64]

# Relative residual with a diagonal as preconditioner.
DIAGONAL_DECREASE = 0.1


class Systems:
    """Solves (D + H) x = b, one system after the other.

    It is nearly exact for p or d up to MAX_FACTORIZED, else approximate. H = Z'Z with p × d Z. The
    smaller of D + Z'Z and I + Z D⁻¹ Z' is factorized (Woodbury), and conjugate gradients mend what
    its factor lacks by rounding. Beyond the limit the diagonal serves as preconditioner.
    Where F ``is_quadratic``, one system is the whole problem: the diagonal serves to the residual
    asked for.
    """

    def __init__(self, is_quadratic: bool = False, latest: Factor | None = None) -> None:
        self.is_quadratic = is_quadratic
        #: The factor of the last system over all features, if it took one.
        self.latest = latest
        self.of_terms = GramSystems()
        self.kept = KeptFactor()

    def solved(
        self,
        hessian: Any,
        diagonal: Array,
        b: Array,
        decrease: float = FACTORED_DECREASE,
    ) -> Array:
        """x with (D + H) x ≈ b, to a relative residual of ``decrease`` where a factor is kept.

        D may be a matrix: then D + H is factorized.
        """
        p, d = hessian.size, len(b)
        if diagonal.ndim > 1:
            return self._by_matrix(hessian.matrix() + diagonal if p else diagonal, b)
        if p == 0:
            return b / diagonal

        def product(x: Array) -> Array:
            return hessian.product(x) + diagonal * x

        if p <= MAX_FACTORIZED and p <= MAX_GRAM_FRACTION * d:
            return self.of_terms.solved(hessian, diagonal, product, b)
        if d <= MAX_FACTORIZED:
            return self._by_features(hessian, diagonal, product, b, decrease)
        scale = 1 / (hessian.diagonal() + diagonal)
        rough = decrease if self.is_quadratic else DIAGONAL_DECREASE
        return conjugate_gradients(product, lambda r: scale * r, b, rough, MAX_PRODUCTS)[0]

    def _by_features(
        self,
        hessian: Any,
        diagonal: Array,
        product: Callable[[Array], Array],
        b: Array,
        decrease: float,
    ) -> Array:
        """x by factors of earlier systems where these will do, and else by that of D + H."""
        d = len(b)
        begin, rest = self.kept.solved(hessian, product, b, decrease)
        if rest is None:
            return begin
        matrix = hessian.matrix()
        matrix.flat[:: d + 1] += diagonal
        self.latest = factor = Factor(matrix.copy())
        self.kept.keep(hessian, d, factor)
        more, _ = conjugate_gradients(
            matrix.__matmul__, factor.solve, rest, FACTORED_DECREASE, MAX_REFINEMENTS
        )
        return begin + more

    def _by_matrix(self, matrix: Array, b: Array) -> Array:
        solve = Factor(matrix.copy()).solve
        product = matrix.__matmul__
        return conjugate_gradients(product, solve, b, FACTORED_DECREASE, MAX_REFINEMENTS)[0]
