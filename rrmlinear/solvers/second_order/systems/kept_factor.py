"""A factor of one Newton system that serves the next ones, where all rows are active in each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.solvers.second_order.conjugate_gradients import (
    FACTORED_DECREASE,
    conjugate_gradients,
)
from rrmlinear.solvers.second_order.factors import Factor

Array = NDArray[np.float64]

# A factor of a d × d system with all n rows active is kept while a system takes at most
# d / FEATURES_A_PRODUCT products: the Gram matrix of 20 000 × 500 takes as long as 18 products. If
# that number is below LEAST_KEPT, no factor is kept.
FEATURES_A_PRODUCT, LEAST_KEPT = 32, 6
# The first of these factors comes from a sample of SAMPLE_ROWS rows for each feature, if there are
# at least SAMPLED times as many rows. For 20 000 × 500 this factor takes a fifth of the time, and
# a system then takes two or three products.
SAMPLE_ROWS, SAMPLED = 8, 3


class KeptFactor:
    """The factor of an earlier system (D + H) x = b of dense rows, as preconditioner of this one.

    The first factor is that of a sample of the rows, where there are many. Where F
    ``is_quadratic``, it may be one from float32 products.
    """

    def __init__(self, is_quadratic: bool) -> None:
        self.is_quadratic = is_quadratic
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
        diagonal: Array,
        product: Callable[[Array], Array],
        b: Array,
        decrease: float,
    ) -> tuple[Array, Array | None]:
        """x by the kept factor, or the first one, and b less the ``product`` with it; None where
        that is small enough.
        """
        if not self.serves(hessian, len(b)):
            return np.zeros_like(b), b
        if self.factor is None and decrease > FACTORED_DECREASE:
            self.factor = _factor_of_sample(hessian, diagonal)
        if self.factor is None and self.is_quadratic:
            decrease = min(decrease, FACTORED_DECREASE)
            self.factor = _factor_of_single(hessian, diagonal)
        if self.factor is None:
            return np.zeros_like(b), b
        most = len(b) // FEATURES_A_PRODUCT
        x, products = conjugate_gradients(product, self.factor.solve, b, decrease, most)
        return x, b - product(x) if products == most else None

    def keep(self, hessian: Any, d: int, factor: Factor) -> None:
        """Take the factor of this system over d unknowns, if it may serve the next."""
        self.factor = factor if self.serves(hessian, d) else None


def _factor_of_sample(hessian: Any, diagonal: Array) -> Factor | None:
    """The factor of D plus the part of H that a sample of rows has, times all rows over these; None
    where there are few.
    """
    n, m = hessian.size, SAMPLE_ROWS * len(diagonal)
    if n < SAMPLED * m:
        return None
    chosen = np.sort(np.random.default_rng(n).choice(n, m, replace=False))
    some = hessian.among(chosen)
    matrix = some.single_matrix()
    return _factor_beside(diagonal, (n / m) * (some.matrix() if matrix is None else matrix))


def _factor_of_single(hessian: Any, diagonal: Array) -> Factor | None:
    """The factor of D + H from float32 products; None where H has none."""
    matrix = hessian.single_matrix()
    return None if matrix is None else _factor_beside(diagonal, matrix)


def _factor_beside(diagonal: Array, matrix: Array) -> Factor:
    matrix.flat[:: len(matrix) + 1] += diagonal
    return Factor(matrix)
