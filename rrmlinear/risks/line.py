"""F along a line of scores, for searches that want a derivative of 0."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


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
