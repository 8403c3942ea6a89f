"""Nesterov's momentum, which restarts where it points uphill."""

from __future__ import annotations

import math


class Momentum:
    """The sequence t⁺ = (1 + √(1 + 4 t²))/2 and the β = (t − 1)/t⁺ of extrapolations.

    A step from u = x + β (x − x_last) to x⁺ goes against the momentum if ⟨u − x⁺, x⁺ − x⟩ > 0. Then
    t goes back to ``first``. From 0 the first two steps have β = 0, from 1 the first alone. Source:
    O'Donoghue and Candès, Adaptive restart for accelerated gradient schemes, 2015, gradient scheme.
    """

    def __init__(self, first: float) -> None:
        self.t = self.following = self.first = first

    def ahead(self, ratio: float = 1.0) -> float:
        """β of the next step. ``ratio`` is its L over that of the last step."""
        self.following = (1 + math.sqrt(1 + 4 * self.t**2 * ratio)) / 2
        return (self.t - 1) / self.following if self.t else 0.0

    def advance(self, turn: float) -> None:
        """The step was taken; ``turn`` is ⟨u − x⁺, x⁺ − x⟩."""
        self.t = self.first if is_uphill(turn) else self.following


def is_uphill(turn: float) -> bool:
    """Whether a step turns back against the momentum that led to it."""
    return turn > 0
