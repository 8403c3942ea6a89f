"""Anderson's mixing: where a fixed-point iteration seems to go, from its last steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.loop.inner import inner

Array = NDArray[np.float64]

# Steps whose residual grows beyond this many times the last are forgotten, as mixing led astray.
ASTRAY = 2.0
# Where no residual has been shorter for so many steps they go unmixed for as many, then for twice
# as many, and so on: an iteration that converges by itself does so in the end.
FRUITLESS = 20
# The least-squares problem gets this part of its mean square added, and this of the residual's: far
# steps along differences that say little would leave the region where they say anything.
RIDGE, TETHER = 1e-10, 1e-4


class Anderson:
    """Of an iteration x → g(x), the mix Σ θ_j g(x_j) of the last steps whose residual is least.

    Σ θ_j = 1, and Σ θ_j (g(x_j) − x_j) is the shortest over such θ, over ``memory`` differences of
    steps. Callers keep the g(x_j) themselves, in any form that mixes linearly. Source: Walker and
    Ni, Anderson acceleration for fixed-point iterations, 2011.
    """

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self.rest = FRUITLESS
        self.forget()

    def forget(self) -> None:
        """Begin again."""
        self.residuals: list[Array] = []
        self.last = self.best = np.inf
        self.fruitless = 0

    def weights(self, x: Array, g: Array) -> Array:
        """θ of the last steps, the oldest first; x and g are seen now and are the newest."""
        residual = g - x
        length, last = np.sqrt(inner(residual, residual)), self.last
        self.fruitless = 0 if length < self.best else self.fruitless + 1
        self.last, self.best = length, min(length, self.best)
        if self.fruitless > FRUITLESS:
            if self.fruitless > FRUITLESS + self.rest:
                self.rest *= 2
                self.forget()
            self.residuals = []
        elif length > ASTRAY * last:
            self.residuals = []
        self.residuals = [*self.residuals[-self.memory :], residual]
        differences = [b - a for a, b in zip(self.residuals, self.residuals[1:], strict=False)]
        count = len(differences)
        theta = np.zeros(count + 1)
        theta[-1] = 1.0
        if not count:
            return theta
        gram = np.array([[inner(a, b) for b in differences] for a in differences])
        mean = np.trace(gram) / count
        if not mean > 0:
            return theta
        gram.flat[:: count + 1] += RIDGE * mean + TETHER * length**2
        gamma = np.linalg.solve(gram, [inner(a, residual) for a in differences])
        theta[1:] -= gamma
        theta[:-1] += gamma
        return theta
