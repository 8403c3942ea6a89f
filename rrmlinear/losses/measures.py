"""Measures of all labels at once: losses of contingency tables, and the area under the ROC curve.

A contingency table is told by b, the number of the P positive examples that a labelling labels
negative, and c, that of the N negative ones it labels positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol


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


class Measure(Protocol):
    """A loss of all labels at once, with a kink."""

    #: Whether it compares scores with each other, so that a model needs a threshold.
    ranks: bool
    #: Whether it counts pairs of examples, and not single ones by their `Ratio`.
    pairs: bool
    smoothing: float


@dataclass(frozen=True)
class ErrorRate:
    """(b + c)/n: the hinge loss summed over examples."""

    ranks = False
    pairs = False
    smoothing = 0.0

    def ratio(self, positive: int, negative: int) -> Ratio:
        """Δ for these numbers of examples."""
        return Ratio(1.0, 1.0, float(positive + negative))


@dataclass(frozen=True)
class FBeta:
    """1 − F_β = (β² b + c)/((1 + β²) P − b + c)."""

    beta: float = 1.0
    ranks = False
    pairs = False
    smoothing = 0.0

    def ratio(self, positive: int, negative: int) -> Ratio:
        """Δ for these numbers of examples."""
        square = self.beta**2
        return Ratio(square, 1.0, (1 + square) * positive, -1.0, 1.0)


@dataclass(frozen=True)
class PrecisionAtK:
    """c/k over labellings with k positive labels, by default P."""

    k: int | None = None
    ranks = True
    pairs = False
    smoothing = 0.0

    def ratio(self, positive: int, negative: int) -> Ratio:
        """Δ for these numbers of examples."""
        k = checked_k(self.k, positive, negative)
        return Ratio(0.0, 1.0, float(max(k, 1)), k=k)


@dataclass(frozen=True)
class RecallAtK:
    """b/P over labellings with k positive labels, by default P."""

    k: int | None = None
    ranks = True
    pairs = False
    smoothing = 0.0

    def ratio(self, positive: int, negative: int) -> Ratio:
        """Δ for these numbers of examples."""
        k = checked_k(self.k, positive, negative)
        return Ratio(1.0, 0.0, float(max(positive, 1)), k=k)


@dataclass(frozen=True)
class RocArea:
    """The fraction of pairs of a positive and a negative example in the wrong order."""

    ranks = True
    pairs = True
    smoothing = 0.0


def checked_k(k: int | None, positive: int, negative: int) -> int:
    """k, or P for None; ValueError for more than there are examples."""
    if k is not None and k > positive + negative:
        raise ValueError(f"k is {k}, and there are {positive + negative} examples")
    return positive if k is None else k
