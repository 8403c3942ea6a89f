"""The mean of the weights of many passes, which may have a smaller objective than the last ones."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Weights count with the power DECAY of their number: the mean is over the last seventh or so.
# Source: Shamir and Zhang, Stochastic gradient descent for non-smooth optimization, 2013.
DECAY = 6
# The mean begins when the gap is at most FIRST_GAP times the target. It is first measured when the
# gap is at most NEAR_GAP times the target, and again once the gap has fallen by the factor FALL, or
# as the last measurement promises.
FIRST_GAP, NEAR_GAP, FALL = 100.0, 10.0, 1.3
# Fewest weights in a mean that is measured, and the largest part of all work for measurements.
FEWEST, LARGEST_PART = 20, 0.05


class MeanWeights:
    """The mean of weights w that jump about their limit, while the duals hardly move.

    Near the end of an ascent on a loss with kinks, a step of a dual moves scores over a kink and
    back, so that P(w) lags far behind the dual value. P of the mean of many w does so less: on
    mnist, Weston–Watkins, C = 1, its gap was a quarter.
    """

    def __init__(self) -> None:
        self.mean: Array | None = None
        self.count = self.measurements = 0
        #: The smallest primal value of a mean, and its weights as the ascent tells them.
        self.primal = math.inf
        self.weights: Array | None = None
        # the gap of the last w, and that of the mean, when the mean was measured last
        self.gap = self.gap_of_mean = math.inf

    def add(self, w: Array, gap: float, target: float) -> None:
        """Add weights with this gap, an array that is written over."""
        if self.mean is None:
            if gap > FIRST_GAP * target:
                return
            self.mean = np.zeros_like(w)
        self.count += 1
        share = (DECAY + 1) / (self.count + DECAY)
        self.mean *= 1 - share
        w *= share
        self.mean += w

    def is_due(self, gap: float, target: float, work: float, measuring_work: float) -> bool:
        """Whether to measure the mean, where the last w has this ``gap``; work in visits."""
        if self.count < FEWEST or not target < gap <= NEAR_GAP * target:
            return False
        if (self.measurements + 1) * measuring_work > LARGEST_PART * work:
            return False
        fallen = gap / self.gap  # 0 before the first measurement
        return fallen <= 1 / FALL or (fallen < 1 and fallen * self.gap_of_mean <= target)

    def see(self, primal: float, weights: Array, gap: float, dual: float) -> None:
        """Take what a measurement of the mean has found; ``gap`` is that of the last w."""
        self.measurements += 1
        self.gap, self.gap_of_mean = gap, primal - dual
        if primal < self.primal:
            self.primal, self.weights = primal, weights
