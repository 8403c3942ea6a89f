"""F of a measure of all labels at once, such as F1 or the ROC area, by its worst labelling, or by
sorting for the hinge of all pairs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.cached import cached_property
from rrmlinear.data.rows import Rows
from rrmlinear.risks.base import Evaluation
from rrmlinear.risks.layouts._labellings import pair_sums
from rrmlinear.risks.layouts.labellings import Found, Labellings, TableLabellings
from rrmlinear.risks.layouts.orders import OfOrder, OrderRisk

Vector = NDArray[np.float64]

# y_i α_i may be outside of its range by this much: rounding.
DUAL_ROUNDING = 1e-9


class MeasureRisk(OrderRisk):
    """F(w) = C max over y' of n Δ(y', y) − Σ_i y_i x_i'w, i the examples that y' labels wrongly.

    Δ is the loss of a contingency table; for the error rate F is C times the sum of hinge losses.
    Of the ROC area it is C n times the mean hinge of the differences of scores of all pairs.
    Smoothed by μ > 0 the maximum is that of `Labellings` or `Pairs`. ``labels`` are ±1.

    Scores, derivatives and duals have n + 1 entries. The last score is 0, and the last dual the
    expected n Δ of the labellings that have the duals α_i = y_i P(y'_i ≠ y_i): so duals of two
    laws have as mean the duals of their mixture, and F*(−C α) is at most −C α_{n+1}.

    Source: Joachims, A support vector method for multivariate performance measures, 2005; Zhang,
    Saha and Vishwanathan, Regularized Risk Minimization by Nesterov's Accelerated Gradient Methods,
    example 3 and section 5.4.
    """

    diagonal: Any = None

    def __init__(
        self, rows: Rows, measure: Any, labels: Vector, cost: float, threads: int = 1
    ) -> None:
        super().__init__(rows, measure, _over(measure, labels), cost, threads)
        self.labels = labels

    def at(self, scores: Vector, warm: Any = None) -> Evaluation:
        """F at these scores."""
        return WorstLabelling(self, self, scores)

    def conjugate(self, alphas: Vector) -> float:
        """−C α_{n+1}, or infinity where signs show that no labelling has these duals.

        It is a bound of F* from above where the last entry is that of a law of labellings. So it is
        for all duals that the risk itself gives, and for their means.
        """
        low = float((alphas[: self.n] * self.labels).min(initial=0))
        return super().conjugate(alphas) if low >= -DUAL_ROUNDING else np.inf

    def duals(self, alphas: Vector) -> Vector:
        """The duals α in the form that a Result holds."""
        return alphas[: self.n]


def _over(measure: Any, labels: Vector) -> Labellings | Pairs:
    """The search for the worst labelling of a measure."""
    if measure.told_by == "pairs":
        return Pairs(labels)
    positive = int(np.count_nonzero(labels > 0))
    counts = positive, len(labels) - positive
    if measure.told_by == "table":
        return TableLabellings(labels, measure.losses(*counts))
    return Labellings(labels, measure.ratio(*counts))


class WorstLabelling(OfOrder):
    """F at scores, by one search."""

    @cached_property
    def found(self) -> Found:  # type: ignore[override]
        over, mu = self.risk.over, self.risk.mu
        found: Found = over.smoothed(self.scores, mu) if mu else over.find(self.scores)
        return found

    @cached_property
    def derivatives(self) -> Vector:
        return self.found.derivatives()


class Pairs:
    """n times the mean over pairs of max(0, 1 − (s_i − s_j)), i positive and j negative.

    It is the maximum over sets of pairs in the wrong order of n times their fraction, 1 − the ROC
    area, less the differences of their scores. Smoothed by μ > 0 each hinge is quadratic over a
    width of μ, at most μ/2 less. O(n log n).
    """

    offers = frozenset({"smoothed"})

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
