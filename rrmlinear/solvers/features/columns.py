"""Columns of examples, less their centres: all of them, or those of a working set copied."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.cached import cached_property
from rrmlinear.core.deadline import check_time
from rrmlinear.data.array_rows import csr_of
from rrmlinear.data.column_order import ColumnOrder
from rrmlinear.data.products import products_and_moments
from rrmlinear.data.rows import Rows
from rrmlinear.risks.hessian import CHUNK, MAX_LOST, Hessian
from rrmlinear.solvers.features._feature_descent import scaled_columns
from rrmlinear.solvers.features.feature_subsets import DenseLines
from rrmlinear.solvers.loop.tolerances import MANY_ROUNDINGS

Array = NDArray[np.float64]


class Columns:
    """n rows over d features by columns, with costs c; targets e less their mean.

    ``intercept``: the appended column has a free weight, and features stand for x_j − centre_j;
    else it is the last feature, and centres are 0. Raises ValueError where a squared norm
    overflows. ``begin`` makes what follows, and Σ c_i e_i (x_i − centre); ``add`` takes features
    and gives their products with all taken so far.
    """

    #: Whether all features are taken at once.
    takes_all = False
    #: How far products of free features with a residual may lower the dual, and what is rounding.
    beyond = hidden = 0.0
    #: Σ c_i x_i and the centres, 0 without an intercept; and which features are no constants.
    totals: Array
    centre: Array
    is_usable: NDArray[np.bool_]

    def __init__(self, rows: Rows | ColumnOrder, y: Array, costs: Array, intercept: bool) -> None:
        self.rows, self.values, self.costs, self.bias = rows, rows.values, costs, rows.bias
        self.intercept, self.width = intercept, rows.width - intercept
        self.mass = float(costs.sum())
        self.level = float(costs @ y) / self.mass if intercept else 0.0
        self.errors = y - self.level
        #: Σ c_i e_i², of what free features leave.
        self.square = float((costs * self.errors) @ self.errors)

    def left(self, w: Array, errors: Array) -> tuple[Array, Array]:
        """r = e − Σ_j w_j (x_j − centre_j) over the features taken, and Σ c_i r_i x_i of all."""
        shift = self.centre @ w
        residual, pulls = np.empty(errors.shape), np.zeros((*errors.shape[1:], self.width))
        for some, part in self.parts():
            scores = part @ w
            scores -= shift
            np.subtract(errors[some], scores, out=residual[some])
            pulls += (self.costs[some] * residual[some].T) @ part
        return residual, pulls

    def residual(self, w: Array, errors: Array) -> tuple[Array, Array, float]:
        """The same, with the best intercept for all x_j, and that. Then Σ c_i r_i is 0."""
        residual, pulls = self.left(w, errors)
        rest = 0.0
        if self.intercept:
            rest = float(self.costs @ residual) / self.mass
            residual -= rest
            pulls -= rest * self.totals
        return residual, pulls, rest

    def squares_known(self, squares: Array) -> None:
        """Take Σ c_i x_ij² of all features; `squares` has that of a free appended column too."""
        if not np.isfinite(squares).all():
            worst = int(np.flatnonzero(~np.isfinite(squares))[0])
            raise ValueError(f"the squared norm of feature {worst + 1} overflows; scale the data")
        free = [self.bias**2 * self.mass] if self.intercept else []
        self.squares = np.append(squares, free)

    @cached_property
    def own_rows(self) -> Any:
        """The rows, without an appended column that is no feature."""
        rows: Any = self.rows
        rows = rows.by_rows if isinstance(rows, ColumnOrder) else rows
        return rows.with_bias(-1.0) if self.intercept else rows

    @cached_property
    def stored(self) -> Any:
        """Sparse rows in float64, with the appended column that is a feature, by columns."""
        return csr_of(scaled_columns(self.own_rows, np.ones(len(self.costs)))).T

    def parts(self) -> Iterator[tuple[slice, Any]]:
        """The rows in float64, with the appended column that is a feature, some at a time."""
        if not self.rows.is_dense:
            yield slice(None), self.stored
            return
        for begin in range(0, len(self.values), CHUNK):
            some = slice(begin, begin + CHUNK)
            part = self.values[some].astype(np.float64, copy=False)
            if self.width > part.shape[1]:
                part = np.column_stack([part, np.full(len(part), self.bias)])
            yield some, part


class AllColumns(Columns):
    """All columns at once: few, whose products are sums over the rows, which are not copied."""

    takes_all = True

    def begin(self) -> Array:
        costs, weighed = self.costs, self.costs * self.errors
        linear, self.totals = np.zeros(self.width), np.zeros(self.width)
        for some, part in self.parts():
            linear += weighed[some] @ part
            if self.intercept:
                self.totals += costs[some] @ part
        self.centre = self.totals / self.mass
        gram = self._products()
        squares = gram.diagonal().copy()
        self.squares_known(squares)
        if self.intercept:
            gram -= self.centre[:, np.newaxis] * self.totals
            if not (gram.diagonal() * MAX_LOST >= squares).all():
                gram = self._products(self.centre)
                idle = gram.diagonal() <= MANY_ROUNDINGS * squares
                gram[idle], gram[:, idle] = 0.0, 0.0
        self.gram = gram
        self.is_usable = gram.diagonal() > 0
        return linear

    def _products(self, means: Any = None) -> Array:
        """Σ_i c_i x_i x_i', of rows less the means."""
        if not self.rows.is_dense:
            free = () if means is None else (np.ones(len(self.costs)),)
            return Hessian(self.own_rows, self.costs, free).matrix()
        roots, d = self.costs, self.width
        are_equal, gram = bool((roots == roots[0]).all()), np.zeros((d, d))
        if not are_equal:
            roots = np.sqrt(roots)
        for some, part in self.parts():
            check_time()
            if means is not None:
                part = part - means
            if not are_equal:
                part = roots[some, np.newaxis] * part
            gram += part.T @ part  # of one array: BLAS computes a half of it
        return roots[0] * gram if are_equal else gram

    def add(self, new: NDArray[np.intp]) -> Array:
        return self.gram if len(new) == self.width else self.gram[new]


