"""Newton systems with the curvature of groups, whose factor is as small as the active terms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.blas import linear_algebra
from rrmlinear.regularizers.group_curvatures import GroupCurvature
from rrmlinear.solvers.second_order.factors import Factor

Array = NDArray[np.float64]


# Parts of K⁻¹ that add more than this number to A are kept out of it. In A they would leave few
# digits of the rest.
MAX_INSIDE = 1e6


class GroupFactor:
    """Solves (K + Y'Y) x = b, K a `GroupCurvature` without its R, by A = I + Y G Y'.

    The rows of Y are those of Z, which is that of the Hessian, and of R. K⁻¹ is
    diag(1/d) + Σ_g v_g v_g', a sum of one column for each weight and each group. G is the part of
    the columns with small ‖Y v‖². The others, at most as many as rows, are V, and

        x = G (b − Y'a) + V c,    A a − Y V c = Y G b,    c + V'Y'a = V'b.

    V may be large, and A is not.
    """

    def __init__(self, hessian: Any, curvature: GroupCurvature) -> None:
        self.hessian, self.rows, p = hessian, curvature.rows, hessian.size
        group, n = curvature.group, len(curvature.diagonal)
        self.group, self.line = group, curvature.inverse_line()
        self.inverse = 1 / curvature.diagonal
        csr = linear_algebra("scipy.sparse").csr_array
        count = len(curvature.margins)
        each = np.arange(n + 1)
        products = self._products(csr((self.line, group, each), shape=(n, count)))
        squares = (hessian.diagonal() if p else 0.0) + np.square(self.rows).sum(axis=0)
        squares = np.concatenate((squares * self.inverse, np.square(products).sum(axis=0)))
        large = _large(squares, len(products))
        alone, groups = large[large < n], large[large >= n] - n
        # V: a column for each large weight, then the groups
        place = np.full(count, -1)
        place[groups] = np.arange(len(groups))
        inside = place[group] >= 0
        entries = np.concatenate((np.sqrt(self.inverse[alone]), self.line[inside]))
        at = np.concatenate((alone, np.flatnonzero(inside)))
        column = np.concatenate((np.arange(len(alone)), len(alone) + place[group[inside]]))
        self.beside = csr((entries, (at, column)), shape=(n, len(large)))
        self.inverse[alone] = 0.0
        self.line = np.where(inside, 0.0, self.line)
        self.of_beside = self._products(self.beside)
        products[:, groups] = 0.0
        matrix = products @ products.T
        if p:
            matrix[:p, :p] += hessian.gram(self.inverse)
        for i, row in enumerate(self.rows, p):
            there = self.inverse * row
            if p:
                part = hessian.times(there)
                matrix[i, :p] += part
                matrix[:p, i] += part
            matrix[i, p:] += self.rows @ there
        matrix.flat[:: len(matrix) + 1] += 1.0
        self.factor = Factor(matrix)
        half = self.factor.half(self.of_beside)
        self.border = Factor(half.T @ half + np.eye(len(large)))

    def solve(self, b: Array) -> Array:
        """(K + Y'Y)⁻¹ b."""
        right = self._times(self._inside(b))
        terms = self.factor.solve(right)
        c = self.border.solve(self.beside.T @ b - self.of_beside.T @ terms)
        terms = self.factor.solve(right + self.of_beside @ c)
        p = self.hessian.size
        rest = b - self.hessian.adjoint(terms[:p]) - terms[p:] @ self.rows
        return np.asarray(self._inside(rest) + self.beside @ c)

    def _inside(self, b: Array) -> Array:
        """G b."""
        along = np.bincount(self.group, self.line * b)
        return self.inverse * b + self.line * along[self.group]

    def _times(self, x: Array) -> Array:
        """Y x."""
        return np.concatenate((self.hessian.times(x), self.rows @ x))

    def _products(self, columns: Any) -> Array:
        """Y times a sparse matrix."""
        parts = self.hessian.times_sparse(columns), self.rows @ columns
        return np.ascontiguousarray(np.concatenate(parts))


def _large(squares: Array, most: int) -> NDArray[np.intp]:
    """The places of squares above MAX_INSIDE, of the largest ``most`` if these are too many."""
    large = np.flatnonzero(squares > MAX_INSIDE)
    if len(large) > most:
        large = np.sort(large[np.argsort(-squares[large], kind="stable")[:most]])
    return large
