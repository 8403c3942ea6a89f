"""Second derivatives of sums over groups: a diagonal less a product of a vector for each group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class GroupCurvature:
    """K = diag(d) − Σ_g u_g u_g' + R'R, positive definite, over n weights.

    u_g holds the entries of ``line`` in group g and 0 elsewhere; ``group`` has the group of each
    weight. ``margins`` are the 1 − Σ_j u_j²/d_j of the groups, which sums would lose to rounding:
    they are those of the d given, with no R. ``rows`` is R, or None.
    """

    def __init__(
        self,
        diagonal: Array,
        line: Array,
        group: NDArray[np.intp],
        margins: Array,
        rows: Array | None = None,
    ) -> None:
        self.diagonal, self.line, self.group, self.margins = diagonal, line, group, margins
        self.rows = np.empty((0, len(diagonal))) if rows is None else rows

    def plus(self, diagonal: Array | float) -> GroupCurvature:
        """The sum with a further diagonal, at least 0."""
        total = self.diagonal + diagonal
        freed = self._summed(self.line**2 / self.diagonal * (diagonal / total))
        return GroupCurvature(total, self.line, self.group, self.margins + freed, self.rows)

    def _summed(self, x: Array) -> Array:
        return np.asarray(np.bincount(self.group, x, len(self.margins)), dtype=np.float64)

    def product(self, x: Array) -> Array:
        """K x."""
        along = self._summed(self.line * x)[self.group]
        return self.diagonal * x - self.line * along + (self.rows @ x) @ self.rows

    def matrix(self) -> Array:
        """K."""
        same = self.group[:, np.newaxis] == self.group
        result = np.where(same, -np.outer(self.line, self.line), 0.0)
        result += self.rows.T @ self.rows
        result.flat[:: len(result) + 1] += self.diagonal
        return result

    def inverse_line(self) -> Array:
        """v with K⁻¹ = diag(1/d) + Σ_g v_g v_g' where there is no R."""
        return self.line / self.diagonal / np.sqrt(self.margins)[self.group]
