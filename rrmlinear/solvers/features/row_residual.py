"""The residual of coordinate descent over features, from dense rows as they lie in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.features._feature_descent import FeatureSweeps, residual_products
from rrmlinear.solvers.features.feature_columns import FeatureColumns

Array = NDArray[np.float64]


class RowResidual:
    """What `FeatureSweeps` tell of weights, without sweeps: columns are not copied for it.

    The residual is ``residual`` + ``shift`` · u, and its products with all features are made along
    with it, in one way through the rows.
    """

    def __init__(self, columns: FeatureColumns, y: Array, l1: float, modulus: float) -> None:
        assert columns.by_rows is not None
        self.columns, self.rows, self.y = columns, columns.by_rows, y
        self.l1, self.modulus = l1, modulus
        self.costs = columns.unit**2
        self.weights = np.zeros(columns.count)
        self.residual = np.zeros(len(y))
        self.shift = 0.0

    def renew(self) -> None:
        """The residual of the weights, with the intercept that they have by the means."""
        level = self.columns.level_of(self.y) - float(self.columns.centres @ self.weights)
        self.raw = residual_products(
            self.rows, self.weights, self.y, level, self.costs, self.residual
        )
        self.residual *= self.columns.unit
        self.shift = 0.0

    def products(self, features: NDArray[np.int64]) -> Array:
        """a_j'r for each of these features."""
        return np.asarray(self.raw[features] + self.shift * self.columns.totals[features])

    def lengths(self, target: Array) -> tuple[float, float]:
        """(‖r‖², target'r)."""
        r = self.residual + self.shift * self.columns.unit
        return float(r @ r), float(target @ r)

    def penalty(self, features: NDArray[np.int64]) -> float:
        """The sum of l1 |w_j| + (modulus/2) w_j² over these features."""
        w = self.weights[features]
        return float(self.l1 * np.abs(w).sum() + self.modulus / 2 * (w @ w))

    def over(self, features: NDArray[np.int64]) -> FeatureSweeps:
        """Sweeps over these features, whose columns are copied, with this residual."""
        sweeps = self.columns.sweeps(features, self.l1, self.modulus)
        sweeps.weights[:], sweeps.residual[:] = self.weights[features], self.residual
        sweeps.shift = self.shift
        return sweeps
