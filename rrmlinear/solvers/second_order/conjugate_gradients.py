"""Newton directions where there are too many features to factorize."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.hessian import Hessian

Vector = NDArray[np.float64]

# The relative residual to reach, and the most products with the matrix.
RESIDUAL_DECREASE = 0.1
MAX_PRODUCTS = 250


def conjugate_gradients(hessian: Hessian, modulus: float, b: Vector) -> Vector:
    """x with (H + modulus I) x ≈ b, by conjugate gradients preconditioned by the diagonal.

    H is known by its diagonal and its products. Ends at a residual of RESIDUAL_DECREASE in the norm
    of the preconditioner, or after MAX_PRODUCTS products. Source: Nocedal and Wright, Numerical
    Optimization, algorithm 5.3.
    """
    scale = 1 / (hessian.diagonal() + modulus)
    x, r = np.zeros_like(b), b
    z = scale * r
    p, size = z, float(r @ z)
    first = size
    for _ in range(MAX_PRODUCTS):
        if size <= RESIDUAL_DECREASE**2 * first:
            break
        q = hessian.product(p) + modulus * p
        step = size / float(p @ q)
        x, r = x + step * p, r - step * q
        z = scale * r
        last, size = size, float(r @ z)
        p = z + size / last * p
    return x
