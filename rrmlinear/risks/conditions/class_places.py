"""Places in a search for the intercepts of k scores: duals, their sums by class, and the slopes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time, is_overdue
from rrmlinear.risks.block_terms import BlockTerms

Array = NDArray[np.float64]

# Duals whose sums by class are below this fraction of their size need no better intercepts.
BALANCE_ACCURACY = 1e-12
# Slopes are cheap where this number of classes of an example is active in the mean.
CHEAP_CLASSES = 40.0
# A step is taken where the rate along it has fallen to this fraction; else it is made longer by
# STEP_GROWTH, or shorter, at most MAX_TRIALS times.
RATE_DECREASE, STEP_GROWTH, MAX_TRIALS = 0.3, 4.0, 60
# A diagonal of slopes is at least this fraction of its largest entry.
MAX_MIN_SLOPE = 1e-3
# Steps longer by these factors, of which the duals take that fraction, go below the rounding of
# intercepts where the duals move evenly along them.
LONG_STEPS = (1e9, 1e6, 1e3)


class Look:
    """The duals at intercepts b, for given scores, duals before and curvatures q.

    Slopes are added up over every ``stride``-th example, which stands for as many.
    """

    def __init__(
        self, terms: BlockTerms, stride: int, scores: Array, given: Array | None, q: Array
    ) -> None:
        self.terms, self.k, self.stride = terms, scores.shape[1], stride
        self.scores, self.given, self.q = np.ascontiguousarray(scores), given, q
        self.is_cheap = self.k <= CHEAP_CLASSES

    def at(self, b: Array, slopes: bool) -> Place:
        """The place at b, with its slopes if asked for, or if they are cheap."""
        alphas = np.empty(self.scores.shape)
        matrix = np.empty((self.k, self.k)) if slopes or self.is_cheap else None
        sums, sizes, active = self.terms.steps(
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
            check_time()
            rate = float(new.sums @ step)
            if abs(rate) <= RATE_DECREASE * abs(first) or is_overdue():
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
