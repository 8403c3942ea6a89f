"""F(w) = max_i (⟨a_i, w⟩ + b_i), the largest of some planes."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rrmlinear.risks.base import Evaluation

Vector = NDArray[np.float64]

# Values within this fraction of the largest size of the maximum count as equal to it.
TIE_ROUNDING = 1e-14
# Rounding of the sum of weights on the simplex.
SUM_ROUNDING = 1e-12


class LargestPlane:
    """F of planes a_i, the rows of an m × d array, and m numbers b_i, 0 by default.

    Scores are the values of the planes, derivatives weights on the simplex: 1 for the first plane
    that is largest up to rounding. So F(w) = value(scores(w)), a subgradient of F at w is
    gradient(derivatives(scores(w))), and F*(Σ s_i a_i) is at most conjugate(−s) = −b's.

    Raises ValueError for other shapes and for numbers that are not finite.
    """

    def __init__(self, planes: ArrayLike, offsets: ArrayLike = 0.0) -> None:
        self.planes = np.ascontiguousarray(planes, dtype=np.float64)
        if self.planes.ndim != 2 or 0 in self.planes.shape:
            raise ValueError(
                f"planes must be an array of at least 1 × 1, got shape {self.planes.shape}"
            )
        self.offsets = np.broadcast_to(np.asarray(offsets, dtype=np.float64), len(self.planes))
        if not (np.isfinite(self.planes).all() and np.isfinite(self.offsets).all()):
            raise ValueError("planes and offsets must be finite")

    offers: frozenset[Hashable] = frozenset()
    costs = np.ones(1)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the weights."""
        return (self.planes.shape[1],)

    def scores(self, w: Vector) -> Vector:
        """The values of all planes."""
        return self.planes @ w + self.offsets

    def at(self, scores: Vector, warm: Any = None) -> Evaluation:
        """F at these values of the planes."""
        return Evaluation(self, self, scores)

    def total(self, scores: Vector) -> float:
        """The largest."""
        return float(scores.max())

    def derivatives(self, scores: Vector) -> Vector:
        """1 for the first plane that is largest up to rounding, 0 for the others."""
        weights = np.zeros(len(scores))
        near = scores.max() - TIE_ROUNDING * np.abs(scores).max()
        weights[np.argmax(scores >= near)] = 1
        return weights

    def tangent(self, scores: Vector) -> tuple[float, Vector]:
        """The largest, and `derivatives`."""
        return self.total(scores), self.derivatives(scores)

    def gradient(self, derivatives: Vector) -> Vector:
        """Σ s_i a_i."""
        return derivatives @ self.planes

    def conjugate(self, alphas: Vector) -> float:
        """−b's for s = −α on the simplex, infinite elsewhere."""
        on_simplex = (alphas <= 0).all() and abs(alphas.sum() + 1) <= SUM_ROUNDING
        return float(self.offsets @ alphas) if on_simplex else np.inf

    def duals(self, alphas: Vector) -> Vector:
        """The duals α in the form that a Result holds."""
        return alphas

    def complete(self, w: Vector, at: Evaluation | None = None) -> Vector:
        """The weights w in the form that a Result holds."""
        return w
