"""Columns without a penalty beside a function of singular values."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rrmlinear.regularizers.bounded import Unpenalized

Array = NDArray[np.float64]

# Weights may be beyond the limit by this fraction of it, by rounding.
BOUNDARY_ROUNDING = 1e-12


class UnpenalizedSpectral(Unpenalized):
    """`Unpenalized` of a `Spectral`, whose values and proxes are not those of C loops."""

    def value_of(self, w: ArrayLike) -> float:
        free, rest = self._apart(w)
        if (np.abs(free) > self.limit * (1 + BOUNDARY_ROUNDING)).any():
            return math.inf
        return self.inner.value_of(rest)

    def derivative_of(self, w: ArrayLike, d: ArrayLike) -> float:
        (at, rest), (along, direction) = self._apart(w), self._apart(d)
        if ((np.abs(at) >= self.limit) & (at * along > 0)).any():
            return math.inf
        return self.inner.derivative_of(rest, direction)

    def conjugate_of(self, v: ArrayLike) -> float:
        free, rest = self._apart(v)
        return self.inner.conjugate_of(rest) + self.limit * float(np.abs(free).sum())

    def dual_scale_of(self, v: ArrayLike) -> float:
        return self.inner.dual_scale_of(self._apart(v)[1])

    def prox_of(self, w: ArrayLike, step: float) -> Array:
        free, rest = self._apart(w)
        result = self.inner.prox_of(rest, step)
        result[self.indices] = np.clip(free, -self.limit, self.limit)
        return result

    def _apart(self, w: ArrayLike) -> tuple[Array, Array]:
        """The weights without a penalty, and a copy of w with zeros there."""
        rest = np.array(w, dtype=np.float64)
        if self.length < 0:
            raise ValueError(f"{type(self).__name__} must be told the shape first, by over")
        if len(rest) != self.length:
            raise ValueError(
                f"{type(self).__name__} is over {self.length} weights, got {len(rest)}"
            )
        free = rest[self.indices]
        rest[self.indices] = 0.0
        return free, rest