class TakenColumns(Columns):
    """Many columns, of which those of a working set are copied."""

    def begin(self) -> Array:
        costs, errors = self.costs, self.errors
        rows: Any = self.rows
        if isinstance(rows, ColumnOrder) and (costs == costs[0]).all():
            pulls, totals, spread = costs[0] * self._moments(rows)
        else:
            given = self.own_rows, costs, errors, self.intercept
            pulls, totals, spread = products_and_moments(*given)
        self.totals, self.centre = totals, totals / self.mass
        self.squares_known(spread + self.centre * totals)
        self.is_usable = spread > MANY_ROUNDINGS * self.squares[: self.width]
        self.root = np.sqrt(costs)
        self.lines = DenseLines(
            self.values, self.root, self.centre, self.root * errors, max(self.bias, 0.0)
        )
        self.at_zero = pulls
        return np.array(pulls)

    def _moments(self, rows: ColumnOrder) -> Array:
        """Products with the errors, sums, and sums of squares, about the mean beside a free
        intercept.
        """
        totals, spread = rows.moments
        pulls = rows.products(self.errors)
        if pulls is None:
            pulls = self._products(self.errors)
        found = np.array([pulls, totals, spread])
        if not self.intercept:
            found[2] += totals**2 / len(self.costs)
            found[1] = 0.0
            if self.bias >= 0:
                last = self.bias * self.errors.sum(), 0.0, self.bias**2 * len(self.costs)
                found = np.column_stack([found, last])
        return found

    def _products(self, weighed: Array) -> Array:
        """Σ_i a_i x_i, without the appended column."""
        if self.values.dtype == np.float64:
            return np.asarray(weighed @ self.values)
        pulls = np.zeros(self.values.shape[1])
        for some, part in self.parts():
            pulls += weighed[some] @ part[:, : len(pulls)]
        return pulls

    def add(self, new: NDArray[np.intp]) -> Array:
        return self.lines.add(new)

    def left(self, w: Array, errors: Array) -> tuple[Array, Array]:
        if errors is self.errors and not w.any():
            return errors.copy(), self.at_zero.copy()
        residual = self.lines.residual(w, self.root * errors)
        residual = np.divide(residual, self.root, out=residual, where=self.root > 0)
        weighed = self.costs * residual
        pulls = self._products(weighed)
        if self.width > len(pulls):
            pulls = np.append(pulls, self.bias * weighed.sum())
        return residual, pulls
