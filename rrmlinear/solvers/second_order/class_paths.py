"""The softmax of several classes under several costs of its examples, for rising C."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.risks.block_hessian import BlockHessian
from rrmlinear.risks.conditions.classes import BALANCE_ROUNDING
from rrmlinear.solvers.second_order.fold_paths import VALUE_TIME, FoldPaths
from rrmlinear.solvers.second_order.path_curvatures import (
    BLAS_TIME,
    SOLVE_TIME,
    Sample,
    factor_of,
    gram_time,
)
from rrmlinear.solvers.second_order.systems import Factor

Array = NDArray[np.float64]
Places = tuple[NDArray[np.intp], NDArray[np.intp]]

# Nanoseconds of an example of a class in a problem, for a step beside the products.
CLASS_TIME = 15.0
# Duals are balanced to first order by moves of the intercepts. A move is at most SHORT_MOVE, so
# that probabilities stay positive. All moves together may add at most LEFT_PART of the gap allowed.
SHORT_MOVE, LEFT_PART = 0.3, 0.01
# Newton's steps of the intercepts are taken up to this length. Longer ones, and those that raise
# the loss, are replaced by iterative scaling, which never raises it.
LONG_MOVE, LEAST_SUM = 10.0, 1e-300
# Steps of the intercepts at given scores.
MAX_MOVES = 30
# Probabilities below this one count as it in second derivatives.
LEAST_PROBABILITY = 1e-12
# Eigenvalues of the second derivative by the intercepts, relative to the largest one.
LEAST_SLOPE = 1e-12


class ClassPaths(FoldPaths):
    """minimize ½‖W‖² + C Σ_i c_fi (log Σ_j exp(s_ij) − s_iy_i), s = X W + b, for each row of costs.

    W is k × d here, one line after the other, and scores are k × n. All else is as in `FoldPaths`.

    Duals are y − p for the probabilities p at b, and the sums of those of each class must be 0
    where b is free. Newton's step Δ of b makes them so to first order: with Σ_j p_j Δ_j = Δ̄ the
    probabilities p_j (1 + Δ_j − Δ̄) are balanced exactly, and cost at most C Σ_i c_i Σ_j p_j
    (Δ_j − Δ̄)² of the dual: the relative entropy is below the χ² distance. So the gap is
    ½‖w − C Σ c α x‖² and that.
    """

    def __init__(
        self,
        rows: Rows,
        label: NDArray[np.intp],
        count: int,
        costs: Array,
        free: bool,
        tolerance: float,
        most: int,
        curvature: ClassCurvatures,
    ) -> None:
        self.k = count
        self._begin(rows, costs, free, tolerance, most, curvature, count)
        self.intercepts = np.zeros((len(costs), count))
        #: The places of the own classes, and Σ c_i of each class.
        self.own = label, np.arange(rows.shape[0])
        self.totals = np.array([np.bincount(label, each, count) for each in self.costs])
        self.part = LEFT_PART * tolerance
        #: What balanced duals cost the dual, over C.
        self.excess = np.zeros(len(costs))
        self.step_time = count * (VALUE_TIME * rows.n_stored + CLASS_TIME * rows.shape[0])
        self.step_time += curvature.solve_time
        #: c_i p_ij, k × n.
        self.weighed = np.zeros((len(costs), count * rows.shape[0]))

    def coefs(self, f: int) -> Array:
        """The weights of the features in problem f, k × d."""
        return self.weights[f].reshape(self.k, -1).copy()

    def held(self, f: int, examples: NDArray[np.intp]) -> Array:
        """The scores of some examples in problem f, n × k."""
        scores = self.scores[f].reshape(self.k, -1)[:, examples]
        return (scores + self.intercepts[f][:, np.newaxis]).T

    def _gaps(self, C: float, gradients: Array) -> Array:
        return self._squares(gradients) + C * self.excess

    def _evaluate(self, some: NDArray[np.intp], sums: bool = True) -> None:
        for f in some.tolist():
            self._look(f)
        if sums:
            self.sums[some] = self._gradients(self.pulls[some])

    def _look(self, f: int) -> None:
        """Duals and the loss of a problem, at intercepts that nearly balance them."""
        costs, scores = self.costs[f], self.scores[f].reshape(self.k, -1)
        b, best, scaled = self.intercepts[f], np.inf, np.zeros(self.k)
        at = _Shares(scores + b[:, np.newaxis], self.own, costs)
        move, excess = np.zeros(self.k), 0.0
        for _ in range(MAX_MOVES if self.free else 0):
            left, slopes = at.left(), at.slopes()
            move = _solved(slopes, left)
            excess, longest = float(move @ left), np.abs(move).max()
            is_met = np.abs(left - slopes @ move).sum() <= BALANCE_ROUNDING * at.size
            if is_met and longest <= SHORT_MOVE and excess <= self.part * at.loss:
                break
            if at.loss > best:  # Newton's step was too long
                b = scaled
            else:
                scaled = b + np.log(self.totals[f] / np.maximum(at.sums(), LEAST_SUM))
                best, b = at.loss, b + move if is_met and longest <= LONG_MOVE else scaled
            at = _Shares(scores + b[:, np.newaxis], self.own, costs)
        else:
            move, excess = np.zeros(self.k), np.inf if self.free else 0.0
        self.intercepts[f], self.excess[f], self.weighed[f] = b, excess, (at.p * costs).ravel()
        # less the fall along the move that is left, which else would hide that of a short step
        self.losses[f] = at.loss - (excess / 2 if np.isfinite(excess) else 0.0)
        pulls = at.pulls(move) * costs
        self.pulls[f] = pulls.ravel()
        away = np.abs(pulls.sum(axis=1)).sum()
        self.balanced[f] = not self.free or away <= BALANCE_ROUNDING * at.size

    def _curvatures(self, f: int) -> Array:
        return self.weighed[f]

    def _products(self, weights: Array) -> Array:
        flat = weights.reshape(-1, self.rows.width)
        return super()._products(flat).reshape(len(weights), self.k * self.rows.shape[0])

    def _gradients(self, pulls: Array) -> Array:
        flat = pulls.reshape(-1, self.rows.shape[0])
        return super()._gradients(flat).reshape(len(pulls), self.k * self.rows.width)


class _Shares:
    """Probabilities p at scores k × n, and what follows from them without cancellation where those
    of the own classes are nearly 1. ``own`` are the places of these classes.
    """

    def __init__(self, scores: Array, own: Places, costs: Array) -> None:
        scores -= scores.max(axis=0)
        above = scores[own]
        p = np.exp(scores, out=scores)
        share = p[own]
        p[own] = 0.0
        others = p.sum(axis=0)
        total = others + share
        p /= total
        self.own, self.costs, self.p, self.others = own, costs, p, others / total
        losses = np.where(above == 0, np.log1p(others), np.log(total) - above)
        self.loss, self.size = float(costs @ losses), 2 * float(costs @ self.others)
        #: Σ c_i p_ij over examples of other classes.
        self.wrong = p @ costs
        p[own] = share / total

    def left(self) -> Array:
        """Σ c_i (y_ij − p_ij)."""
        return self._of_own(self.others) - self.wrong

    def sums(self) -> Array:
        """Σ c_i p_ij."""
        return self._of_own(self.p[self.own]) + self.wrong

    def _of_own(self, numbers: Array) -> Array:
        return np.bincount(self.own[0], self.costs * numbers, len(self.p)).astype(np.float64)

    def slopes(self) -> Array:
        """Σ c_i (diag(p_i) − p_i p_i')."""
        result: Array = -(self.p * self.costs) @ self.p.T
        np.fill_diagonal(result, 0.0)
        np.fill_diagonal(result, -result.sum(axis=1))
        return result

    def pulls(self, move: Array) -> Array:
        """y − p after this move of the intercepts, to first order."""
        result = -self.p
        if move.any():
            result *= 1 + move[:, np.newaxis] - move @ self.p
        result[self.own] = 0.0
        result[self.own] = -result.sum(axis=0)
        return result


def _solved(slopes: Array, left: Array) -> Array:
    """The move of intercepts, of mean 0, that these slopes ask for."""
    values, vectors = np.linalg.eigh(slopes)
    some = values > LEAST_SLOPE * max(values[-1], 0.0)
    parts = (vectors.T @ left) * some
    move: Array = vectors @ np.divide(parts, values, out=np.zeros_like(parts), where=some)
    return move - move.mean()


class ClassCurvatures:
    """I + C_f H_f for each problem f, less what its intercepts take up, H_f and C_f those where it
    was made.

    Problems are alike for small C: they share the mean H until it is to be made twice for one C.
    """

    follows_cost = False

    def __init__(self, rows: Rows, count: int, free: bool, sample: Sample | None = None) -> None:
        """The first one may be that of a ``sample``. Where steps are slow with it, its later ones
        are of all examples.
        """
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
        if self.made and self.sample is not None and slow.max() >= self.time:
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
