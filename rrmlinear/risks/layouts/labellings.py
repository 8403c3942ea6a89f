"""The largest loss plus change of scores over all labellings, by their contingency tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.layouts._labellings import FlipCounts, law_of_counts, loss_at, most_violated

Vector = NDArray[np.float64]

# Counts beyond these have a probability of at most e^-TAIL.
TAIL = 60.0
# Contingency tables of a loss of one's own that are compared together.
TABLES_AT_ONCE = 10**6
# Cells of the recursions, about a nanosecond each, that one evaluation may take.
MAX_CELLS = 2e9


class Found(NamedTuple):
    """The value at some scores, and its derivatives, made when called for.

    Derivatives are one for each example, and last minus the expected loss n Δ.
    """

    value: float
    derivatives: Callable[[], Vector]


class Labellings:
    """max over y' of n Δ(y', y) − Σ y_i s_i over the examples that y' labels wrongly.

    Δ is the `Ratio` of a measure, Δ(b, c) = (p b + q c)/(r + t b + u c); see `losses.measures`.

    For n Δ = b + c it is the sum of the hinge losses. Smoothed by μ > 0 it is μ log Σ_y' e^(·/μ),
    at most μ n log 2 more.
    """

    offers = frozenset({"smoothed"})

    def __init__(self, y: Vector, ratio: Any) -> None:
        self.n, self.ratio = len(y), ratio
        self.positive, self.negative = np.flatnonzero(y > 0), np.flatnonzero(y <= 0)
        #: A bound of |smoothed − not smoothed| / μ.
        self.room = self.n * math.log(2)
        #: The largest slope at the score of each example.
        self.steepest: Any = 1.0

    def find(self, scores: Vector) -> Found:
        """The largest, in O(n log n)."""
        positive, negative = scores[self.positive], -scores[self.negative]
        low, high = np.sort(positive), -np.sort(negative)
        value, b, c = self._most_violated(low, high)

        def derivatives() -> Vector:
            result = np.zeros(self.n + 1)
            result[self.positive[_lowest(positive, b, low)]] = -1
            result[self.negative[_lowest(negative, c, -high)]] = 1
            result[self.n] = -self._loss_at(b, c)
            return result

        return Found(value, derivatives)

    def smoothed(self, scores: Vector, mu: float) -> Found:
        """μ log Σ e^(·/μ), by the law of the counts of wrong labels."""
        if self._is_sum:
            return self._smoothed_sum(scores, mu)
        order = self.positive[np.argsort(scores[self.positive], kind="stable")]
        other = self.negative[np.argsort(-scores[self.negative], kind="stable")]
        x, z = -scores[order] / mu, scores[other] / mu
        caps = self._caps(x, z, mu)
        lost, gained = FlipCounts(x, caps[0]), FlipCounts(z, caps[1])
        of_b, of_c, log_sum, loss = self._law(lost.logs(), gained.logs(), len(x), len(z), mu)

        def derivatives() -> Vector:
            result = np.zeros(self.n + 1)
            result[order] = -lost.marginals(of_b)
            result[other] = gained.marginals(of_c)
            result[self.n] = -loss
            return result

        return Found(mu * log_sum, derivatives)

    @property
    def _is_sum(self) -> bool:
        return bool(self.ratio.is_sum)

    def _most_violated(self, low: Vector, high: Vector) -> tuple[float, int, int]:
        return most_violated(low, high, self.ratio)

    def _loss_at(self, b: int, c: int) -> float:
        return loss_at(self.ratio, self.n, b, c)

    def _law(
        self, lost: Vector, gained: Vector, P: int, N: int, mu: float
    ) -> tuple[Vector, Vector, float, float]:
        return law_of_counts(lost, gained, self.ratio, P, N, mu)

    def _smoothed_sum(self, scores: Vector, mu: float) -> Found:
        """Of examples that are wrong or right each by itself."""
        rates = np.full(self.n, self.n * self.ratio.q / self.ratio.r)
        rates[self.positive] = self.n * self.ratio.p / self.ratio.r
        y = np.full(self.n, -1.0)
        y[self.positive] = 1
        t = (rates - y * scores[: self.n]) / mu
        small = np.exp(-np.abs(t))
        value = mu * float((np.maximum(t, 0) + np.log1p(small)).sum())

        def derivatives() -> Vector:
            wrong = np.where(t >= 0, 1.0, small) / (1 + small)
            return np.append(-y * wrong, -float(rates @ wrong))

        return Found(value, derivatives)

    def _caps(self, x: Vector, z: Vector, mu: float) -> tuple[int, int]:
        """The largest counts that need be looked at.

        Given b the law of c is that of odds z raised by the rise of n Δ/μ, which is largest at
        c = 0. So c lies below independent draws with these odds; likewise b.
        """
        ratio, P, N = self.ratio, len(x), len(z)
        if ratio.k >= 0:
            return min(P, P + N - ratio.k), min(N, ratio.k)
        b = np.arange(P + 1)
        least = ratio.r + ratio.t * b
        with np.errstate(divide="ignore", invalid="ignore"):
            rises = (ratio.q * least - ratio.u * ratio.p * b) / (least * (least + ratio.u))
            falls = np.diff(ratio.p * b / least)
        steep = self.n * float(rises.max()) / mu
        high = self.n * float(falls.max(initial=0)) / mu
        return _affordable((_cap(x, high), _cap(z, steep)), P, N)


class TableLabellings(Labellings):
    """`Labellings` of any loss of contingency tables, Δ(b, c) in row b and column c of ``losses``.

    Every table is looked at: O(n₊ n₋) a search, and the smoothed maximum has all counts.
    """

    def __init__(self, y: Vector, losses: Vector) -> None:
        super().__init__(y, None)
        self.losses = self.n * losses

    @property
    def _is_sum(self) -> bool:
        return False

    def _most_violated(self, low: Vector, high: Vector) -> tuple[float, int, int]:
        lost = np.concatenate(([0.0], np.cumsum(low)))
        gained = np.concatenate(([0.0], np.cumsum(high)))
        best = -np.inf, 0, 0
        at_once = max(1, TABLES_AT_ONCE // len(gained))
        for begin in range(0, len(lost), at_once):
            some = slice(begin, begin + at_once)
            values = self.losses[some] + gained - lost[some, np.newaxis]
            row, c = np.unravel_index(int(values.argmax()), values.shape)
            if values[row, c] > best[0]:
                best = float(values[row, c]), begin + int(row), int(c)
        return best

    def _loss_at(self, b: int, c: int) -> float:
        return float(self.losses[b, c])

    def _law(
        self, lost: Vector, gained: Vector, P: int, N: int, mu: float
    ) -> tuple[Vector, Vector, float, float]:
        logs = self.losses / mu
        logs += lost[:, np.newaxis]
        logs += gained
        top = float(logs.max())
        logs -= top
        law = np.exp(logs, out=logs)
        total = float(law.sum())
        mean = float(np.einsum("ij,ij->", law, self.losses)) / total
        return law.sum(axis=1) / total, law.sum(axis=0) / total, top + math.log(total), mean

    def _caps(self, x: Vector, z: Vector, mu: float) -> tuple[int, int]:
        return _affordable((len(x), len(z)), len(x), len(z))


def _affordable(caps: tuple[int, int], P: int, N: int) -> tuple[int, int]:
    """These caps; ValueError where recursions to them take too long."""
    cells = (P - caps[0] / 2) * caps[0] + (N - caps[1] / 2) * caps[1]
    if cells > MAX_CELLS:
        raise ValueError(
            f"the smoothed risk of {P} positive and {N} negative examples takes "
            f"{3 * cells / 1e9:.0f} s an evaluation; take BMRM, which needs no smoothing"
        )
    return caps


def _cap(x: Vector, rise: float) -> int:
    """A count that draws with log odds x + ``rise`` exceed with a probability below e^-TAIL."""
    if not math.isfinite(rise):
        return len(x)
    odds = np.exp(-np.abs(x + rise))
    mean = float((np.where(x + rise >= 0, 1.0, odds) / (1 + odds)).sum())
    return min(len(x), math.ceil(mean + TAIL / 3 + math.sqrt(TAIL**2 / 9 + 2 * TAIL * mean)))


def _lowest(values: Vector, count: int, ordered: Vector) -> NDArray[np.intp]:
    """Places of the ``count`` lowest values; of equal ones the first."""
    if count == 0:
        return np.empty(0, dtype=np.intp)
    last = ordered[count - 1]
    below = np.flatnonzero(values < last)
    ties = np.flatnonzero(values == last)
    return np.concatenate((below, ties[: count - len(below)]))
