"""The mean of the duals of many passes, whose dual value may be far above that of the last ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.dual.mean_weights import DECAY
from rrmlinear.solvers.dual.streamed.row_ascent import RowAscent

Array = NDArray[np.float64]

# The mean begins when the gap is at most FIRST_GAP times the target. Duals are added after at least
# LEAST_VISITS times n visits since the last time, as each addition reads all duals.
FIRST_GAP, LEAST_VISITS = 1000.0, 1.0
# After TRIED additions the dual value of the mean must be above that of the last duals by
# LEAST_SHARE of the gap, or no more are added. It was above by 0.15 to 0.8 of the gap in runs that
# the mean makes quicker, and by 0.06 at most in others.
TRIED, LEAST_SHARE = 6, 0.1
# The mean is taken for at least MIN_WEIGHTS weights: with fewer, the last duals or Newton's method
# are soon near the end. It is taken for at most MAX_SUMS duals, whose sums have no sparse form.
MIN_WEIGHTS, MAX_SUMS = 1000, 10_000_000


def suits_mean(n_weights: int, n_duals: int) -> bool:
    """Whether the mean of the duals pays, for these numbers of weights and duals."""
    return n_weights >= MIN_WEIGHTS and n_duals <= MAX_SUMS


class MeanDuals:
    """The mean of the duals of inner problems, of an ascent for proximal points.

    With w the solution of an inner problem, its duals have v = w + κ (w − y). So what w jumps about
    its limit, v does κ times more, and the dual value lags behind by ½‖v − w‖². In the mean jumps
    cancel: on letters, Weston–Watkins, C = 1000, the dual value was 100 below the optimum in place
    of 1 000. Duals count with the power DECAY of their number, as in `MeanWeights`. The conjugate
    is convex: the mean of conjugates bounds that of the mean.
    """

    def __init__(self, ascent: RowAscent, regularizer: Regularizer) -> None:
        self.ascent, self.regularizer = ascent, regularizer
        self.count, self.total = 0, 0.0
        self.work = -math.inf
        #: The sum of the duals times their weights, and the sum of these, ``total``.
        self.sums: Any = None
        #: The means of Σ c_i α_i x_i and of the conjugates.
        self.vector: Array = np.zeros(0)
        self.conjugates = 0.0
        #: A lower bound of the dual value of the mean.
        self.value = -math.inf

    def is_due(self, gap: float, target: float, work: float, looking_work: float) -> bool:
        """Whether to add the present duals, which have this gap; work in visits, that of a look at
        v too.
        """
        if not self.count and gap > FIRST_GAP * target:
            return False
        return work - self.work >= max(LEAST_VISITS * self.ascent.n, looking_work)

    def add(self, vector: Array, conjugates: float, work: float) -> None:
        """Add the present duals, which have this v, an array that is written over, and these
        conjugates.
        """
        if not self.count:
            self.vector, self.sums = np.zeros_like(vector), self.ascent.no_duals()
        self.work = work
        self.count += 1
        share = (DECAY + 1) / (self.count + DECAY)
        weight = share * self.total / (1 - share) if self.total else 1.0
        self.total += weight
        self.ascent.add_duals(self.sums, weight)
        self.vector *= 1 - share
        vector *= share
        self.vector += vector
        self.conjugates += share * (conjugates - self.conjugates)
        self.value = -self.conjugates - self.regularizer.conjugate_of(self.vector)

    def is_tried(self) -> bool:
        """Whether it can be told now if the mean is above the duals themselves."""
        return self.count == TRIED

    def mean(self) -> Any:
        """The mean, in the form of a Result."""
        return self.ascent.duals_of(self.sums / self.total)
