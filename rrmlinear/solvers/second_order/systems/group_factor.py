"""Newton systems with the curvature of groups, whose factor is as small as the active terms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.group_curvatures import GroupCurvature
from rrmlinear.solvers.second_order.factors import Factor

Array = NDArray[np.float64]


class GroupFactor:
    """Solves (K + Z'Z) x = b, K = K₀ + R'R a `GroupCurvature`, by a factor of I + Y K₀⁻¹ Y'.

    The rows of Y are those of Z, which is that of the Hessian, and of R.
    """

    def __init__(self, hessian: Any, curvature: GroupCurvature) -> None:
        self.hessian, self.curvature = hessian, curvature
        self.line = curvature.inverse_line()
        line, rows, p = self.line, curvature.rows, hessian.size
        matrix = np.empty((p + len(rows), p + len(rows)))
        products = self._products_by_groups()
        matrix[:p, :p] = hessian.gram(1 / curvature.diagonal) if p else 0.0
        matrix[:p, :p] += products @ products.T
        for at, row in enumerate(rows):
            there = curvature.solved(row, line)
            matrix[p + at, :p] = matrix[:p, p + at] = hessian.times(there) if p else 0.0
            matrix[p + at, p:] = rows @ there
        matrix.flat[:: len(matrix) + 1] += 1.0
        self.factor = Factor(matrix)

    def solve(self, b: Array) -> Array:
        """(K + Z'Z)⁻¹ b."""
        hessian, curvature, line, p = self.hessian, self.curvature, self.line, self.hessian.size
        first = curvature.solved(b, line)
        terms = self.factor.solve(np.concatenate((hessian.times(first), curvature.rows @ first)))
        rest = hessian.adjoint(terms[:p]) + terms[p:] @ curvature.rows
        return first - curvature.solved(rest, line)

    def _products_by_groups(self) -> Array:
        """Z v_g for each group g, as columns."""
        hessian, curvature, line = self.hessian, self.curvature, self.line
        p, count = hessian.size, len(curvature.margins)
        used = np.flatnonzero(line)
        if count <= p:
            result = np.empty((p, count))
            for g in range(count):
                result[:, g] = hessian.times(np.where(curvature.group == g, line, 0.0))
            return result
        result = np.zeros((p, count))
        for t in range(p):
            row = hessian.adjoint(np.eye(1, p, t)[0])
            result[t] = np.bincount(curvature.group[used], (row * line)[used], count)
        return result
