"""Anderson's mixing: the limit of a fixed-point iteration, guessed from its last steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.loop.inner import inner

Array = NDArray[np.float64]

# Forget the steps if the residual grows by more than this factor: mixing has failed.
MAX_RESIDUAL_GROWTH = 2.0
# After this number of steps without a shorter residual, take as many steps without mixing, and
# twice as many each time: an iteration that converges without mixing then still does.
MAX_FRUITLESS_STEPS = 20
# Added to the diagonal of the least-squares problem, relative to its mean entry and to the square
# of the residual: keeps the mix near the last step where differences are nearly dependent.
RIDGE, TETHER = 1e-10, 1e-4


class Anderson:
    """The weights θ of the last steps of an iteration x → g(x); its next point is Σ θ_j g(x_j).

    They are `mixing_weights` over ``memory`` differences of steps. Callers keep the g(x_j)
    themselves, in any form that mixes linearly.
    """

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self.rest = MAX_FRUITLESS_STEPS
        self.forget()

    def forget(self) -> None:
        """Forget all steps."""
        self.residuals: list[Array] = []
        self.last = self.best = np.inf
        self.fruitless = 0

    def weights(self, x: Array, g: Array) -> Array:
        """θ of the last steps, the oldest first; x and g are added as the newest."""
        residual = g - x
        length, last = np.sqrt(inner(residual, residual)), self.last
        self.fruitless = 0 if length < self.best else self.fruitless + 1
        self.last, self.best = length, min(length, self.best)
        if self.fruitless > MAX_FRUITLESS_STEPS:
            if self.fruitless > MAX_FRUITLESS_STEPS + self.rest:
                self.rest *= 2
                self.forget()
            self.residuals = []
        elif length > MAX_RESIDUAL_GROWTH * last:
            self.residuals = []
        self.residuals = [*self.residuals[-self.memory :], residual]
        return mixing_weights(self.residuals, RIDGE, TETHER)


def mixing_weights(residuals: Array | Sequence[Array], ridge: float, tether: float) -> Array:
    """θ with Σ θ_j = 1 for which Σ θ_j r_j is shortest, the oldest residual first.

    The differences of residuals are the variables of the least-squares problem. Its diagonal gets
    ``ridge`` of its mean and ``tether`` ‖r‖² of the newest residual added. Source: Walker and Ni,
    Anderson acceleration for fixed-point iterations, 2011.
    """
    newest, count = residuals[-1], len(residuals) - 1
    theta = np.zeros(count + 1)
    theta[-1] = 1.0
    differences = np.diff(residuals, axis=0)
    gram = np.einsum("it,jt->ij", differences, differences)
    mean = np.trace(gram) / count if count else 0.0
    if not mean > 0:
        return theta
    gram.flat[:: count + 1] += ridge * mean + tether * np.sqrt(inner(newest, newest)) ** 2
    gamma = np.linalg.solve(gram, np.einsum("it,t->i", differences, newest))
    theta[1:] -= gamma
    theta[:-1] += gamma
    return theta
