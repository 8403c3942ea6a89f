"""A Lipschitz constant of a gradient, found by trial."""

from __future__ import annotations

from rrmlinear.solvers.loop.tolerances import STEP_RESOLUTION


class Backtracking:
    """``L`` rises by a factor after a failed trial, and falls by another after a successful one.

    It never falls below ``least``. With both factors 1 it stays as it is.
    """

    def __init__(self, L: float, least: float, rise: float = 2.0, fall: float = 1.1) -> None:
        self.L, self.least, self.rise, self.fall = L, least, rise, fall

    def failed(self) -> None:
        """The step needs a larger L."""
        self.L *= self.rise

    def served(self) -> None:
        """The step was taken; the next may be longer."""
        self.L = max(self.L / self.fall, self.least)


def is_visible(quadratic: float, *values: float) -> bool:
    """Whether values of f suffice to test f(x⁺) ≤ tangent + ``quadratic``, L/2 ‖step‖².

    If it is too small beside them, only derivatives of f do.
    """
    return quadratic > STEP_RESOLUTION * max(abs(value) for value in values)
