"""The multiple of a residual that serves best as duals of the elastic net."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.projections.clipped_lines import root


def best_factor(
    square: float, product: float, sizes: NDArray[np.float64], l1: float, modulus: float
) -> tuple[float, float]:
    """The t ≥ 0 for which the dual of t r is largest, and that dual.

    It is t b'r − ½ t² ‖r‖² − Σ max(0, t |a_j'r| − l1)² / (2 modulus), with ‖r‖² = ``square``,
    b'r = ``product`` and |a_j'r| = ``sizes``; with modulus = 0 no t |a_j'r| is above l1.
    """
    factor = max(product, 0.0) / square if square > 0 else 0.0
    if modulus == 0:
        largest = sizes.max(initial=0)
        if factor * largest > l1:
            factor = l1 / float(largest)
        return factor, factor * (product - factor / 2 * square)
    beyond = sizes[(factor * sizes > l1) & (sizes * sizes > 0)]
    # the derivative is 0: product − t ‖r‖² = Σ max(0, t a − l1) a / modulus
    if beyond.size and l1 == 0:
        factor = product / (square + float(beyond @ beyond) / modulus)
    elif beyond.size:
        lines = l1 * beyond, beyond * beyond
        ends = -np.inf, 0.0, square * modulus, -product * modulus
        factor = max(root(*lines, *ends), 0.0)
    excess = np.maximum(factor * beyond - l1, 0)
    penalty = float(excess @ excess) / (2 * modulus)
    return factor, factor * (product - factor / 2 * square) - penalty
