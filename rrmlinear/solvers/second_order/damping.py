"""What is added to the second derivative where steps by it alone are too long."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# A fraction of the largest second derivative is added: the first, largest and smallest fraction.
FIRST, MOST, LEAST = 1e-3, 1.0, 1e-10
# After a step shorter than SHORT the fraction is multiplied by CHANGE. After a step longer than
# LONG it is divided by CHANGE.
SHORT, LONG, CHANGE = 0.3, 0.7, 4.0


class Damping:
    """A part of the diagonal of the second derivative with all examples at their largest curvature.

    Examples at bounds of their duals have no curvature. A feature that only such examples have gets
    a step far beyond their next kink. One search serves all features, so that it then ends at a
    tiny fraction of the whole step. The part follows the fractions t that searches find, and the
    diagonal gives it the scale of each column. Source: Nocedal and Wright, Numerical Optimization,
    section 10.3, for the method of Levenberg and Marquardt.
    """

    def __init__(self, squares: Array) -> None:
        #: The diagonal of Σ c_i x_i x_i'.
        self.squares = squares
        self.part = FIRST
        #: Whether the last step was shorter than SHORT.
        self.is_short = False

    def diagonal(self, curvature: float, shape: tuple[int, ...]) -> Array:
        """What is added, for losses of at most this curvature and weights of this shape."""
        return np.repeat(self.part * curvature * self.squares, shape[1])

    def took(self, t: float) -> None:
        """A search along a direction ended at t."""
        self.is_short = t < SHORT
        if self.is_short:
            self.part = min(CHANGE * self.part, MOST)
        elif t > LONG:
            self.part = max(self.part / CHANGE, LEAST)
