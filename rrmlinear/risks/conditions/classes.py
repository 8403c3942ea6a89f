"""Free intercepts of k scores: the duals of each class sum to 0."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time
from rrmlinear.risks.conditions.base import check_scores

Array = NDArray[np.float64]

# Σ_j |Σ_i c_i α_ij| below this fraction of Σ c_i |α_ij| counts as 0: means of many duals round too.
BALANCE_ROUNDING = 1e-10
# The search for intercepts ends at this fraction, or where PATIENCE steps bring it no nearer.
BALANCE_ACCURACY, PATIENCE = 1e-12, 2
MAX_STEPS = 200
# Slopes serve further steps while the sums fall to this fraction in each. They are cheap where this
# number of classes of an example is active in the mean.
SLOPES_DECREASE, CHEAP_CLASSES = 0.1, 40.0
# A step is taken where the rate along it has fallen to this fraction; else it is made longer by
# STEP_GROWTH, or shorter, at most MAX_TRIALS times.
RATE_DECREASE, STEP_GROWTH, MAX_TRIALS = 0.3, 4.0, 60
# Slopes, scaled to a diagonal of 1, have eigenvalues of at least the fraction of the sums that is
# not balanced, between these bounds: some classes may have no example whose duals move.
MIN_SLOPE, MAX_MIN_SLOPE = 1e-12, 1e-3
# Multiplications for the slopes of all examples; with more, each of some stands for several.
MAX_SLOPE_WORK = 2e9
# Intercepts round by this fraction, which limits the balance. Steps longer by these factors, of
# which the duals take that fraction, go below it where the duals move evenly along them.
UNIT_ROUNDING = 2.0**-52
LONG_STEPS = (1e9, 1e6, 1e3)
# A curvature is raised by at most this factor in search of duals that balance.
MAX_RISE = 1e12
# For a loss with kinks: the gap at which the duals attain F, relative to Σ c_i |α_i| (1 + |s_i|),
# and the fall of the curvature after each search for them.
ATTAINED, CURVATURE_FALL, FEW_SEARCHES = 1e-12, 10.0, 3
# A class without a cost has an intercept this far below all others, in units of the largest score.
FAR_BELOW = 10.0


@dataclass(frozen=True)
class ClassSearch:
    """The end of a search: intercepts b, Σ c_i M_i (k × k) there or near, for M_i as in
    `ClassRates`, and for losses with kinks the duals and the curvature.
    """

    b: Array
    slopes: Array | None = None
    alphas: Array | None = None
    curvature: float = 0.0

    def moved(self, shift: Array) -> ClassSearch:
        """The same from other intercepts."""
        return replace(self, b=self.b + shift)


@dataclass(frozen=True, eq=False)
class ClassBest:
    """Duals that attain F, and the intercepts."""

    alphas: Array
    intercept: Array
    warm: ClassSearch


class BalancedClasses:
    """The duals with Σ_i c_i α_ij = 0 for each class j; F is the minimum over intercepts b ∈ R^k.

    b comes from Newton's method on the smooth function of k numbers whose gradient is minus these
    sums. A loss with kinks is smoothed about the last duals until they attain F (the proximal point
    method, which ends for piecewise linear losses). Fewer ``searches`` give an upper bound of F at
    intercepts near, and duals that do not attain it.
    """

    offers = frozenset({"balance", "gram", "hessian"})

    def __init__(self, terms: Any, searches: int) -> None:
        self.searches = searches
        self.terms, self.costs = terms, terms.costs.ravel()
        if not self.costs.max(initial=0) > 0:
            raise ValueError("no example has a cost above 0")
        k = terms.shape[1]
        self.k, self.rates = k, terms.rates_of_classes
        self.absent = ~np.isin(np.arange(k), terms.labels[self.costs > 0])
        self.smooth = terms.smoothing > 0 or terms.loss.smoothing > 0
        self.stride = max(1, round(len(self.costs) * k * k / MAX_SLOPE_WORK))

    def best(self, scores: Array, warm: ClassSearch | None) -> ClassBest:
        check_scores(scores)
        first = self._first(scores, warm)
        mu = self.terms.smoothing
        if self.smooth:
            return self._search(scores, first, 0.0 if mu > 0 else None, mu)
        return self._with_kinks(scores, first, warm)

    def _with_kinks(self, scores: Array, at: ClassSearch, warm: ClassSearch | None) -> ClassBest:
        """The proximal point method: the smoothing is about the last duals, and falls."""
        alphas: Any = 0.0 if warm is None or warm.alphas is None else warm.alphas
        q = warm.curvature if warm is not None else 0.0
        q = q or float(np.abs(scores).mean()) + 1.0
        size = 1 + float(np.abs(scores).max(initial=0))
        value = self.terms.total(scores + at.b)
        best, next_q = ClassBest(np.zeros(scores.shape), at.b, replace(at, curvature=q)), q
        for number in range(self.searches):
            found, most = self._search(scores, at, alphas, q), MAX_RISE * q
            while not self.admits(found.alphas) and not best.alphas.any() and q < most:
                q *= CURVATURE_FALL  # too small: rounding of b moves duals by more than is admitted
                found = self._search(scores, at, alphas, q)
            if not self.admits(found.alphas):
                return best
            # the next call begins where few searches are enough: with less, steps are harder
            next_q = max(next_q, q) if number < FEW_SEARCHES else next_q / CURVATURE_FALL
            b, there = found.intercept, self.terms.total(scores + found.intercept)
            weighed = self.terms.costs * found.alphas
            if there < value or not best.alphas.any():
                value = min(there, value)
                b = b if there <= value else best.intercept
                best = ClassBest(found.alphas, b, ClassSearch(b, None, found.alphas, next_q))
            dual = -float(np.vdot(weighed, scores)) - self.terms.conjugate(found.alphas)
            if value - dual <= ATTAINED * max(value, float(np.abs(weighed).sum()) * size):
                return replace(best, alphas=found.alphas)
            alphas, at, q = found.alphas, ClassSearch(found.intercept), q / CURVATURE_FALL
        return best

    def dual_steps(
        self,
        scores: Array,
        alphas: Array | float,
        curvatures: Array | float,
        warm: ClassSearch | None,
    ) -> tuple[Array, ClassSearch]:
        check_scores(scores)
        first = replace(self._first(scores, warm), slopes=None)
        best = self._search(scores, first, alphas, curvatures)
        return best.alphas, best.warm

    def admits(self, alphas: Array) -> bool:
        sums, size = self.costs @ alphas, self.costs @ np.abs(alphas).sum(axis=1)
        return bool(np.abs(sums).sum() <= BALANCE_ROUNDING * size)

    def moved(self, scores: Array, best: ClassBest) -> Array:
        return scores + best.intercept

    def added(self, best: ClassBest) -> float:
        return 0.0

    def search_from(self, b: Array, last: ClassSearch | None) -> ClassSearch:
        """A search that begins at these intercepts, and otherwise where the last one ended."""
        return ClassSearch(b) if last is None else replace(last, b=b, slopes=None)

    def answer(self, best: ClassBest, sums: Array) -> Array:
        """The move of the intercepts by which Σ c_i M_i times it is these sums, to first order."""
        assert best.warm.slopes is not None
        return step_of(best.warm.slopes, sums, MIN_SLOPE, self.absent)

    def _first(self, scores: Array, warm: ClassSearch | None) -> ClassSearch:
        b = np.zeros(self.k) if warm is None else warm.b
        if self.absent.any():
            b = b.copy()
            lowest = b[~self.absent].min() if warm is not None else 0.0
            b[self.absent] = lowest - 1e3 - FAR_BELOW * np.abs(scores).max(initial=0)
        return ClassSearch(b, None if warm is None else warm.slopes)

    def _search(
        self,
        scores: Array,
        warm: ClassSearch,
        alphas: Array | float | None,
        curvatures: Array | float,
    ) -> ClassBest:
        n, k = scores.shape
        q = np.broadcast_to(np.float64(curvatures), n)
        given = None if alphas is None else np.broadcast_to(np.float64(alphas), (n, k))
        look = Look(self, scores, given, q)
        slopes, at = warm.slopes, look.at(warm.b, warm.slopes is None)
        best, waited = at, 0
        for _ in range(MAX_STEPS):
            check_time()
            if at.away <= BALANCE_ACCURACY or waited == PATIENCE:
                break
            known = at.slopes is not None
            slopes = at.slopes if at.slopes is not None else slopes
            assert slopes is not None
            step = self._step(at, slopes, q)
            if known and np.abs(step).max() <= UNIT_ROUNDING * np.abs(at.b).max():
                break
            new = look.at(at.b + step, False)
            if new.away > SLOPES_DECREASE * at.away:
                if not known:
                    at = look.at(at.b, True)
                    continue
                new = look.along(at, step, new)
                if new.slopes is None and new.away > BALANCE_ROUNDING:
                    new = look.at(new.b, True)
            waited = waited + 1 if new.away > best.away / 2 and best.away < BALANCE_ROUNDING else 0
            at = new
            best = at if at.away < best.away else best
        if best.away > BALANCE_ACCURACY and best.slopes is not None:
            best = look.beyond_rounding(best, self._step(best, best.slopes, q))
        duals = best.alphas
        if not best.size > 0 or (~self.absent).sum() == 1:
            duals = np.zeros_like(duals)
        if slopes is None or best.slopes is not None:
            slopes = best.slopes
        assert slopes is not None
        return ClassBest(duals, best.b, ClassSearch(best.b, slopes))

    def _step(self, at: Place, slopes: Array, q: Array) -> Array:
        least = min(max(at.away, MIN_SLOPE), MAX_MIN_SLOPE)
        step = step_of(slopes, at.sums, least, self.absent)
        if step.any():
            return step
        # no dual moves here: the step of as many duals as there are
        curvature = q + self.terms.loss.smoothing
        return np.where(
            self.absent, 0.0, at.sums * (curvature @ self.costs) / self.costs.sum() ** 2
        )


class Look:
    """The duals at intercepts b, for given scores, duals before and curvatures."""

    def __init__(
        self, condition: BalancedClasses, scores: Array, given: Array | None, q: Array
    ) -> None:
        self.rates, self.k, self.stride = condition.rates, condition.k, condition.stride
        self.scores, self.given, self.q = np.ascontiguousarray(scores), given, q
        self.is_cheap = condition.k <= CHEAP_CLASSES

    def at(self, b: Array, slopes: bool) -> Place:
        """The place at b, with its slopes if asked for, or if they are cheap."""
        alphas = np.empty(self.scores.shape)
        matrix = np.empty((self.k, self.k)) if slopes or self.is_cheap else None
        sums, sizes, active = self.rates.steps(
            self.scores, b, alphas, matrix, self.stride, self.given, self.q
        )
        if matrix is not None:
            self.is_cheap = active <= CHEAP_CLASSES * len(alphas)
        return Place(b, alphas, matrix, sums, float(sizes.sum()))

    def along(self, at: Place, step: Array, new: Place) -> Place:
        """A place on the line from ``at`` along a step, whose end is ``new``, at which the rate has
        fallen.
        """
        first = float(at.sums @ step)  # of the dual's rise: above 0
        t, low, high = 1.0, 0.0, np.inf
        rate_low, rate_high = first, 0.0
        for number in range(MAX_TRIALS):
            rate = float(new.sums @ step)
            if abs(rate) <= RATE_DECREASE * abs(first):
                break
            if rate > 0:
                low, rate_low = t, rate
            else:
                high, rate_high = t, rate
            if not np.isfinite(high):
                t *= STEP_GROWTH
            elif number % 3 == 2 or rate_low == rate_high:
                t = (low + high) / 2
            else:
                t = low + (high - low) * rate_low / (rate_low - rate_high)
            if not low < t < high or not np.isfinite(t):
                break
            b = at.b + t * step
            if (b == new.b).all():
                break
            new = self.at(b, False)
        return new

    def beyond_rounding(self, at: Place, step: Array) -> Place:
        """``at`` with duals that are moved by a step too short for its intercepts.

        They are between duals of two places, so that they are feasible.
        """
        best = at
        for factor in LONG_STEPS:
            if best.away <= BALANCE_ACCURACY:
                break
            far = self.at(at.b + factor * step, False)
            part = replace(
                at,
                alphas=at.alphas + (far.alphas - at.alphas) / factor,
                sums=at.sums + (far.sums - at.sums) / factor,
            )
            best = part if part.away < best.away else best
        return best


@dataclass(frozen=True, eq=False)
class Place:
    """The duals at intercepts b, their sums by class and in size, and how the sums fall with b."""

    b: Array
    alphas: Array
    slopes: Array | None
    sums: Array
    size: float

    @property
    def away(self) -> float:
        """Σ_j |Σ_i c_i α_ij| as a fraction of the size."""
        return float(np.abs(self.sums).sum()) / self.size if self.size > 0 else 0.0


def step_of(slopes: Array, sums: Array, least: float, absent: NDArray[np.bool_]) -> Array:
    """Newton's step of the intercepts, of mean 0; those of absent classes do not move.

    ``least`` bounds the eigenvalues of the slopes from below, once their diagonal is 1.
    """
    result = np.zeros(len(sums))
    free = np.flatnonzero(~absent)
    some, rest = slopes[np.ix_(free, free)], sums[free]
    diagonal = some.diagonal().copy()
    largest = diagonal.max(initial=0)
    if not largest > 0:
        return result
    root = 1 / np.sqrt(np.maximum(diagonal, MAX_MIN_SLOPE * largest))
    matrix = root[:, np.newaxis] * some * root
    values, vectors = np.linalg.eigh(matrix)
    step = root * (vectors @ ((vectors.T @ (root * rest)) / np.maximum(values, least)))
    result[free] = step - step.mean()
    return result
