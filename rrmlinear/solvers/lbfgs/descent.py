"""L-BFGS for several problems at once: the same examples under several costs, for rising C."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.blas import one_blas_thread
from rrmlinear.core.deadline import TimeIsUpError
from rrmlinear.data.array_rows import csr_of
from rrmlinear.data.rows import Rows
from rrmlinear.risks.products import Products
from rrmlinear.solvers.lbfgs._classes import sums, times
from rrmlinear.solvers.lbfgs.metric import Metric
from rrmlinear.solvers.lbfgs.pairs import PAIRS, Pairs
from rrmlinear.solvers.loop.tolerances import LOSS_ROUNDING, MAX_TRIALS
from rrmlinear.solvers.second_order.work import STEP_COST, visit_work

Array = NDArray[np.float64]

# A step is taken where the objective falls by LEAST_FALL times the fall along the tangent. A rise
# within LOSS_ROUNDING of the objective counts as no rise. Else it is shortened to at least and at
# most these parts. Where it falls at the end by more than MOST_PART of the slope at the beginning,
# the step is made longer, by at most 1 / LEAST_PART.
LEAST_FALL = 1e-4
LEAST_PART, MOST_PART = 0.1, 0.5
# A step is slow where the gap after it is more than SLOW times the gap before.
SLOW = 0.2


class Descent:
    """minimize ½‖w‖² + C F_f(w) for each problem f, F_f smooth, convex, and of scores X w.

    A step goes along −H g, H by the `Pairs` of the problem about a `Metric`. Where the metric is a
    second derivative of an earlier point, few steps suffice for each C. A step takes one product of
    scores, as these are linear along it, a look at them for each trial, and one gradient. All
    problems read the data together. A gap of at most ``tolerance`` of the objective proves each
    solution: ½‖w − C v‖² for v = −∇F_f(w), and what a subclass adds. ``most`` limits the steps for
    one C. Source: Liu and Nocedal, On the limited memory BFGS method for large scale optimization,
    1989.

    A subclass looks at the scores of a problem (`_look`).
    """

    def __init__(
        self,
        shape: tuple[int, int],
        n_scores: int,
        metric: Metric,
        tolerance: float,
        most: int,
        pairs: int = PAIRS,
    ) -> None:
        """``shape``: problems, and weights of each."""
        self.metric, self.tolerance, self.most = metric, tolerance, min(most, MAX_TRIALS)
        self.weights, self.gradients = np.zeros((2, *shape))
        #: X w, without intercepts.
        self.scores = np.zeros((shape[0], n_scores))
        #: v = −∇F at the weights, F, and what balanced duals cost the dual over C.
        self.sums, (self.losses, self.excess) = np.zeros(shape), np.zeros((2, shape[0]))
        self.balanced = np.ones(shape[0], dtype=bool)
        self.pairs = [Pairs(shape[1], pairs) for _ in range(shape[0])]
        #: The time of a step, and that of the slow ones of each problem since its metric was made.
        self.step_time, self.slow = metric.solve_time, np.zeros(shape[0])
        #: The lengths of the last steps, and of all that scores are sums of.
        self.moved, self.spans = np.zeros((2, shape[0]))
        #: The gaps before the last step, and the C of the pairs.
        self.last, self.cost = np.full(shape[0], np.inf), 0.0
        #: C, weights and scores at the ends of the last two C.
        self.ends: list[tuple[float, Array, Array]] = []
        self.begun = False

    def _look(self, f: int) -> None:
        """The loss and the duals of a problem at its scores."""
        raise TypeError(f"{type(self).__name__} does not look at scores")

    def _slope(self, f: int, moves: Array) -> float:
        """The derivative of F along moves of the scores; NaN where one more look takes long."""
        return math.nan

    def _products(self, some: NDArray[np.intp], vectors: Sequence[Array]) -> Array:
        """X w for each w."""
        raise TypeError(f"{type(self).__name__} does not say its scores")

    def _take_sums(self, some: NDArray[np.intp]) -> None:
        """Take v of these problems, at the duals that were seen last."""
        raise TypeError(f"{type(self).__name__} does not say its gradients")

    def _curvatures(self, f: int) -> Array:
        """What the metric takes as second derivatives of a problem, a number for each score."""
        raise TypeError(f"{type(self).__name__} does not say its curvatures")

    def solve(self, C: float) -> NDArray[np.bool_]:
        """Go on to this C; which problems are proved. Weights of others are not to be used."""
        with one_blas_thread(), np.errstate(all="ignore"):
            try:
                return self._solve(C)
            except (FloatingPointError, np.linalg.LinAlgError):  # numbers have overflowed
                return np.zeros(len(self.weights), dtype=bool)

    def _solve(self, C: float) -> NDArray[np.bool_]:
        if not self.begun:
            self.begin_at(None)
        if len(self.ends) == 2:
            self._predict(C)
        self.last[:] = np.inf
        for _ in range(self.most):
            tangents = self.tangents(C)
            _, objectives, gaps = tangents
            is_open = ~(gaps <= self.tolerance * objectives)
            some = np.flatnonzero(is_open)
            if not len(some) or not np.isfinite(objectives).all():
                break
            self.improve(C, some, tangents)
        if not self.metric.follows_cost and not (self.ends and self.ends[-1][0] >= C):
            self.ends = [*self.ends[-1:], (C, self.weights.copy(), self.scores.copy())]
        return np.asarray(~is_open & self.balanced & np.isfinite(objectives))

    def begin_at(self, weights: Array | None) -> None:
        """Begin at weights of other problems, such as those of a sample, or at 0."""
        every = np.arange(len(self.weights))
        if weights is not None:
            self.weights[:] = weights
            self.scores[:] = self._products(every, list(self.weights))
            self.spans += np.sqrt(2 * _halves(self.weights))
        for f in every.tolist():
            self._look(f)
        self._take_sums(every)
        self.begun = True

    def tangents(self, C: float) -> tuple[Array, Array, Array]:
        """Gradients, in memory that serves the next time too, objectives and gaps."""
        gradients = np.multiply(self.sums, -C, out=self.gradients)
        gradients += self.weights
        objectives = _halves(self.weights) + C * self.losses
        return gradients, objectives, _halves(gradients) + C * self.excess

    def improve(self, C: float, some: NDArray[np.intp], tangents: tuple[Array, ...]) -> None:
        """A step of some problems, from what `tangents` told last. Second derivatives are made anew
        where steps were slow.
        """
        gradients, objectives, gaps = tangents
        self.slow[some[self._are_slow(objectives, gaps)[some]]] += self.step_time
        renewed = self.metric.renewed(C, self.slow, self._curvatures)
        self.slow[renewed], self.last = 0.0, gaps
        for f in renewed.tolist():
            self.pairs[f].forget()
        if self.cost != C:
            for pairs in self.pairs:
                pairs.rescale(C / self.cost if self.cost else 1.0)
            self.cost = C
        directions = [
            self.pairs[f].direction(gradients[f], self.metric.solver(C, f)) for f in some.tolist()
        ]
        moves = self._products(some, directions)
        self._step(C, some, directions, moves, gradients, objectives)

    def _are_slow(self, objectives: Array, gaps: Array) -> NDArray[np.bool_]:
        """Which problems had a slow last step, and at its pace have steps left that take longer
        than a second derivative.
        """
        with np.errstate(all="ignore"):
            pace = np.log(self.last / gaps)
            steps = np.log(gaps / (self.tolerance * objectives))
        takes_long = ~(steps * self.step_time <= self.metric.time * pace)
        return (gaps > SLOW * self.last) & takes_long

    def _predict(self, C: float) -> None:
        """Go on along the line through the ends of the last two C, over log C."""
        (first, weights, scores), (second, *_) = self.ends
        ahead = math.log(C / second) / math.log(second / first)
        gradients, objectives, _ = self.tangents(C)
        directions = ahead * (self.weights - weights)
        falls = np.einsum("fj,fj->f", directions, gradients) < 0
        some = np.flatnonzero(falls)
        moves = ahead * (self.scores[some] - scores[some])
        self._step(C, some, list(directions[some]), moves, gradients, objectives)

    def _step(
        self,
        C: float,
        some: NDArray[np.intp],
        directions: list[Array],
        moves: Array,
        gradients: Array,
        before: Array,
    ) -> None:
        """A step of some problems that lowers their objectives, which were those ``before``; the
        ``moves`` of the scores are those of the directions.
        """
        for i, f in enumerate(some.tolist()):
            slope = float(directions[i] @ gradients[f])
            t = self._search(C, f, directions[i], moves[i], slope, float(before[f]))
            if t != 1:
                directions[i] *= t
        self._take_sums(some)
        for i, f in enumerate(some.tolist()):
            pairs, y = self.pairs[f], gradients[f]
            np.subtract(self.weights[f], y, out=y)
            y -= np.multiply(self.sums[f], C, out=pairs.double)
            if pairs.add(directions[i], y):
                self.metric.learn(f, directions[i], y)

    def _search(
        self, C: float, f: int, direction: Array, moves: Array, slope: float, before: float
    ) -> float:
        """The t of a step along t times the direction that lowers the objective enough. Where it
        still falls steeply at t = 1, the secant's t is tried too.
        """
        t, w, scores = 1.0, self.weights[f], self.scores[f]
        length = math.sqrt(direction @ direction)
        self.spans[f] += length
        w += direction
        scores += moves
        for _ in range(MAX_TRIALS):
            try:
                self._look(f)
            except TimeIsUpError:
                w -= t * direction
                scores -= t * moves
                raise
            change, fall = float(w @ w) / 2 + C * float(self.losses[f]) - before, t * slope
            if change <= LEAST_FALL * fall + LOSS_ROUNDING * before:
                left = float(w @ direction) + C * self._slope(f, moves) if t == 1 else 0.0
                if not left < MOST_PART * slope:
                    break
                part = 1 / max(1 - left / slope, LEAST_PART)
            else:
                part = -fall / (2 * (change - fall))  # nan where the objective overflows
                part = min(max(part, LEAST_PART), MOST_PART) if part > 0 else LEAST_PART
            w -= (t - part * t) * direction
            scores -= (t - part * t) * moves
            self.spans[f] += abs(t - part * t) * length
            t *= part
        self.moved[f] = t * length
        return t


class How(NamedTuple):
    """Whether intercepts are free, and the rules of a descent about a metric."""

    free: bool
    tolerance: float
    most: int
    metric: Metric


class RowDescent(Descent):
    """A `Descent` over rows in memory, with a number c_i α_i for each score (``pulls``)."""

    def __init__(self, rows: Rows, costs: Array, how: How, columns: int = 1) -> None:
        """``costs`` has a row for each problem, whose weights are ``columns`` × d."""
        n = rows.shape[0]
        shape = len(costs), columns * rows.width
        super().__init__(shape, columns * n, how.metric, how.tolerance, how.most)
        self.rows, self.free, self.costs = rows, how.free, np.ascontiguousarray(costs)
        self.pulls = np.zeros((len(costs), columns * n))
        self.matrix: Any = None if rows.is_dense else csr_of(rows)
        is_one = rows.is_dense and columns == len(costs) == 1
        self.one = Products(rows, np.ones(n), 0, 1) if is_one else None
        self.step_time += STEP_COST + n * visit_work(rows.n_stored / max(n, 1), columns)

    def _slope(self, f: int, moves: Array) -> float:
        return -float(self.pulls[f] @ moves)

    def _products(self, some: NDArray[np.intp], vectors: Sequence[Array]) -> Array:
        if self.one is not None:
            return np.array([self.one.scores(vectors[0])])
        rows, flat = self.rows, np.reshape(vectors, (-1, self.rows.width))
        w = flat[:, : rows.n_features]
        found = times(rows, w) if rows.is_dense else np.asarray((self.matrix @ w.T).T)
        if rows.bias >= 0:
            found += rows.bias * flat[:, -1:]
        return found.reshape(len(some), self.scores.shape[1])

    def _take_sums(self, some: NDArray[np.intp]) -> None:
        if self.one is not None:
            self.sums[0] = self.one.adjoint(self.pulls[0])
            return
        pulls = self.pulls if len(some) == len(self.pulls) else self.pulls[some]
        rows, flat = self.rows, pulls.reshape(-1, self.rows.shape[0])
        found = sums(rows, flat) if rows.is_dense else np.asarray((self.matrix.T @ flat.T).T)
        if rows.bias >= 0:
            found = np.column_stack([found, rows.bias * flat.sum(axis=1)])
        self.sums[some] = found.reshape(len(some), self.sums.shape[1])


def _halves(vectors: Array) -> Array:
    return np.einsum("fj,fj->f", vectors, vectors) / 2


def suits(rows: Rows) -> bool:
    """Whether all rows are in memory, and none overflows."""
    return rows.blocks is None and math.isfinite(rows.largest_square())
