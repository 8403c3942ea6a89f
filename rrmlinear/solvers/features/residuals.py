"""The residual of coordinate descent over features, from columns of all features or from rows."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.features._feature_descent import (
    FeatureSweeps,
    elastic_net,
    residual_lengths,
    residual_products,
)
from rrmlinear.solvers.features.feature_columns import FeatureColumns

Array = NDArray[np.float64]


class WholeResidual(Protocol):
    """Weights of all features, and the residual r of these: ``residual`` + ``shift`` · u."""

    weights: Array
    residual: Array
    shift: float

    def renew(self) -> None:
        """Compute the residual of the weights anew, without the rounding of its updates."""
        ...

    def products(self, features: NDArray[np.int64]) -> Array:
        """a_j'r for each of these features."""
        ...

    def lengths(self, target: Array) -> tuple[float, float]:
        """(‖r‖², target'r)."""
        ...

    def penalty(self, features: NDArray[np.int64]) -> float:
        """The sum of l1 |w_j| + (modulus/2) w_j² over these features."""
        ...

    def over(
        self, features: NDArray[np.int64], rough: bool = False
    ) -> tuple[FeatureSweeps, NDArray[np.int64]]:
        """Sweeps that can move the weights of these features, and the features' places there; where
        they may be ``rough``, long columns are rounded to float32.
        """
        ...


class ColumnResidual:
    """A `WholeResidual` that sweeps over all columns keep."""

    def __init__(self, columns: FeatureColumns, aim: Array, l1: float, modulus: float) -> None:
        self.columns, self.l1, self.modulus = columns, l1, modulus
        self.sweeps = columns.sweeps(np.arange(columns.count), l1, modulus)
        self.aim = aim
        self.weights, self.residual = self.sweeps.weights, self.sweeps.residual
        self.is_begun = False  # the residual is that of no weights

    @property
    def shift(self) -> float:
        return self.sweeps.shift

    @shift.setter
    def shift(self, shift: float) -> None:
        self.sweeps.shift = shift

    def products(self, features: NDArray[np.int64]) -> Array:
        if self.is_begun and self.columns.pulls_at_zero is not None:
            return self.columns.pulls_at_zero[features]
        return self.sweeps.products(features)

    def lengths(self, target: Array) -> tuple[float, float]:
        return self.sweeps.lengths(target)

    def penalty(self, features: NDArray[np.int64]) -> float:
        return self.sweeps.penalty(features)

    def renew(self) -> None:
        in_use = np.flatnonzero(self.weights)
        weights = self.weights[in_use]
        self.weights[in_use] = 0
        self.residual[:] = self.aim
        self.shift, self.is_begun = 0.0, len(in_use) == 0
        self.sweeps.move(in_use, weights)

    def over(
        self, features: NDArray[np.int64], rough: bool = False
    ) -> tuple[FeatureSweeps, NDArray[np.int64]]:
        self.is_begun = False
        sweeps = self.columns.single_sweeps(features, self.l1, self.modulus) if rough else None
        return (self.sweeps, features) if sweeps is None else _begun(sweeps, features, self)


class RowResidual:
    """A `WholeResidual` without columns: sweeps copy the columns of a working set.

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
        if self.weights.any():
            self.raw = residual_products(
                self.rows, self.weights, self.y, level, self.costs, self.residual
            )
        else:
            assert self.columns.pulls_at_zero is not None
            self.raw = self.columns.pulls_at_zero
            np.subtract(self.y, level, out=self.residual)
        self.residual *= self.columns.unit
        self.shift = 0.0

    def products(self, features: NDArray[np.int64]) -> Array:
        return np.asarray(self.raw[features] + self.shift * self.columns.totals[features])

    def lengths(self, target: Array) -> tuple[float, float]:
        return residual_lengths(self.residual, self.shift, self.columns.unit, target)

    def penalty(self, features: NDArray[np.int64]) -> float:
        return elastic_net(self.weights, features, self.l1, self.modulus)

    def over(
        self, features: NDArray[np.int64], rough: bool = False
    ) -> tuple[FeatureSweeps, NDArray[np.int64]]:
        return _begun(self.columns.sweeps(features, self.l1, self.modulus), features, self)


def _begun(
    sweeps: FeatureSweeps, features: NDArray[np.int64], whole: WholeResidual
) -> tuple[FeatureSweeps, NDArray[np.int64]]:
    """Sweeps over these features alone, at their weights and the residual of all."""
    sweeps.weights[:], sweeps.residual[:] = whole.weights[features], whole.residual
    sweeps.shift = whole.shift
    return sweeps, np.arange(len(features))
