"""Metrics of L-BFGS: second derivatives made at some points, and used for others."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.risks.block_hessian import BlockHessian
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.loop.tolerances import SUM_ROUNDING
from rrmlinear.solvers.second_order.factors import Factor
from rrmlinear.solvers.second_order.work import BLAS_COST, matrix_work

Array = NDArray[np.float64]

# Nanoseconds of a multiplication in a system with a factor.
SOLVE_TIME = 2.5
# Slow steps take this number of times the time of a second derivative of a mean example before it
# is made anew.
PATIENCE = 3.0
# Probabilities below this one count as it in second derivatives.
LEAST_PROBABILITY = 1e-12


class Metric(Protocol):
    """I + C H of problems f, H made at some points."""

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

    def solver(self, C: float, f: int) -> Callable[[Array], Array]:
        """What gives (I + C H)⁻¹ times a vector, which it may write to, for problem f."""
        ...

    def learn(self, f: int, s: Array, y: Array) -> None:
        """The gradient of problem f has changed by y along its move s."""
        ...


class Diagonal:
    """A multiple of a diagonal for one problem, that of its last move."""

    follows_cost, solve_time, time = False, 0.0, math.inf

    def __init__(self, inverse: Array) -> None:
        self.inverse, self.scale = inverse, 1.0

    def renewed(
        self, C: float, slow: Array, curvatures: Callable[[int], Array]
    ) -> NDArray[np.intp]:
        """Nothing."""
        return np.arange(0)

    def solver(self, C: float, f: int) -> Callable[[Array], Array]:
        """See `Metric`."""
        inverse, scale = self.inverse, self.scale

        def solve(vector: Array) -> Array:
            vector *= inverse
            vector *= scale
            return vector

        return solve

    def learn(self, f: int, s: Array, y: Array) -> None:
        """See `Metric`."""
        self.scale = float(s @ y) / float(np.einsum("i,i,i->", y, y, self.inverse))


class Curvatures:
    """I + C_f H_f for each problem f, less what its intercepts take up, H_f and C_f those where it
    was made.

    For one score, or with ``of_mean``, H is A ⊗ B: B the mean of x x' weighted by how much the
    scores of an example count, A the mean of diag(p) − p p' over the classes. This has a factor of
    d × d for each class in place of one of k·d, and is H itself for one score.

    Problems that are ``alike`` share the mean H: with one score for all C, and else until it is to
    be made twice for one C. One of ``stride`` examples stands for all. H is made anew, of twice as
    many, once slow steps have taken as long as that would; a mean of several classes is made of the
    same number, once they have taken PATIENCE times as long. With ``late`` this holds for the first
    one of a single problem too, and its diagonal, by a quarter of the examples, serves until then.
    """

    def __init__(
        self,
        rows: Rows,
        count: int,
        free: bool,
        alike: bool,
        *,
        of_mean: bool = False,
        stride: int = 1,
        late: bool = False,
    ) -> None:
        self.rows, self.k, self.free, self.stride = rows, count, free, stride
        self.of_mean = of_mean or count == 1
        self.is_rough = of_mean and count > 1
        self.follows_cost, self.is_shared = alike and count == 1, alike
        width = rows.width if self.of_mean else count * rows.width
        self.solve_time = SOLVE_TIME * width**2 * (count if self.of_mean else 1)
        self.time = self._time(stride)
        #: What `_made` gives, C and the solver for it.
        self.made: dict[int, list[Any]] = {}
        self.last = 0.0
        #: Whether a diagonal still serves, and that.
        self.late, self.diagonal = late, Diagonal(np.ones(1))

    def _time(self, stride: int) -> float:
        rows, k, d = self.rows, self.k, self.rows.width
        gram = matrix_work(rows) * rows.shape[0] / stride
        if self.of_mean:
            return (PATIENCE if self.is_rough else 1.0) * (gram + k * BLAS_COST * d**3 / 3)
        return gram * k**2 / 2 + BLAS_COST * (k * d) ** 3 / 3

    def renewed(
        self, C: float, slow: Array, curvatures: Callable[[int], Array]
    ) -> NDArray[np.intp]:
        """See `Metric`."""
        count = len(slow)
        if self.late and not self.made:
            part = self._hessian(curvatures(0), 4 * self.stride)
            self.diagonal = Diagonal(1 / (1 + C * part.diagonal()))
            self.made[0] = [None, C, lambda vector: self.diagonal.solver(C, 0)(vector)]
        if self.made and slow.max() >= self.time and not self.is_rough:
            self.stride = self.stride if self.late else max(1, self.stride // 2)
            self.late = False
        if self.is_shared and (not self.made or slow.sum() >= self.time):
            self.is_shared = self.follows_cost or self.last != C
            if self.is_shared:
                mean = np.mean([curvatures(f) for f in range(count)], axis=0)
                self.made, self.last = dict.fromkeys(range(count), self._made(C, mean)), C
                return np.arange(count)
        some = [f for f in range(count) if f not in self.made or slow[f] >= self.time]
        some = [] if self.is_shared else some
        for f in some:
            self.made[f] = self._made(C, curvatures(f))
        return np.array(some, dtype=np.intp)

    def solver(self, C: float, f: int) -> Callable[[Array], Array]:
        """See `Metric`."""
        made = self.made[f]
        if self.follows_cost and made[1] != C:
            made[1:] = C, made[0](C)
        solve: Callable[[Array], Array] = made[2]
        return solve

    def learn(self, f: int, s: Array, y: Array) -> None:
        """See `Metric`."""
        if self.late:
            self.diagonal.learn(f, s, y)

    def _made(self, C: float, weighed: Array) -> list[Any]:
        self.time = self._time(max(1, self.stride if self.is_rough else self.stride // 2))
        weighed = weighed.reshape(self.k, -1)
        solver_of = self._mean(weighed) if self.of_mean else self._whole(weighed)
        return [solver_of, C, solver_of(C)]

    def _whole(self, weighed: Array) -> Callable[[float], Callable[[Array], Array]]:
        """(I + C H)⁻¹ by C, from c_i p_ij."""
        rows, k = self.rows, self.k
        active = strided(np.flatnonzero(weighed.any(axis=0)), self.stride)
        weighed = self.stride * weighed
        rates = np.maximum(weighed.T[active], LEAST_PROBABILITY)
        order = np.argsort(-rates, axis=1)
        hessian = BlockHessian(
            rows.with_bias(1.0) if self.free else rows,
            k,
            active,
            k * np.arange(len(active) + 1),
            order.astype(np.int32).ravel(),
            np.take_along_axis(rates, order, axis=1).ravel(),
        )
        d, width = self.rows.width, self.rows.width + self.free
        whole = hessian.matrix().reshape(width, k, width, k).transpose(1, 0, 3, 2)
        result = np.ascontiguousarray(whole[:, :d, :, :d]).reshape(k * d, k * d)
        if self.free:
            across = whole[:, :d, :, d].reshape(k * d, k)
            values, vectors = np.linalg.eigh(whole[:, d, :, d])
            some = values > SUM_ROUNDING * values[-1]
            half = across @ (vectors[:, some] / np.sqrt(values[some]))
            result -= half @ half.T
        return lambda C: factor_of(C, result).solve

    def _hessian(self, weights: Array, stride: int) -> Hessian:
        """Of one of ``stride`` rows with these weights."""
        chosen, part = strided(np.flatnonzero(weights), stride), np.zeros(len(weights))
        part[chosen] = stride * weights[chosen]
        return Hessian(self.rows, part, (np.ones(len(part)),) if self.free else ())

    def _mean(self, weighed: Array) -> Callable[[float], Callable[[Array], Array]]:
        """(I + C A ⊗ B)⁻¹ by C, from c_i p_ij, or c_i φ'' of one score."""
        values, vectors, moving = np.ones(1), np.ones((1, 1)), weighed[0]
        if self.k > 1:
            costs = weighed.sum(axis=0)
            p = np.divide(weighed, costs, out=np.zeros_like(weighed), where=costs > 0)
            classes = -(weighed @ p.T)
            classes.flat[:: self.k + 1] += weighed.sum(axis=1)
            moving = np.maximum(costs - np.einsum("ji,ji->i", weighed, p), 0.0)
            values, vectors = np.linalg.eigh(classes / (float(moving.sum()) or 1.0))
        features = self._hessian(moving, self.stride).matrix()

        def solver(C: float) -> Callable[[Array], Array]:
            solves = [factor_of(C * max(value, 0.0), features).solve for value in values]
            if len(solves) == 1:
                return solves[0]

            def solve(vector: Array) -> Array:
                parts = vectors.T @ vector.reshape(len(solves), -1)
                solved = [each(part) for each, part in zip(solves, parts, strict=True)]
                return (vectors @ np.array(solved)).ravel()

            return solve

        return solver


def strided(numbers: NDArray[np.intp], stride: int) -> NDArray[np.intp]:
    """One of each ``stride`` of them, at random."""
    places = np.arange(0, len(numbers) - stride + 1, stride)
    places += np.random.default_rng(0).integers(0, stride, len(places))
    return numbers[places]


def factor_of(C: float, hessian: Array) -> Factor:
    """That of I + C H."""
    matrix = C * hessian
    matrix.flat[:: len(matrix) + 1] += 1.0
    return Factor(matrix)
