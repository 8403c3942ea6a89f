"""Linear systems by preconditioned conjugate gradients."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time

Array = NDArray[np.float64]

# Relative residual, and the most products, with a factor of the matrix as preconditioner; the most
# products with any other.
FACTORED_DECREASE, MAX_REFINEMENTS = 1e-5, 30
MAX_PRODUCTS = 250


def conjugate_gradients(
    product: Callable[[Array], Array],
    precondition: Callable[[Array], Array],
    b: Array,
    decrease: float,
    most: int,
) -> tuple[Array, int]:
    """x with A x ≈ b, and the number of products; A positive definite and known by its
    ``product``, M by ``precondition`` M⁻¹.

    Ends at a residual of ``decrease`` in the norm of M⁻¹, or after ``most`` products. With a factor
    of A as M this is iterative refinement. Source: Nocedal and Wright, Numerical Optimization,
    algorithm 5.3.
    """
    x, r = np.zeros_like(b), b
    z = precondition(r)
    p, size = z, float(r @ z)
    enough = decrease**2 * size
    products = 0
    while products < most and size > enough:
        check_time()
        q, products = product(p), products + 1
        curvature = float(p @ q)
        if not curvature > 0:
            # rounding: the solution with M is the best that is known before the first step
            first = products == 1 and np.isfinite(curvature)
            return (p if first else x), products
        step = size / curvature
        x, r = x + step * p, r - step * q
        z = precondition(r)
        last, size = size, float(r @ z)
        p = z + size / last * p
    return x, products
