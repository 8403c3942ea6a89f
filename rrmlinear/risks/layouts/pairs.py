"""The hinge loss of all pairs of a positive and a negative example, by sorting."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.layouts._labellings import pair_sums
from rrmlinear.risks.layouts.labellings import Found

Vector = NDArray[np.float64]


class Pairs:
    """n times the mean over pairs of max(0, 1 − (s_i − s_j)), i positive and j negative.

    It is the maximum over sets of pairs in the wrong order of n times their fraction, 1 − the ROC
    area, less the differences of their scores. Smoothed by μ > 0 each hinge is quadratic over a
    width of μ, at most μ/2 less. O(n log n).
    """

    def __init__(self, y: Vector) -> None:
        self.n = len(y)
        self.positive, self.negative = np.flatnonzero(y > 0), np.flatnonzero(y <= 0)
        pairs = len(self.positive) * len(self.negative)
        self.weight = self.n / pairs if pairs else 0.0
        #: A bound of |smoothed − not smoothed| / μ.
        self.room = self.n / 2
        others = np.where(y > 0, len(self.negative), len(self.positive))
        #: The largest slope at the score of each example.
        self.steepest = self.weight * others

    def find(self, scores: Vector) -> Found:
        """The mean of the hinges."""
        return self.smoothed(scores, 0.0)

    def smoothed(self, scores: Vector, mu: float) -> Found:
        """The mean of smoothed hinges."""
        order = self.positive[np.argsort(scores[self.positive])]
        other = self.negative[np.argsort(scores[self.negative])]
        low, high = scores[order], scores[other]
        total, of_positive = pair_sums(low, high, mu)

        def derivatives() -> Vector:
            result = np.empty(self.n + 1)
            result[order] = -self.weight * of_positive
            # the same pairs by their negative examples: 1 − (−q) + (−p)
            result[other] = self.weight * pair_sums(-high[::-1], -low[::-1], mu)[1][::-1]
            result[self.n] = -self.weight * float(of_positive.sum())
            return result

        return Found(self.weight * total, derivatives)
