"""Measures of all labels at once: losses of contingency tables, and the area under the ROC curve.

A contingency table has two counts: b of the P positive examples that a labelling labels negative,
and c of the N negative ones that it labels positive.

Each measure has two constants. ``ranks`` says whether it compares scores with each other, so that a
model needs a threshold. ``told_by`` says what gives its value: a `Ratio` of the counts, a table of
the losses of all counts, or pairs of scores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Contingency tables that a loss of one's own is computed for: some seconds of calls.
MOST_TABLES = 10**7
RATIO, TABLE, PAIRS = "ratio", "table", "pairs"


class Ratio(NamedTuple):
    """Δ(b, c) = (p b + q c)/(r + t b + u c), or 0 where this is 0/0; u ≥ 0, q (r + t b) ≥ u p b.

    So Δ is concave in c for each b. If ``k`` is at least 0, only labellings with k positive labels
    count, b − c = P − k, beside the true one, which has the loss 0.
    """

    p: float
    q: float
    r: float
    t: float = 0.0
    u: float = 0.0
    k: int = -1

    @property
    def is_sum(self) -> bool:
        """Whether Δ is a sum over examples."""
        return self.t == 0 and self.u == 0 and self.k < 0

    def at(self, b: int, c: int) -> float:
        """Δ(b, c)."""
        size = self.r + self.t * b + self.u * c
        return (self.p * b + self.q * c) / size if size > 0 else 0.0


class ErrorRate:
    """(b + c)/n: the hinge loss summed over examples."""

    ranks = False
    told_by = RATIO
    differentiable = False

    def ratio(self, positive: int, negative: int) -> Ratio:
        """Δ for these numbers of examples."""
        return Ratio(1.0, 1.0, float(positive + negative))


@dataclass(frozen=True)
class FBeta:
    """1 − F_β = (β² b + c)/((1 + β²) P − b + c)."""

    beta: float = 1.0
    ranks = False
    told_by = RATIO
    differentiable = False

    def ratio(self, positive: int, negative: int) -> Ratio:
        """Δ for these numbers of examples."""
        square = self.beta**2
        return Ratio(square, 1.0, (1 + square) * positive, -1.0, 1.0)


@dataclass(frozen=True)
class _AtK:
    """Measures over labellings with k positive labels, by default P."""

    k: int | None = None
    ranks = True
    told_by = RATIO
    differentiable = False


class PrecisionAtK(_AtK):
    """c/k over labellings with k positive labels, by default P."""

    def ratio(self, positive: int, negative: int) -> Ratio:
        """Δ for these numbers of examples."""
        k = checked_k(self.k, positive, negative)
        return Ratio(0.0, 1.0, float(max(k, 1)), k=k)


class RecallAtK(_AtK):
    """b/P over labellings with k positive labels, by default P."""

    def ratio(self, positive: int, negative: int) -> Ratio:
        """Δ for these numbers of examples."""
        k = checked_k(self.k, positive, negative)
        return Ratio(1.0, 0.0, float(max(positive, 1)), k=k)


class RocArea:
    """The fraction of pairs of a positive and a negative example in the wrong order."""

    ranks = True
    told_by = PAIRS
    differentiable = False


@dataclass(frozen=True)
class OwnTable:
    """``loss`` (a, b, c, d) of a contingency table: right positive labels, b, c, right negative."""

    loss: Callable[[int, int, int, int], float]
    ranks = False
    told_by = TABLE
    differentiable = False

    def losses(self, positive: int, negative: int) -> NDArray[np.float64]:
        """Δ(b, c) in row b and column c. Raises ValueError for what is no loss."""
        count = (positive + 1) * (negative + 1)
        if count > MOST_TABLES:
            raise ValueError(
                f"{positive} positive and {negative} negative examples have {count} contingency "
                f"tables, more than the {MOST_TABLES} that a loss of one's own is computed for"
            )
        b, c = np.arange(positive + 1)[:, np.newaxis], np.arange(negative + 1)
        of_all = np.frompyfunc(self._checked, 4, 1)(positive - b, b, c, negative - c)
        result: NDArray[np.float64] = of_all.astype(np.float64)
        if result[0, 0] != 0:
            raise ValueError(
                f"the loss of all labels right, ({positive}, 0, 0, {negative}), is "
                f"{result[0, 0]:g}; it must be 0"
            )
        return result

    def _checked(self, *table: Any) -> float:
        told = tuple(map(int, table))
        value = self.loss(*told)
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = np.nan
        if not 0 <= number < np.inf:
            raise ValueError(
                f"the loss of the contingency table {told} is {value!r}; it must be a finite "
                "number of at least 0"
            )
        return number


def measured(measure: Any, positive: NDArray[np.bool_], scores: NDArray[np.float64]) -> float:
    """1 − Δ of the labels that scores above 0 make, or of the k largest where the measure ranks.

    Of equal scores the first counts as larger; for the ROC area both orders count half. It is NaN
    for the ROC area of one class.
    """
    P, n = int(np.count_nonzero(positive)), len(scores)
    if measure.told_by == PAIRS:
        if P in (0, n):
            return np.nan
        below = np.sort(scores[~positive])
        sides = (np.searchsorted(below, scores[positive], side) for side in ("left", "right"))
        return float(sum(side.sum() for side in sides) / (2 * P * (n - P)))
    labels = scores > 0
    if measure.ranks:
        k = P if measure.k is None else min(measure.k, n)
        measure = replace(measure, k=k)
        labels = np.zeros(n, dtype=bool)
        labels[np.argsort(-scores, kind="stable")[:k]] = True
    b, c = (int(np.count_nonzero(a & ~z)) for a, z in ((positive, labels), (labels, positive)))
    if measure.told_by == TABLE:
        return 1 - float(measure.loss(P - b, b, c, n - P - c))
    return 1 - float(measure.ratio(P, n - P).at(b, c))


def checked_k(k: int | None, positive: int, negative: int) -> int:
    """k, or P for None; ValueError for more than there are examples."""
    if k is not None and k > positive + negative:
        raise ValueError(f"k is {k}, and there are {positive + negative} examples")
    return positive if k is None else k
