"""Free intercepts of k scores: the duals of each class sum to 0."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time, is_overdue
from rrmlinear.risks.conditions.base import Bound, check_scores
from rrmlinear.risks.conditions.class_places import (
    BALANCE_ACCURACY,
    MAX_MIN_SLOPE,
    Look,
    Place,
    step_of,
)
from rrmlinear.risks.line import BalancedLine, Line

Array = NDArray[np.float64]
Numbers = Array | float

# Σ_j |Σ_i c_i α_ij| below this fraction of Σ c_i |α_ij| counts as 0: means of many duals round too.
BALANCE_ROUNDING = 1e-10
# The search for intercepts ends where this number of steps brings it no nearer.
PATIENCE, MAX_STEPS = 2, 200
# Slopes serve further steps while the sums fall to this fraction in each.
SLOPES_DECREASE = 0.1
# Slopes have eigenvalues of at least the fraction of the sums that is not balanced, between this
# bound and MAX_MIN_SLOPE: some classes may have no example whose duals move.
MIN_SLOPE = 1e-12
# Multiplications for the slopes of all examples; with more, each of some stands for several.
MAX_SLOPE_WORK = 2e9
# Intercepts round by this fraction, which limits the balance.
UNIT_ROUNDING = 2.0**-52
# A curvature is raised by at most this factor in search of duals that balance.
MAX_RISE = 1e12
# For a loss with kinks: the gap at which the duals attain F, relative to Σ c_i |α_i| (1 + |s_i|),
# and the fall of the curvature after each search for them.
ATTAINED, CURVATURE_FALL, FEW_SEARCHES = 1e-12, 10.0, 3
# A class without a cost has an intercept this far below all others, in units of the largest score.
FAR_BELOW = 10.0


@dataclass(frozen=True)
class ClassSearch:
    """The end of a search: the intercepts b, and Σ c_i M_i (k × k) at b or near it, with M_i as in
    `BlockTerms`. For losses with kinks also the duals and the curvature.
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


class BalancedClasses(Bound):
    """The duals with Σ_i c_i α_ij = 0 for each class j; F is the minimum over intercepts b ∈ R^k.

    b comes from Newton's method on the smooth function of k numbers whose gradient is minus these
    sums. A loss with kinks is smoothed about the last duals until they attain F (the proximal point
    method, which ends for piecewise linear losses). Fewer ``searches`` give an upper bound of F at
    intercepts near, and duals that do not attain it.
    """

    offers: frozenset[Hashable] = frozenset({"balance", "gram", "hessian"})

    def __init__(self, terms: Any, searches: int) -> None:
        self.searches = searches
        self.terms, self.costs = terms, terms.costs.ravel()
        if not self.costs.max(initial=0) > 0:
            raise ValueError("no example has a cost above 0")
        k = terms.k
        self.k = k
        self.absent = ~np.isin(np.arange(k), terms.labels[self.costs > 0])
        self.smooth = terms.smoothing > 0 or terms.loss.differentiable
        self.attains = self.smooth or searches > 0
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
            if is_overdue():
                return best
            found, most = self._search(scores, at, alphas, q), MAX_RISE * q
            while not (self.admits(found.alphas) or best.alphas.any() or q >= most or is_overdue()):
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
        self, scores: Array, alphas: Numbers, curvatures: Numbers, warm: ClassSearch | None
    ) -> tuple[Array, ClassSearch]:
        check_scores(scores)
        first = replace(self._first(scores, warm), slopes=None)
        best = self._search(scores, first, alphas, curvatures)
        return best.alphas, best.warm

    def admits(self, alphas: Array) -> bool:
        sums, size = self.costs @ alphas, self.costs @ np.abs(alphas).sum(axis=1)
        return bool(np.abs(sums).sum() <= BALANCE_ROUNDING * size)

    def near(self, alphas: Array, b: Array) -> ClassBest:
        """Duals that balance, and intercepts near the best, of a search made elsewhere."""
        return ClassBest(alphas, b, ClassSearch(b))

    def search_from(self, b: Array, last: ClassSearch | None) -> ClassSearch:
        """A search that begins at these intercepts, and otherwise where the last one ended."""
        return ClassSearch(b) if last is None else replace(last, b=b, slopes=None)

    def nearby(self, at: Any, warm: ClassSearch | None) -> ClassSearch:
        """From the intercepts found there."""
        return self.search_from(at.intercept, warm)

    def line(self, at: Any, moves: Array) -> Line:
        """On a line of scores and intercepts."""
        return BalancedLine(at, moves)

    def answer(self, at: Any, moves: Array) -> Array:
        """By how much the intercepts fall where the scores change by ``moves``, to first order: the
        step by which Σ c_i M_i times it is that times the moves.
        """
        assert at.best.warm.slopes is not None
        sums = at.terms.moved(at.derivatives, moves)
        return step_of(at.best.warm.slopes, sums, MIN_SLOPE, self.absent)

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
        look = Look(self.terms, self.stride, scores, given, q)
        slopes, at = warm.slopes, look.at(warm.b, warm.slopes is None)
        best, waited = at, 0
        for _ in range(MAX_STEPS):
            check_time()
            if at.away <= BALANCE_ACCURACY or waited == PATIENCE or is_overdue():
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
