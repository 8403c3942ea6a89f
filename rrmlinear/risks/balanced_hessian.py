"""The second derivative of losses of k scores at the best intercepts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.risks.block_hessian import BlockHessian, VectorProducts

Array = NDArray[np.float64]

# Eigenvalues of the intercepts' own part, scaled to a diagonal of 1, below this count as 0.
MIN_EIGENVALUE = 1e-13


class BalancedHessian(VectorProducts):
    """Z' P Z for the Z of a `BlockHessian` over weights and P the projection off Z_b.

    Z_b is that of k intercepts. It is the second derivative of the minimum over these: the Schur
    complement of their part in that of both. ``active`` are the arguments of the `BlockHessian`.
    """

    def __init__(self, rows: Rows, k: int, active: tuple[Any, ...]) -> None:
        self.rows, self.k, self.arguments = rows, k, active
        self.plain = BlockHessian(rows, k, *active)
        self.active = self.plain.active
        n = rows.shape[0]
        alone = Rows(np.empty(0), np.empty(0, np.int32), np.zeros(n + 1, np.int64), 0, 1.0)
        self.ones = BlockHessian(alone, k, *active)
        self.inverse = inverse_of(self.plain.of_ones())

    @property
    def size(self) -> int:
        """p, the number of rows of Z."""
        return self.plain.size

    def _projected(self, terms: Array) -> Array:
        return terms - self.ones.times(self.inverse @ self.ones.adjoint(terms))

    def times(self, p: Array) -> Array:
        """P Z p."""
        return self._projected(self.plain.times(p))

    def adjoint(self, y: Array) -> Array:
        """Z' P y."""
        return self.plain.adjoint(self._projected(y))

    def product(self, p: Array) -> Array:
        """Z' P Z p."""
        return self.adjoint(self.plain.times(p))

    def matrix(self) -> Array:
        """All of it, d·k × d·k."""
        both = BlockHessian(self.rows.with_bias(1.0), self.k, *self.arguments).matrix()
        size = self.rows.width * self.k
        beside = both[:size, size:]
        result = both[:size, :size]
        result -= beside @ self.inverse @ beside.T
        return np.ascontiguousarray(result)

    def gram(self, inverse: Array) -> Array:
        """P Z diag(g) Z' P for d·k numbers ``inverse``, g ≥ 0."""
        result = self.plain.gram(inverse)
        columns = np.column_stack([self.ones.times(unit) for unit in np.eye(self.k)])
        scaled = columns @ self.inverse
        result -= scaled @ (columns.T @ result)
        result -= (result @ columns) @ scaled.T
        return result

    def diagonal(self) -> Array:
        """The diagonal without intercepts, above its own: for preconditioners."""
        return self.plain.diagonal()

    def class_parts(self, scale: Array, most: int) -> NDArray[np.float32]:
        """The parts of each class with itself, without intercepts: for preconditioners."""
        return self.plain.class_parts(scale, most)


def inverse_of(slopes: Array) -> Array:
    """A generalized inverse."""
    diagonal = slopes.diagonal()
    root = np.divide(1, np.sqrt(diagonal), out=np.zeros(len(diagonal)), where=diagonal > 0)
    values, vectors = np.linalg.eigh(root[:, np.newaxis] * slopes * root)
    some = values > MIN_EIGENVALUE
    part = root[:, np.newaxis] * vectors[:, some]
    return np.asarray((part / values[some]) @ part.T)
