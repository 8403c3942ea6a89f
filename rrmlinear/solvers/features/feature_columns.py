"""The features of a problem as rows of their own, examples weighted by the roots of their costs."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.cached import cached_property
from rrmlinear.data.column_order import ColumnOrder
from rrmlinear.data.products import products_and_moments
from rrmlinear.data.rows import Rows
from rrmlinear.solvers.features._cuts import scaled_columns, scaled_lines, scaled_rows
from rrmlinear.solvers.features._feature_descent import FeatureSweeps, products_and_spreads
from rrmlinear.solvers.features.feature_subsets import part_of
from rrmlinear.solvers.loop.tolerances import CONSTANT_COLUMN

# Dense data are centred in a copy where the part of a column along u is this many times as long as
# the rest: products with the rest would lose half of their digits otherwise.
LONG_CENTRE = 1e3
# Examples that are transposed at once: their cache lines are read a single time.
EXAMPLES_AT_ONCE = 256
# Examples whose values at some features are taken at once: they stay in the cache.
TAKEN_AT_ONCE = 512
# A float32 copy of columns has at least this number of values: fewer stay in a cache of a core.
# Squared norms lie between LEAST_SINGLE and its inverse.
MIN_SINGLE_COPY, LEAST_SINGLE = 500_000, 1e-20


class Residual(Protocol):
    """r, as ``shift`` · u and the rest."""

    shift: float

    def lengths(self, target: NDArray[np.float64]) -> tuple[float, float]:
        """(‖r‖², target'r)."""
        ...


class FeatureColumns:
    """Vectors a_j = (u_i x_ij)_i of all features j, u_i² = c_i / ``scale``, scale = max c.

    ``rows`` holds them as rows, ``curvature`` their squared norms, and ``squares`` those of all
    columns, the appended one among them, as they are given. With ``intercept`` the appended
    column is left out and features stand for a_j − centre_j u, orthogonal to u: callers subtract
    ``means`` (the centres) themselves, with ``totals``, a_j'u; but dense data far from 0 are
    centred in a copy. The curvature of a constant is then 0. A matrix in `ColumnOrder` is not
    copied if all costs are equal. Dense rows that need no such copy are
    ``by_rows``, and ``rows`` are made when they are first asked for. ``y`` are the targets, whose
    products come with the moments. Raises ValueError where a squared norm overflows.
    """

    #: The rows over the examples, where they serve as they are.
    by_rows: Rows | None = None
    #: Σ u_i² x_i (y_i − level), products with the residual of no weights, if they are known.
    pulls_at_zero: NDArray[np.float64] | None = None

    def __init__(
        self,
        rows: Rows | ColumnOrder,
        y: NDArray[np.float64],
        costs: NDArray[np.float64],
        intercept: bool,
    ) -> None:
        self.scale = float(costs.max())
        self.unit = np.sqrt(costs / self.scale)
        self.mass = float((self.unit**2).sum())
        self.bias, self.intercept = rows.bias, intercept
        self.given, self.is_dense = rows, rows.is_dense
        if self.is_dense and not isinstance(rows, ColumnOrder):
            self.by_rows = rows if self._appended() else rows.with_bias(-1.0)
            errors = y - self.level_of(y)
            moments = products_and_moments(self.by_rows, self.unit**2, errors, intercept)
            self.pulls_at_zero, totals, spread = moments
        elif isinstance(rows, ColumnOrder) and intercept and not self._scales():
            totals, spread = rows.moments
            self.pulls_at_zero = rows.products(y - self.level_of(y))
        else:
            unit = self.unit if intercept else np.zeros_like(self.unit)
            totals, spread = products_and_spreads(self.rows, unit)
        self.count = len(totals)
        self.centres = totals / self.mass
        self.curvature = spread + self.centres**2 * self.mass
        if not np.isfinite(self.curvature).all():
            worst = int(np.flatnonzero(~np.isfinite(self.curvature))[0])
            raise ValueError(f"the squared norm of feature {worst + 1} overflows; scale the data")
        self.means, self.totals = self.centres, totals
        self.squares = self.curvature
        if intercept:
            self.squares = np.append(self.curvature, self.bias**2 * self.mass)
            self._centre(spread)

    @cached_property
    def rows(self) -> Rows:
        """The a_j."""
        if isinstance(self.given, ColumnOrder) or self.is_dense:
            return self._dense(self.given)
        return self._sparse(self.given)

    def scaled(
        self, features: NDArray[np.int64], factors: NDArray[np.float64], begin: int, out: Any
    ) -> None:
        """Write the a_j − centre_j u of these features of dense data, each times its factor, for
        the examples from ``begin`` on: as lines of ``out``, or across its rows with `by_rows`.
        """
        means = self.means[features]
        if self.by_rows is None:
            scaled_lines(self.rows, features, means, factors, self.unit, begin, out)
            return
        d = self.by_rows.shape[1]
        places = np.minimum(features, d - 1)
        scaled_rows(self.by_rows, places, means, factors, self.unit, begin, out)
        for k in np.flatnonzero(features == d):  # the appended column
            unit = self.unit[begin : begin + len(out)]
            out[:, k] = (self.bias - means[k]) * factors[k] * unit

    def _taken(self, features: NDArray[np.int64], some: slice) -> Any:
        """The a_j of these features at some examples."""
        if self.by_rows is None:
            return self.rows.values[:, some][features]
        rows = self.by_rows.between(some.start, min(some.stop, len(self.unit)))
        part = part_of(rows, features).values.T
        return part * self.unit[some] if self._scales() else part

    def sweeps(self, features: NDArray[np.int64], l1: float, modulus: float) -> FeatureSweeps:
        """Sweeps over these features, from weights of 0. Columns of ``by_rows`` are copied for
        them; others lie in memory, and all are taken.
        """
        if self.by_rows is None:
            columns = self.rows
        else:
            single = self.by_rows.values.dtype == np.float32 and not self._scales()
            kind = np.float32 if single and self.by_rows.bias < 0 else np.float64
            values = np.empty((len(features), len(self.unit)), dtype=kind)
            for begin in range(0, values.shape[1], TAKEN_AT_ONCE):
                some = slice(begin, begin + TAKEN_AT_ONCE)
                values[:, some] = self._taken(features, some)
            columns = Rows(values, None, None, values.shape[1])
        means, totals = self.means[features], self.totals[features]
        return self._sweeps(columns, features, means, totals, l1, modulus)

    def single_sweeps(
        self, features: NDArray[np.int64], l1: float, modulus: float
    ) -> FeatureSweeps | None:
        """Sweeps over a float32 copy of the columns of these features, less their means. None where
        they are few, or not dense in float64, or out of range.
        """
        if self.by_rows is not None or not self.is_dense or self.rows.values.dtype != np.float64:
            return None
        squares, n = self.squares[features], len(self.unit)
        is_in_range = squares.max() < 1 / LEAST_SINGLE and squares.min() > LEAST_SINGLE
        if len(features) * n < MIN_SINGLE_COPY or not is_in_range:
            return None
        single, factors = np.empty((len(features), n), dtype=np.float32), np.ones(len(features))
        self.scaled(features, factors, 0, single)
        zeros = np.zeros(len(features))
        columns = Rows(single, None, None, n)
        return self._sweeps(columns, features, zeros, zeros, l1, modulus)

    def _sweeps(
        self,
        columns: Rows,
        features: NDArray[np.int64],
        means: NDArray[np.float64],
        totals: NDArray[np.float64],
        l1: float,
        modulus: float,
    ) -> FeatureSweeps:
        curvature, linear = self.curvature[features], np.zeros(len(features))
        return FeatureSweeps(columns, curvature, self.unit, means, totals, linear, l1, modulus)

    def _scales(self) -> bool:
        return bool((self.unit != 1).any())

    def weights_of(
        self, weights: NDArray[np.float64], y: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Weights for all columns of the rows: with the best intercept over the bias, if any."""
        if not self.intercept:
            return weights.copy()
        level = self.level_of(y) - float((self.centres * weights).sum())
        return np.append(weights, level / self.bias)

    def level_of(self, y: NDArray[np.float64]) -> float:
        """The mean of y with an intercept, which is the best one of no weights; else 0."""
        return float((self.unit**2 * y).sum()) / self.mass if self.intercept else 0.0

    def balance(self, sweeps: Residual) -> None:
        """With an intercept, make the residual orthogonal to u: the duals' sum has to be 0."""
        if self.intercept:
            sweeps.shift -= sweeps.lengths(self.unit)[1] / self.mass

    def _appended(self) -> bool:
        return self.bias >= 0 and not self.intercept

    def _dense(self, rows: Rows | ColumnOrder) -> Rows:
        scales, appended = self._scales(), self._appended()
        if isinstance(rows, ColumnOrder) and not (scales or appended):
            return rows.features
        n, d = rows.shape
        kind = np.float64 if scales or appended else rows.values.dtype
        matrix = np.empty((d + appended, n), dtype=kind)
        for begin in range(0, n, EXAMPLES_AT_ONCE):
            some = slice(begin, begin + EXAMPLES_AT_ONCE)
            matrix[:d, some] = rows.values[some].T
        if appended:
            matrix[d] = self.bias
        if scales:
            matrix *= self.unit
        return Rows(matrix, None, None, n)

    def _sparse(self, rows: Rows) -> Rows:
        if not self._appended():
            rows = rows.with_bias(-1.0)
        columns = scaled_columns(rows, self.unit)
        if rows.values.dtype == np.float32 and not self._appended() and (self.unit == 1).all():
            values = columns.values.astype(np.float32)
            return Rows(values, columns.indices, columns.indptr, columns.shape[1])
        return columns

    def _centre(self, spread: NDArray[np.float64]) -> None:
        far = self.centres**2 * self.mass > LONG_CENTRE**2 * spread
        is_used = spread > CONSTANT_COLUMN * self.curvature
        if self.is_dense and (far & is_used).any():
            self.by_rows = None
            matrix = self.rows.values - self.centres[:, None] * self.unit
            self.rows = Rows(matrix, None, None, self.rows.shape[1])
            self.means = self.totals = np.zeros(self.count)
        self.curvature = np.where(is_used, spread, 0.0)
