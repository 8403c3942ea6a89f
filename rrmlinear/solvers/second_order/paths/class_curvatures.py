"""Second derivatives of the softmax of several classes, made at some points and used for others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.risks.block_hessian import BlockHessian
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.second_order.factors import Factor
from rrmlinear.solvers.second_order.paths.path_curvatures import (
    BLAS_TIME,
    SOLVE_TIME,
    Sample,
    factor_of,
    gram_time,
)

Array = NDArray[np.float64]

# Probabilities below this one count as it in second derivatives.
LEAST_PROBABILITY = 1e-12
# Slow steps take this number of times the time of `MeanCurvatures` before these are made anew.
PATIENCE = 3.0
# Eigenvalues of the second derivative by the intercepts, relative to the largest one.
LEAST_SLOPE = 1e-12


class ClassCurvatures:
    """I + C_f H_f for each problem f, less what its intercepts take up, H_f and C_f those where it
    was made.

    Problems are alike for small C: they share the mean H until it is to be made twice for one C.
    """

    follows_cost = False

    def __init__(
        self,
        rows: Rows,
        count: int,
        free: bool,
        sample: Sample | None = None,
        is_rough: bool = False,
    ) -> None:
        """The first one may be that of a ``sample``. Where steps are slow with it, later ones are
        of all examples, unless the problem needs a rough solution alone.
        """
        self.is_rough = is_rough
        self.rows, self.k, self.free = rows.with_bias(1.0) if free else rows, count, free
        self.sample = sample
        self.solve_time = SOLVE_TIME * (count * rows.width) ** 2
        self.time = self._time_of(rows if sample is None else sample.rows)
        self.made: dict[int, Factor] = {}
        self.is_shared, self.last = True, 0.0

    def _time_of(self, rows: Rows) -> float:
        unknowns = self.k * rows.width
        return gram_time(rows) * self.k**2 / 2 + BLAS_TIME * unknowns**3 / 3

    def renewed(
        self, C: float, slow: Array, curvatures: Callable[[int], Array]
    ) -> NDArray[np.intp]:
        """Make it for the problems whose slow steps have taken as long as that takes; these
        problems.
        """
        count = len(slow)
        is_slow = self.made and slow.max() >= self.time
        if is_slow and self.sample is not None and not self.is_rough:
            self.sample, self.time = None, self._time_of(self.rows)
        if self.is_shared and (not self.made or slow.sum() >= self.time):
            self.is_shared = self.last != C
            if self.is_shared:
                mean = np.mean([curvatures(f) for f in range(count)], axis=0)
                self.made, self.last = dict.fromkeys(range(count), self._factor(C, mean)), C
                return np.arange(count)
        some = np.flatnonzero(slow >= self.time) if not self.is_shared else np.arange(0)
        for f in some.tolist():
            self.made[f] = self._factor(C, curvatures(f))
        return some

    def _factor(self, C: float, weighed: Array) -> Factor:
        return factor_of(C, self._matrix(weighed))

    def solved(self, C: float, some: NDArray[np.intp], vectors: Array) -> Array:
        """(I + C_f H_f)⁻¹ times the vector of each of some problems."""
        each = zip(some.tolist(), vectors, strict=True)
        return np.array([self.made[f].solve(vector) for f, vector in each])

    def _matrix(self, weighed: Array) -> Array:
        """H_f for c_i p_ij, k × n."""
        weighed, rows = weighed.reshape(self.k, -1), self.rows
        if self.sample is not None:
            weighed = weighed[:, self.sample.chosen] * self.sample.factor
            rows = self.sample.rows.with_bias(rows.bias)
        active = np.flatnonzero(weighed.any(axis=0))
        rates = np.maximum(weighed.T[active], LEAST_PROBABILITY)
        order = np.argsort(-rates, axis=1)
        hessian = BlockHessian(
            rows,
            self.k,
            active,
            self.k * np.arange(len(active) + 1),
            order.astype(np.int32).ravel(),
            np.take_along_axis(rates, order, axis=1).ravel(),
        )
        d, k = self.rows.width, self.k
        whole = hessian.matrix().reshape(d, k, d, k).transpose(1, 0, 3, 2)
        d -= self.free
        result = np.ascontiguousarray(whole[:, :d, :, :d]).reshape(k * d, k * d)
        if self.free:
            across = whole[:, :d, :, d].reshape(k * d, k)
            values, vectors = np.linalg.eigh(whole[:, d, :, d])
            some = values > LEAST_SLOPE * values[-1]
            half = across @ (vectors[:, some] / np.sqrt(values[some]))
            result -= half @ half.T
        return result


class MeanCurvatures:
    """I + C A ⊗ B for one problem, near I + C H. B is the mean of x x' over the examples, weighted
    by how much their probabilities move. A is the mean of diag(p) − p p'. At weights of 0 they are
    equal.

    It has a factor of d × d for each class in place of one of k·d. A ``sample`` serves B.
    """

    follows_cost = False

    def __init__(self, rows: Rows, count: int, free: bool, sample: Sample) -> None:
        self.k, self.free, self.sample = count, free, sample
        d = rows.width
        self.solve_time = SOLVE_TIME * count * d**2
        self.time = PATIENCE * (gram_time(sample.rows) + count * BLAS_TIME * d**3 / 3)
        self.vectors, self.factors = np.zeros((0, 0)), list[Factor]()

    def renewed(
        self, C: float, slow: Array, curvatures: Callable[[int], Array]
    ) -> NDArray[np.intp]:
        """Make it where slow steps have taken several times as long as that: it is no more than
        near.
        """
        if self.factors and slow.max() < self.time:
            return np.arange(0)
        weighed = curvatures(0).reshape(self.k, -1)
        costs = weighed.sum(axis=0)
        p = np.divide(weighed, costs, out=np.zeros_like(weighed), where=costs > 0)
        classes = -(weighed @ p.T)
        classes.flat[:: self.k + 1] += weighed.sum(axis=1)
        moving = np.maximum(costs - np.einsum("ji,ji->i", weighed, p), 0.0)
        total = float(moving.sum())
        h = moving[self.sample.chosen] * self.sample.factor
        ones = (np.ones(len(h)),) if self.free else ()
        hessian = Hessian(self.sample.rows, h, ones)
        single = hessian.single_matrix()
        features = hessian.matrix() if single is None else single
        values, self.vectors = np.linalg.eigh(classes / (total or 1.0))
        self.factors = [factor_of(C * max(value, 0.0), features) for value in values]
        return np.arange(1)

    def solved(self, C: float, some: NDArray[np.intp], vectors: Array) -> Array:
        """(I + C A ⊗ B)⁻¹ times the vector."""
        parts = self.vectors.T @ vectors.reshape(self.k, -1)
        pairs = zip(self.factors, parts, strict=True)
        solved = np.array([factor.solve(part) for factor, part in pairs])
        return (self.vectors @ solved).reshape(1, -1)
