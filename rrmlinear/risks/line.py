"""F along a line of scores, for searches that want a derivative of 0."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# An example whose derivatives at both ends of an interval differ by less than this fraction of the
# difference of all counts as linear in between.
LINEAR_FRACTION = 1e-9


def moved(scores: Array, moves: Array, x: float) -> Array:
    """s + x d, in one array."""
    result = x * moves
    result += scores
    return result


class Line:
    """F at the scores of an evaluation + t · ``moves``."""

    def __init__(self, begin: Any, moves: Array) -> None:
        self.begin, self.moves, self.warm = begin, moves, begin.warm
        self._last: tuple[float, Any] | None = (0.0, begin)

    def derivative(self, t: float) -> float:
        """The derivative by t."""
        if t == 0:
            return self.begin.derivative_along(self.moves)
        self._last = None  # memory that is used again needs no new pages
        at, rate = self.begin.along(self.moves, t, self.warm, value=False)
        self._last, self.warm = (t, at), at.warm
        return rate

    def at(self, t: float) -> Any:
        """F at t: the evaluation itself if it was the last one."""
        if self._last is not None and self._last[0] == t:
            return self._last[1]
        return self.begin.risk.at(moved(self.begin.scores, self.moves, t), self.warm)


class ClassLine(Line):
    """A `Line` of k scores, of a risk without a condition.

    The derivative of a convex function that is equal at both ends of an interval is the same in
    between. So a search reads the other examples alone once it has an interval.
    """

    def __init__(self, begin: Any, moves: Array) -> None:
        super().__init__(begin, moves)
        derivatives = begin.risk.costs * begin.derivatives
        #: The derivatives of the examples by t.
        self.rates: dict[float, Array] = {0.0: np.einsum("ij,ij->i", derivatives, moves)}

    def derivative(self, t: float) -> float:
        known = self.rates
        if t not in known:
            low = max((x for x in known if x < t), default=None)
            high = min((x for x in known if x > t), default=None)
            if low is None or high is None:
                self._whole(t)
            else:
                apart = np.abs(known[high] - known[low])
                some = np.flatnonzero(apart > LINEAR_FRACTION * apart.sum())
                known[t] = known[low].copy()
                self.begin.terms.rates(self.begin.scores, self.moves, t, some, known[t])
        return float(known[t].sum())

    def _whole(self, t: float) -> None:
        self._last, rates = None, np.zeros(len(self.moves))
        begin = self.begin
        _, _, derivatives, scores = begin.terms.along(
            begin.scores, self.moves, t, False, rates=rates
        )
        at = begin.risk.at(scores)
        vars(at)["derivatives"] = derivatives
        self._last, self.rates[t] = (t, at), rates


class BalancedLine(Line):
    """The losses on a line on which the intercepts b move too, as the best ones do at its begin.

    `at` finds the best intercepts from there.
    """

    def __init__(self, begin: Any, moves: Array) -> None:
        super().__init__(begin, moves)
        self.shift = -begin.condition.answer(begin, moves)
        self.both = moves + self.shift

    def derivative(self, t: float) -> float:
        begin = self.begin
        if t == 0:
            return begin.derivative_along(self.moves)
        return float(begin.terms.along(begin.moved, self.both, t, False, False)[0])

    def at(self, t: float) -> Any:
        begin = self.begin
        if t == 0:
            return begin
        warm = begin.warm.moved(t * self.shift)
        return begin.risk.at(moved(begin.scores, self.moves, t), warm)
