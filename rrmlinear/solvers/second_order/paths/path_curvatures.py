"""Second derivatives of the problems of a path, made at some points and used for others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.second_order.factors import Factor

Array = NDArray[np.float64]

# Nanoseconds of a multiplication in the Gram matrix of dense rows, of which BLAS computes a half,
# and in others; of an entry of a matrix of examples; and of one in a system with a factor.
DENSE_GRAM_TIME, BLAS_TIME, ENTRY_TIME, SOLVE_TIME = 0.025, 0.08, 5.0, 2.5


@dataclass(frozen=True, eq=False)
class Sample:
    """Examples that stand for all: their numbers, their rows, and how many each stands for."""

    chosen: NDArray[np.int64]
    rows: Rows
    factor: int


def gram_time(rows: Rows) -> float:
    """Nanoseconds of a matrix X' D X, for each pair of scores."""
    n = rows.shape[0]
    each = DENSE_GRAM_TIME if rows.is_dense else BLAS_TIME
    return float(each * n * (rows.n_stored / max(n, 1)) ** 2)


def factor_of(C: float, hessian: Array) -> Factor:
    """That of I + C H."""
    matrix = C * hessian
    matrix.flat[:: len(matrix) + 1] += 1.0
    return Factor(matrix)


class Curvature(Protocol):
    """I + C H of problems f, made at some points."""

    #: Whether a first step leads to the weights for another C, to first order.
    follows_cost: bool
    #: Nanoseconds of a system, and of making it for one problem.
    solve_time: float
    time: float

    def renewed(
        self, C: float, slow: Array, curvatures: Callable[[int], Array]
    ) -> NDArray[np.intp]:
        """Make it at the present points for problems whose steps were ``slow``; these problems."""
        ...

    def solved(self, C: float, some: NDArray[np.intp], vectors: Array) -> Array:
        """(I + C H)⁻¹ times the vector of each of some problems."""
        ...


class SharedCurvature:
    """I + C H for all problems, H the mean of their second derivatives where it was made.

    That suits problems with many examples for each feature, which are nearly alike.
    """

    follows_cost = True

    def __init__(self, rows: Rows, free: bool) -> None:
        self.rows, self.directions = rows, (np.ones(rows.shape[0]),) if free else ()
        d = rows.shape[1]
        self.solve_time = SOLVE_TIME * d**2
        self.time = gram_time(rows) + BLAS_TIME * d**3 / 3
        self.matrix: Array | None = None
        self.factor: tuple[float, Factor] | None = None

    def renewed(
        self, C: float, slow: Array, curvatures: Callable[[int], Array]
    ) -> NDArray[np.intp]:
        """Make it at the present points, where steps that were ``slow`` have taken as long as that
        takes; the problems for which it is new.
        """
        if self.matrix is not None and slow.sum() < self.time:
            return np.arange(0)
        mean = curvatures(0)
        for f in range(1, len(slow)):
            mean += curvatures(f)
        mean /= len(slow)
        self.matrix, self.factor = self._matrix(mean), None
        return np.arange(len(slow))

    def _matrix(self, mean: Array) -> Array:
        """H for these curvatures."""
        return Hessian(self.rows, mean, self.directions).matrix()

    def solved(self, C: float, some: NDArray[np.intp], vectors: Array) -> Array:
        """(I + C H)⁻¹ times each of the vectors."""
        if self.factor is None or self.factor[0] != C:
            assert self.matrix is not None
            self.factor = C, factor_of(C, self.matrix)
        solve = self.factor[1].solve
        return np.array([solve(vector) for vector in vectors])


class OwnCurvatures:
    """I + C_f H_f for each problem f, H_f and C_f those where it was made.

    ``factor`` is L with L L' = X X' = ``products``, whose rows are the examples: the factors are
    those of matrices of examples (Woodbury). With more features than examples C times the second
    derivatives changes less along a path than these.
    """

    follows_cost = False

    def __init__(self, factor: Array, products: Array, free: bool) -> None:
        self.matrix, self.products, self.free = factor, products, free
        n = len(factor)
        self.solve_time = SOLVE_TIME * n**2
        self.time = ENTRY_TIME * n**2 + BLAS_TIME * n**3 / 3
        self.made: dict[int, tuple[NDArray[np.intp], Array, Array, Factor]] = {}

    def renewed(
        self, C: float, slow: Array, curvatures: Callable[[int], Array]
    ) -> NDArray[np.intp]:
        """The same for the problems without one, or whose slow steps have taken as long."""
        some = [f for f in range(len(slow)) if f not in self.made or slow[f] >= self.time]
        for f in some:
            h = C * curvatures(f)
            active = np.flatnonzero(h)
            roots = np.sqrt(h[active])
            matrix = self.products[np.ix_(active, active)] * roots
            matrix *= roots[:, np.newaxis]
            unit = roots / np.linalg.norm(roots) if self.free else np.zeros(len(roots))
            beside = matrix @ unit
            matrix -= np.outer(unit, beside - (unit @ beside) * unit)
            matrix -= np.outer(beside, unit)
            matrix.flat[:: len(matrix) + 1] += 1.0
            self.made[f] = active, roots, unit, Factor(matrix)
        return np.array(some, dtype=np.intp)

    def solved(self, C: float, some: NDArray[np.intp], vectors: Array) -> Array:
        """(I + C_f H_f)⁻¹ times the vector of each of some problems."""
        scores = vectors @ self.matrix.T
        for f, score in zip(some.tolist(), scores, strict=True):
            active, roots, unit, factor = self.made[f]
            z = roots * score[active]
            z = factor.solve(z - (unit @ z) * unit)
            score[:] = 0.0
            score[active] = roots * (z - (unit @ z) * unit)
        return vectors - scores @ self.matrix
