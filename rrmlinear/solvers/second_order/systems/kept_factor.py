"""A factor of one Newton system that serves the next ones, where all rows are active in each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.solvers.second_order.conjugate_gradients import conjugate_gradients
from rrmlinear.solvers.second_order.factors import Factor

Array = NDArray[np.float64]

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
