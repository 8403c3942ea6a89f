"""The features of a problem as rows of their own, examples weighted by the roots of their costs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.solvers.features._cuts import scaled_columns
from rrmlinear.solvers.features._feature_descent import products_and_spreads
from rrmlinear.solvers.loop.tolerances import CONSTANT_COLUMN


class FeatureColumns:
    """Vectors a_j = (u_i x_ij)_i of all features j, u_i² = c_i / ``scale``, scale = max c.

    ``rows`` holds them as rows, ``curvature`` their squared norms. With ``intercept`` the appended
    column is left out and features stand for a_j − centre_j u, orthogonal to u: dense data
    are centred in a copy; for sparse data callers subtract ``means`` (the centres) themselves, with
    ``totals``, a_j'u. The curvature of a constant is then 0. Values stay float32 if all costs are
    equal and no copy is made. Raises ValueError where a squared norm overflows.
    """

    def __init__(self, rows: Rows, costs: NDArray[np.float64], intercept: bool) -> None:
        self.scale = float(costs.max())
        self.unit = np.sqrt(costs / self.scale)
        self.mass = float((self.unit**2).sum())
        self.bias, self.intercept = rows.bias, intercept
        self.rows = self._dense(rows) if rows.is_dense else self._sparse(rows)
        self.count = self.rows.shape[0]
        self.curvature = self.rows.squared_norms()
        if not np.isfinite(self.curvature).all():
            worst = int(np.flatnonzero(~np.isfinite(self.curvature))[0])
            raise ValueError(f"the squared norm of feature {worst + 1} overflows; scale the data")
        self.centres = self.means = self.totals = np.zeros(self.count)
        if intercept:
            self._centre()

    def weights_of(
        self, weights: NDArray[np.float64], y: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Weights for all columns of the rows: with the best intercept over the bias, if any."""
        if not self.intercept:
            return weights.copy()
        level = float((self.unit**2 * y).sum()) / self.mass - float((self.centres * weights).sum())
        return np.append(weights, level / self.bias)

    def _appended(self) -> bool:
        return self.bias >= 0 and not self.intercept

    def _dense(self, rows: Rows) -> Rows:
        matrix = rows.values.T
        if self.intercept or (self.unit != 1).any():
            matrix = matrix * self.unit
        if self._appended():
            matrix = np.vstack([matrix, self.bias * self.unit])
        return Rows(np.ascontiguousarray(matrix), None, None, rows.shape[0])

    def _sparse(self, rows: Rows) -> Rows:
        if not self._appended():
            rows = rows.with_bias(-1.0)
        columns = scaled_columns(rows, self.unit)
        if rows.values.dtype == np.float32 and not self._appended() and (self.unit == 1).all():
            values = columns.values.astype(np.float32)
            return Rows(values, columns.indices, columns.indptr, columns.shape[1])
        return columns

    def _centre(self) -> None:
        square = self.curvature
        if self.rows.is_dense:
            matrix = self.rows.values
            self.centres = (matrix * self.unit).sum(axis=1) / self.mass
            matrix -= self.centres[:, None] * self.unit
            spread = self.rows.squared_norms()
        else:
            self.totals, spread = products_and_spreads(self.rows, self.unit)
            self.centres = self.means = self.totals / self.mass
        self.curvature = np.where(spread > CONSTANT_COLUMN * square, spread, 0.0)
