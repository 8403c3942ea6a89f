"""Newton systems of sparse rows, by the largest entries of their matrix alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.second_order.conjugate_gradients import conjugate_gradients

Array = NDArray[np.float64]

# The least entries of D + H, beside D, that count where the largest serve alone; FINER times less
# after a system whose residual was MAX_MISSED times that aimed at. The largest serve where they are
# at most this fraction of all: a product with one of them takes twice the time.
FIRST_LEAST, FINER, MAX_MISSED, MAX_COUPLED = 0.02, 4.0, 2.0, 0.4
COUPLED_DECREASE, MAX_COUPLED_PRODUCTS = 0.2, 1000


class CoupledSystems:
    """Solves (D + H) x ≈ b by the entries of D + H that are large beside its diagonal.

    A system that misses the residual aimed at makes the next one count smaller entries, too.
    """

    def __init__(self) -> None:
        self.least = FIRST_LEAST

    def solved(
        self, hessian: Any, diagonal: Array, product: Callable[[Array], Array], b: Array
    ) -> Array | None:
        """x by the largest entries of the matrix alone; None where most of them are large."""
        if not hasattr(hessian, "couplings"):  # one summed over workers
            return None
        rows = hessian.rows
        if rows.is_dense or rows.blocks is not None:
            return None
        most = int(MAX_COUPLED * hessian.k * rows.n_stored)
        couplings = hessian.couplings(diagonal, self.least, most)
        if not couplings.is_small:
            return None
        some, scale, inverse = couplings.some, couplings.scale, couplings.inverse
        y, products = conjugate_gradients(
            couplings.product, lambda r: r, scale * b[some], COUPLED_DECREASE, MAX_COUPLED_PRODUCTS
        )
        x = inverse * b
        x[some] = scale * y
        rest = b - product(x)
        missed = MAX_MISSED * COUPLED_DECREASE
        is_rough = rest @ (inverse * rest) > missed**2 * (b @ (inverse * b))
        if is_rough and products < MAX_COUPLED_PRODUCTS:
            self.least /= FINER
        return x
