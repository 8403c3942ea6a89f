"""The same problem under several costs of its examples, for rising C: folds of cross validation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.blas import one_blas_thread
from rrmlinear.data.array_rows import csr_of
from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.risks.conditions.balance import Side, root
from rrmlinear.risks.conditions.intercept import BALANCE_ROUNDING
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.terms import ScalarTerms
from rrmlinear.solvers.second_order._triangles import solved_by_factor
from rrmlinear.solvers.second_order.paths._dense_products import sums, times
from rrmlinear.solvers.second_order.paths.path_curvatures import Curvature
from rrmlinear.solvers.second_order.paths.remembered_pairs import RememberedPairs

Array = NDArray[np.float64]

# Steps for one C before a problem is given up, and trials of a step.
MAX_STEPS, MAX_TRIALS = 100, 40
# A step is taken where the objective falls by LEAST_FALL times the fall along the tangent. A rise
# within ROUNDING of the objective counts as no rise.
LEAST_FALL, ROUNDING = 1e-4, 1e-13
# The sum of duals that counts as 0, relative to that of their sizes.
BALANCE = 1e-12
# A step is slow where the gap after it is more than SLOW times the gap before.
SLOW = 0.2
# Nanoseconds of a step for each stored value and problem, and for each example and problem.
VALUE_TIME, EXAMPLE_TIME = 0.36, 6.0


class FoldPaths:
    """minimize ½‖w‖² + C Σ_i c_fi φ(x_i'w + b, y_i) over w and b, for each row c_f of ``costs``.

    φ is smooth, and b is 0 unless it is ``free``. L-BFGS begins from the second derivative at an
    earlier point and another C, in place of a multiple of the unit matrix. A few steps then suffice
    for each C, and most C need no new second derivative. All problems read the data together. A gap
    of at most ``tolerance`` of the objective proves each solution. The duals are α = −φ' at w and
    the best b for w, and the gap is ½‖w − C Σ_i c_i α_i x_i‖². Source: Liu and Nocedal, On the
    limited memory BFGS method for large scale optimization, 1989.

    Where there are few examples, ``factor`` is L with L L' = X X' (`cholesky_factor`). Every w has
    a u with L u = X w and ‖u‖ ≤ ‖w‖, and equality for w = X'β, u = L'β: so the weights are those of
    the rows of L. ``most`` limits the steps for one C.
    """

    def __init__(
        self,
        rows: Rows,
        loss: ScalarLoss,
        y: Array,
        costs: Array,
        free: bool,
        tolerance: float,
        most: int,
        curvature: Curvature,
        factor: Array | None = None,
    ) -> None:
        n = rows.shape[0]
        self.given, self.factor = rows, factor
        used = rows if factor is None else Rows(factor, None, None, n)
        self._begin(used, costs, free, tolerance, most, curvature)
        self.terms = [ScalarTerms(loss, y, each) for each in self.costs]
        self.intercepts = np.zeros(len(costs))
        self.rates = self.costs.sum(axis=1) / max(loss.smoothing, 1.0)
        self.step_time = VALUE_TIME * used.n_stored + EXAMPLE_TIME * n + curvature.solve_time

    def _begin(
        self,
        rows: Rows,
        costs: Array,
        free: bool,
        tolerance: float,
        most: int,
        curvature: Curvature,
        columns: int = 1,
    ) -> None:
        """Weights of 0, and what all kinds of problems have."""
        self.rows, self.curvature = rows, curvature
        self.free, self.tolerance, self.most = free, tolerance, min(most, MAX_STEPS)
        n, count = rows.shape[0], len(costs)
        d, m = columns * rows.width, columns * n
        self.costs = np.ascontiguousarray(costs)
        self.weights = np.zeros((count, d))
        #: X w, without b.
        self.scores = np.zeros((count, m))
        #: c_i α_i, Σ c_i α_i x_i and Σ c_i φ, at the weights.
        self.pulls, self.sums = np.zeros((count, m)), np.zeros((count, d))
        self.losses, self.balanced = np.zeros(count), np.ones(count, dtype=bool)
        self.pairs = RememberedPairs((count, d))
        #: The time that slow steps of each problem took since its curvature was made.
        self.slow = np.zeros(count)
        #: The gaps before the last step.
        self.last = np.full(count, np.inf)
        self.matrix: Any = None if rows.is_dense else csr_of(rows)
        #: C, weights and scores at the ends of the last two problems.
        self.ends: list[tuple[float, Array, Array]] = []
        self.begun = False

    def coefs(self, f: int) -> Array:
        """The weights of the features in problem f."""
        if self.factor is None:
            return self.weights[f].copy()
        u = self.weights[f]
        beta = solved_by_factor(self.factor, self.factor @ u)
        return Hessian(self.given, np.ones(len(u))).adjoint(beta)

    def held(self, f: int, examples: NDArray[np.intp]) -> Array:
        """The scores of some examples in problem f."""
        held: Array = self.scores[f, examples] + self.intercepts[f]
        return held

    def solve(self, C: float) -> NDArray[np.bool_]:
        """Go on to this C; which problems are proved. Weights of others are not to be used."""
        with one_blas_thread(), np.errstate(all="ignore"):
            try:
                return self._solve(C)
            except (FloatingPointError, np.linalg.LinAlgError):  # numbers have overflowed
                return np.zeros(len(self.costs), dtype=bool)

    def _solve(self, C: float) -> NDArray[np.bool_]:
        if not self.begun:
            self._evaluate(np.arange(len(self.costs)))
            self.begun = True
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
        if not self.curvature.follows_cost and not (self.ends and self.ends[-1][0] >= C):
            self.ends = [*self.ends[-1:], (C, self.weights.copy(), self.scores.copy())]
        return np.asarray(~is_open & self.balanced & np.isfinite(objectives))

    def improve(self, C: float, some: NDArray[np.intp], tangents: tuple[Array, ...]) -> None:
        """A step of some problems, from what `tangents` told last. Second derivatives are made anew
        where steps were slow.
        """
        gradients, objectives, gaps = tangents
        self.slow[some[self._are_slow(objectives, gaps)[some]]] += self.step_time
        renewed = self.curvature.renewed(C, self.slow, self._curvatures)
        self.slow[renewed] = 0.0
        self.pairs.forget(renewed)
        self.last = gaps
        directions = self.pairs.directions(C, some, gradients[some], self.curvature)
        moves = self._products(directions)
        self._step(C, some, directions, moves, gradients, objectives)

    def _are_slow(self, objectives: Array, gaps: Array) -> NDArray[np.bool_]:
        """Which problems had a slow last step, and at its pace have steps left that take longer
        than a second derivative.
        """
        with np.errstate(all="ignore"):
            pace = np.log(self.last / gaps)
            steps = np.log(gaps / (self.tolerance * objectives))
        takes_long = ~(steps * self.step_time <= self.curvature.time * pace)
        return (gaps > SLOW * self.last) & takes_long

    def begin_at(self, weights: Array | float, intercepts: Array | float) -> None:
        """Begin at weights and intercepts of other problems, such as those of a sample."""
        self.weights[:], self.intercepts[:] = weights, intercepts
        self.scores[:] = self._products(self.weights)
        self._evaluate(np.arange(len(self.costs)))
        self.begun = True

    @staticmethod
    def _squares(vectors: Array) -> Array:
        return np.einsum("fj,fj->f", vectors, vectors) / 2

    def tangents(self, C: float) -> tuple[Array, Array, Array]:
        """Gradients, objectives and gaps."""
        gradients = self.weights - C * self.sums
        objectives = self._squares(self.weights) + C * self.losses
        return gradients, objectives, self._gaps(C, gradients)

    def _gaps(self, C: float, gradients: Array) -> Array:
        """The gaps at these gradients: ½‖w − C Σ c_i α_i x_i‖²."""
        return self._squares(gradients)

    def _predict(self, C: float) -> None:
        """Go on along the line through the ends of the last two problems, over log C."""
        (first, weights, scores), (second, *_) = self.ends
        ahead = math.log(C / second) / math.log(second / first)
        gradients, objectives, _ = self.tangents(C)
        directions = ahead * (self.weights - weights)
        falls = np.einsum("fj,fj->f", directions, gradients) < 0
        some = np.flatnonzero(falls)
        moves = ahead * (self.scores[some] - scores[some])
        self._step(C, some, directions[some], moves, gradients, objectives)

    def _step(
        self,
        C: float,
        some: NDArray[np.intp],
        directions: Array,
        moves: Array,
        gradients: Array,
        before: Array,
    ) -> None:
        """A step of some problems that lowers their objectives, which were those ``before``; the
        ``moves`` of the scores are those of the directions.
        """
        slopes = np.einsum("fj,fj->f", directions, gradients[some])
        old, begin = self.sums[some], self.weights[some]
        t, trying = np.ones(len(some)), np.arange(len(some))
        self.scores[self._places(some)] += moves
        for _ in range(MAX_TRIALS):
            chosen = some[trying]
            self.weights[chosen] = begin[trying] + t[trying, np.newaxis] * directions[trying]
            self._evaluate(chosen, sums=False)
            after = self._squares(self.weights[chosen]) + C * self.losses[chosen]
            most = LEAST_FALL * t[trying] * slopes[trying] + ROUNDING * before[chosen]
            trying = trying[~(after - before[chosen] <= most)]
            if not len(trying):
                break
            self.scores[some[trying]] -= (t[trying] / 2)[:, np.newaxis] * moves[trying]
            t[trying] /= 2
        self.sums[some] = self._gradients(self.pulls[self._places(some)])
        self.pairs.add(some, t[:, np.newaxis] * directions, self.sums[some] - old)

    def _places(self, some: NDArray[np.intp]) -> NDArray[np.intp] | slice:
        """These problems; a slice where they are all, so that their arrays are not copied."""
        return slice(None) if len(some) == len(self.scores) else some

    def _evaluate(self, some: NDArray[np.intp], sums: bool = True) -> None:
        """The duals, the losses and the intercepts at the scores of some problems."""
        for f in some.tolist():
            terms, scores = self.terms[f], self.scores[f]
            if self.free:
                look = self._look_at(terms, scores)
                b, rate = float(self.intercepts[f]), float(self.rates[f])
                at, _, self.rates[f] = root(look, b, rate, BALANCE)
                self.intercepts[f] = at.b
                self.balanced[f] = abs(at.sum) <= BALANCE_ROUNDING * at.size
            self.losses[f] = terms.pulls(scores, float(self.intercepts[f]), self.pulls[f])
        if sums:
            self.sums[some] = self._gradients(self.pulls[self._places(some)])

    @staticmethod
    def _look_at(terms: ScalarTerms, scores: Array) -> Any:
        def look(b: float) -> tuple[float, float]:
            total, size = terms.sums(scores, b)
            return -total, size

        return lambda b: Side(b, lambda b: terms.derivatives(scores + b), terms.costs, look)

    def _curvatures(self, f: int) -> Array:
        return self.terms[f].curvatures(self.scores[f] + self.intercepts[f])

    def _products(self, weights: Array) -> Array:
        """X w for each row w."""
        if not self.rows.is_dense:
            return np.asarray((self.matrix @ weights.T).T)
        return times(self.rows, weights)

    def _gradients(self, pulls: Array) -> Array:
        """Σ_i a_i x_i for each row a."""
        if not self.rows.is_dense:
            return np.asarray((self.matrix.T @ pulls.T).T)
        return sums(self.rows, pulls)
