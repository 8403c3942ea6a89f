"""When a method with restarts restarts."""

from __future__ import annotations

import math


class Epoch:
    """Ends when a measure ≥ 0 of the remaining error has fallen.

    It ends when the measure is at most ``sufficient`` of its first value; when it is at most
    ``necessary`` of it and rises; and when the epoch has had ``longest`` of all steps.
    """

    def __init__(
        self, sufficient: float, necessary: float = 0.0, longest: float = math.inf
    ) -> None:
        self.sufficient, self.necessary, self.longest = sufficient, necessary, longest
        self.begin()

    def begin(self) -> None:
        """A new epoch, whose first measure comes next."""
        self.steps, self.first, self.last = 0, math.inf, math.inf

    def is_over(self, measure: float, number: int = 0) -> bool:
        """Whether the epoch ends with this measure; ``number`` counts the steps of all epochs."""
        if self.steps == 0:
            self.first = measure
            over = False
        else:
            enough = measure <= self.sufficient * self.first
            turned = self.last < measure <= self.necessary * self.first
            over = enough or turned or self.steps >= self.longest * number
        self.steps, self.last = self.steps + 1, measure
        return over
