"""A dense matrix that lies in memory column by column."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.cached import cached_property
from rrmlinear.data.products import moments
from rrmlinear.data.rows import Rows


class ColumnOrder:
    """n rows over d features plus an appended column, as `Rows`, over an F-ordered matrix.

    ``features`` are its columns as `Rows`, over the same memory. It has what `Rows` has of
    sizes; solvers over examples take `by_rows`, a copy made when it is first asked for. The columns
    are read once for their moments and the products with ``errors``, n numbers whose sum is 0.
    """

    is_dense = True
    indices = indptr = blocks = None

    def __init__(
        self, values: NDArray[Any], bias: float = -1.0, errors: NDArray[np.float64] | None = None
    ) -> None:
        self.values, self.bias, self.errors = values, bias, errors
        self.features = Rows(values.T, None, None, values.shape[0])

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, features), without the appended column."""
        return self.values.shape[0], self.values.shape[1]

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.shape[0]

    @property
    def width(self) -> int:
        """Features and the appended column, if there is one."""
        return self.values.shape[1] + (self.bias >= 0)

    @property
    def n_stored(self) -> int:
        return self.values.size

    def with_bias(self, bias: float) -> ColumnOrder:
        """The same rows with an appended column of this value (negative: none)."""
        order = ColumnOrder(self.values, bias, self.errors)
        order._sums = self._sums
        return order

    @property
    def moments(self) -> NDArray[np.float64]:
        """The sum of each column, and the sum of squares about its mean."""
        return self._sums[:2]

    def products(self, errors: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Those of each column with these errors, if they are known."""
        known = self.errors is not None and np.array_equal(errors, self.errors)
        return self._sums[2] if known else None

    @cached_property
    def _sums(self) -> NDArray[np.float64]:
        errors = np.zeros(self.shape[0]) if self.errors is None else self.errors
        return moments(self.features.values, errors)

    @cached_property
    def by_rows(self) -> Rows:
        """The same rows, each one piece of memory."""
        return Rows(np.ascontiguousarray(self.values), None, None, self.shape[1], self.bias)
