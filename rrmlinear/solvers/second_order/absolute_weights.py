"""The augmented Lagrangian of l1 ‖w‖₁."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class AbsoluteWeights:
    """max over |z'| ≤ l1 of Σ_j z_j' w_j − (z_j' − z_j)² / (2 κ_j), which is once differentiable.

    z are the duals, the subgradients of l1 |w_j|, and κ_j the stiffness: where |z_j'| < l1, w_j is
    held near 0 by a spring of that stiffness.
    """

    def __init__(self, l1: float, z: Array, stiffness: Array) -> None:
        self.l1, self.z, self.stiffness = l1, np.clip(z, -l1, l1), stiffness

    def gradient(self, w: Array) -> Array:
        """z' at w."""
        return np.clip(self.z + self.stiffness * w, -self.l1, self.l1)

    def curvature(self, w: Array) -> Array:
        """The second derivatives: κ_j, or 0 where |z_j'| = l1."""
        return self.stiffness * (np.abs(self.z + self.stiffness * w) < self.l1)

    def distance(self, w: Array) -> float:
        """Σ_j (z_j' − z_j)² / (2 κ_j)."""
        change = self.gradient(w) - self.z
        return float(np.vdot(change, change / self.stiffness)) / 2

    def update(self, w: Array, growth: float) -> None:
        """Take z' as the duals, and multiply κ."""
        self.z, self.stiffness = self.gradient(w), self.stiffness * growth
