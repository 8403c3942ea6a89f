"""A path of least squares with an elastic net on one Gram matrix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.features._gram_path import GramPath

Array = NDArray[np.float64]


def gram_path(
    gram: Array,
    linear: Array,
    square: float,
    strengths: Iterable[tuple[float, float]],
    tolerance: float,
    positive: bool,
) -> Iterator[Array | None]:
    """minimize ½ (square − 2 q'w + w'Gw) + l1 ‖w‖₁ + (modulus/2)‖w‖² for each (l1, modulus).

    G is ``gram`` and q is ``linear``, X'X and X'y where square = y'y; w ≥ 0 if ``positive``. Each
    problem begins from the weights of the last one. Yields weights, or None where no gap of at most
    ``tolerance`` of the objective, and beyond rounding, proves them.
    """
    path = GramPath(gram, linear, square, positive)
    for l1, modulus in strengths:
        yield path.weights.copy() if path.descend(l1, modulus, tolerance) else None
