"""A Lipschitz constant of a gradient, found by trial."""

from __future__ import annotations

from rrmlinear.solvers.loop.tolerances import STEP_RESOLUTION


class Backtracking:
    """``L`` rises by a factor after a step it was too small for, and falls after one it served.

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
    """Whether values of f can tell if L/2 ‖step‖², ``quadratic``, bounds what f leaves its tangent.

    Where it is too small beside them only derivatives of f can.
    """
    return quadratic > STEP_RESOLUTION * max(abs(value) for value in values)
